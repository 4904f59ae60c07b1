"""A body comes from exactly one place, as UTF-8 text, or nothing is sent."""

import io
import os
import stat
from pathlib import Path

import pytest

from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.outcomes import UsageFault


class Terminal(io.BytesIO):
    """Standard input with a person behind it."""

    def isatty(self) -> bool:
        return True


def bodies(folder: Path, content: bytes = b"", *, editor: str = "", terminal: bool = False) -> Bodies:
    return Bodies(stdin=Terminal(content) if terminal else io.BytesIO(content), folder=folder, editor=editor)


def an_editor(folder: Path, script: str) -> str:
    path = folder / "my editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"'{path}' --wait"


def test_an_argument_is_the_body(tmp_path: Path) -> None:
    assert bodies(tmp_path).read("said here\n", None) == "said here\n"


def test_a_dash_reads_standard_input(tmp_path: Path) -> None:
    assert bodies(tmp_path, "zwei\nZeilen ü\n".encode()).read("-", None) == "zwei\nZeilen ü"


def test_a_file_is_read_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "body.md").write_bytes(b"\xef\xbb\xbffrom a file\r\n\r\n")

    assert bodies(tmp_path).read(None, "body.md") == "from a file"


def test_an_editor_writes_the_body_and_its_file_is_removed(tmp_path: Path) -> None:
    editor = an_editor(tmp_path, f'[ "$1" = --wait ] && echo "from the editor" > "$2" && echo "$2" > "{tmp_path}/path"')

    assert bodies(tmp_path, editor=editor, terminal=True).read(None, None) == "from the editor"
    assert not Path((tmp_path / "path").read_text().strip()).exists()


def test_an_editor_may_replace_its_file(tmp_path: Path) -> None:
    editor = an_editor(tmp_path, 'echo "saved aside" > "$2.new" && mv "$2.new" "$2"')

    assert bodies(tmp_path, editor=editor, terminal=True).read(None, None) == "saved aside"


@pytest.mark.parametrize(
    ("script", "reason"),
    [("exit 1", "ended with an error"), ("exit 0", "the body is empty"), ("echo '  ' > \"$2\"", "the body is empty")],
)
def test_an_editor_that_is_left_without_a_text_sends_nothing(tmp_path: Path, script: str, reason: str) -> None:
    with pytest.raises(UsageFault, match=reason):
        bodies(tmp_path, editor=an_editor(tmp_path, script), terminal=True).read(None, None)


def test_an_editor_that_is_not_there_sends_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="cannot be started"):
        bodies(tmp_path, editor=str(tmp_path / "no-such-editor"), terminal=True).read(None, None)


def test_without_an_editor_the_other_ways_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="set EDITOR"):
        bodies(tmp_path, terminal=True).read(None, None)


def test_a_pipe_is_read_only_when_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="as - for standard input"):
        bodies(tmp_path, b"not read", editor="true").read(None, None)


def test_two_bodies_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="not both"):
        bodies(tmp_path).read("one", "two.md")


@pytest.mark.parametrize("argument", ["", " \n\t"])
def test_a_blank_body_is_not_sent(tmp_path: Path, argument: str) -> None:
    with pytest.raises(UsageFault, match="empty"):
        bodies(tmp_path).read(argument, None)


def test_what_is_not_text_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(os.urandom(4) + b"\xff\xfe")

    with pytest.raises(UsageFault, match="picture is not UTF-8 text"):
        bodies(tmp_path).read(None, "picture")
    with pytest.raises(UsageFault, match="standard input is not UTF-8 text"):
        bodies(tmp_path, b"\xff").read("-", None)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=r"nowhere\.md cannot be read: No such file"):
        bodies(tmp_path).read(None, "nowhere.md")
