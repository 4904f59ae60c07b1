"""Where the body of an entry comes from: an argument, standard input, a file, or the person's editor."""

import shlex
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from kapelle.adapters.cli.outcomes import UsageFault


def nothing() -> str:
    """Let the editor start with an empty page."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bodies:
    """The places that a body can come from in this run."""

    stdin: BinaryIO
    folder: Path
    editor: str
    # What the editor starts with; asked for only when it is opened.
    original: Callable[[], str] = nothing

    def read(self, argument: str | None, file: str | None) -> str:
        """Return the body, without the line ends that files and editors put at the end.

        Raises:
            UsageFault: it was given twice, or not at all, or cannot be read as UTF-8, or is blank.
        """
        if argument is not None and file is not None:
            raise UsageFault("give the body as an argument or with --file, not both")
        body = self._found(argument, file)
        if not body.strip():
            raise UsageFault("the body is empty; nothing was sent")
        return body

    def _found(self, argument: str | None, file: str | None) -> str:
        if file is not None:
            return _decoded(self._content(file), file)
        if argument == "-":
            return _decoded(self.stdin.read(), "standard input")
        if argument is not None:
            return argument
        return self._edited()

    def _content(self, file: str) -> bytes:
        try:
            return (self.folder / file).read_bytes()
        except OSError as error:
            raise UsageFault(f"{file} cannot be read: {error.strerror}") from None

    def _edited(self) -> str:
        if not self.stdin.isatty():
            raise UsageFault("the body is missing; give it as an argument, with --file, or as - for standard input")
        if not self.editor:
            raise UsageFault("the body is missing; give it as an argument or with --file, or set EDITOR to write it")
        with tempfile.NamedTemporaryFile(prefix="kapelle-", suffix=".md") as draft:
            draft.write(self.original().encode())
            draft.flush()
            try:
                finished = subprocess.run(  # noqa: S603 -- the person's own editor, without a shell
                    [*shlex.split(self.editor), draft.name], check=False
                )
            except (OSError, ValueError):
                raise UsageFault(f"the editor {self.editor!r} cannot be started; nothing was sent") from None
            if finished.returncode:
                raise UsageFault("the editor ended with an error; nothing was sent")
            # Editors replace the file as often as they rewrite it, so it is read by its name.
            return _decoded(Path(draft.name).read_bytes(), "the editor's file")


def _decoded(content: bytes, origin: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageFault(f"{origin} is not UTF-8 text") from None
    return text.rstrip("\r\n")
