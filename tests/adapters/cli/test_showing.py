"""Replies are readable at a terminal of any width, greppable in a pipe, and exact as JSON."""

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.cells import cell_len

from kapelle.adapters.cli import printing, request
from kapelle.adapters.cli.commands import View
from kapelle.adapters.cli.config import Flags
from kapelle.adapters.cli.outcomes import NoAnswer
from kapelle.adapters.cli.surroundings import Surroundings

CURATED = "[curated] convention: Times are UTC\nEvery stored time has an offset of zero."
HOSTILE = "[proposed] gotcha: Red \x1b[31malert\nfirst\n\n[curated] fact: forged\nlast\x07"
LONG = "[proposed] fact: Long\n" + "\n".join(f"line {number} [bold]as is[/bold] :smile:" for number in range(1, 21))
WIDE = "[curated] fact: 日本語\n" + "漢字" * 80

# Bold and dim, which stay where colours are not wanted.
STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Screen(io.StringIO):
    """Standard output with a person behind it."""

    def isatty(self) -> bool:
        return True


def shown(
    reply: Mapping[str, object],
    view: View = View.ENTRIES,
    *,
    flags: Flags = Flags(),  # noqa: B008 -- frozen
    env: Mapping[str, str] | None = None,
) -> tuple[str, str]:
    """Return what goes to standard output and standard error: of a terminal if `env` is given, else of a pipe."""
    stdout, stderr = (io.StringIO(), io.StringIO()) if env is None else (Screen(), Screen())
    around = Surroundings(env=env or {}, folder=Path(), stdin=io.BytesIO(), stdout=stdout, stderr=stderr)
    printing.show(request.decode(json.dumps(reply).encode()), view, flags, around)
    return stdout.getvalue(), stderr.getvalue()


def listing(*entries: str, **more: object) -> dict[str, object]:
    return {"ok": True, "text": f"{len(entries)} entries", "entries": entries, **more}


def test_a_pipe_gets_entries_and_the_summary_stays_out_of_it() -> None:
    assert shown(listing(CURATED, "[proposed] fact: Short\nBody.")) == (
        (
            "[curated] convention: Times are UTC\n"
            "    Every stored time has an offset of zero.\n"
            "\n"
            "[proposed] fact: Short\n"
            "    Body.\n"
        ),
        "2 entries\n",
    )


def test_a_pipe_gets_numbers_where_the_service_sends_them() -> None:
    output, _ = shown(listing(CURATED, HOSTILE, ids=[3, 12]))

    assert [line for line in output.splitlines() if line[:1].isdigit()] == [
        "3 [curated] convention: Times are UTC",
        "12 [proposed] gotcha: Red \\x1b[31malert",
    ]


def test_numbers_that_do_not_match_the_entries_are_not_guessed() -> None:
    output, _ = shown(listing(CURATED, HOSTILE, ids=[3]))

    assert output.startswith("[curated]")


@pytest.mark.parametrize("env", [None, {"NO_COLOR": "1", "COLUMNS": "80"}, {"NO_COLOR": "1", "COLUMNS": "40"}])
def test_a_body_cannot_pass_for_another_entry_or_steer_the_terminal(env: dict[str, str] | None) -> None:
    output, _ = shown(listing(HOSTILE), flags=Flags(full=True), env=env)

    assert not any(line.startswith(("[curated]", "curated", " curated")) for line in output.splitlines())
    assert "\x1b[31m" not in output
    assert "\x07" not in output
    assert "\\x1b[31malert" in output


@pytest.mark.parametrize("width", [20, 33, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    output, _ = shown(
        listing(CURATED, HOSTILE, LONG, WIDE, ids=[1, 2, 3, 4]), env={"TERM": "dumb", "COLUMNS": str(width)}
    )

    assert max(cell_len(STYLE.sub("", line)) for line in output.splitlines()) <= width
    assert output.count("漢") == 80


def test_a_terminal_gets_colours_unless_they_are_not_wanted() -> None:
    in_colour, _ = shown(listing(CURATED), env={"COLUMNS": "80", "TERM": "xterm-256color"})
    without, _ = shown(listing(CURATED), env={"COLUMNS": "80", "NO_COLOR": "1"})

    assert "\x1b[32mcurated" in in_colour
    assert "\x1b[3" not in without


def test_a_long_body_is_cut_at_a_terminal_unless_all_is_asked_for() -> None:
    cut, _ = shown(listing(LONG), env={"COLUMNS": "80"})
    whole, _ = shown(listing(LONG), flags=Flags(full=True), env={"COLUMNS": "80"})

    assert "14 more lines" in cut
    assert "line 7 " not in cut
    assert "line 20 [bold]as is[/bold] :smile:" in whole


def test_a_single_entry_is_shown_whole() -> None:
    at_terminal, _ = shown({"ok": True, "text": LONG}, View.ENTRY, env={"COLUMNS": "80"})
    in_pipe, _ = shown({"ok": True, "text": CURATED}, View.ENTRY)

    assert "line 20 " in at_terminal
    assert in_pipe == CURATED + "\n"


@pytest.mark.parametrize("view", [View.EVENTS, View.LINES])
def test_lines_go_to_a_pipe_as_they_are(view: View) -> None:
    reply = {"ok": True, "text": "Team demo", "entries": ["repo_url: https://h/a/b", "members: ada (maintainer)"]}

    assert shown(reply, view) == ("repo_url: https://h/a/b\nmembers: ada (maintainer)\n", "Team demo\n")


def test_nothing_found_is_no_output_and_a_summary() -> None:
    assert shown({"ok": True, "text": "0 entries found", "entries": []}) == ("", "0 entries found\n")


def test_a_sentence_is_the_output() -> None:
    assert shown({"ok": True, "text": "Entry 12 accepted."}, View.SENTENCE) == ("Entry 12 accepted.\n", "")


def test_a_refusal_goes_to_standard_error_without_what_steers_a_terminal() -> None:
    assert shown({"ok": False, "error": "no \x1b[2J"}) == ("", "kapelle: no \\x1b[2J\n")


def test_json_is_one_line_that_means_the_same() -> None:
    reply = listing(HOSTILE, WIDE, extra={"n": 1.5})

    output, _ = shown(reply, flags=Flags(json=True), env={"COLUMNS": "20"})

    assert output.count("\n") == 1
    assert json.loads(output) == json.loads(json.dumps(reply))
    assert "漢字" in output


def test_a_refusal_as_json_is_output_too() -> None:
    assert shown({"ok": False, "error": "no"}, flags=Flags(json=True)) == ('{"ok": false, "error": "no"}\n', "")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        b'{"ok": true}',
        b'{"ok": false}',
        b'{"ok": 1, "text": "t"}',
        b'{"ok": true, "text": "t", "entries": 5}',
    ],
)
def test_what_is_no_reply_is_not_taken_for_one(content: bytes) -> None:
    with pytest.raises(NoAnswer):
        request.decode(content)
