"""A bar on the terminal for what takes a while."""

import shutil
from dataclasses import dataclass
from typing import TextIO

_WIDTH = 30


@dataclass(frozen=True, slots=True)
class Bar:
    """Draws on a stream if that is a terminal, and nothing otherwise."""

    stream: TextIO

    def show(self, done: int, total: int, words: str) -> None:
        """Draw how much is done, over what was drawn before."""
        if self.stream.isatty():
            filled = _WIDTH * done // max(1, total)
            line = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total} {words}"
            self.stream.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
            self.stream.flush()

    def clear(self) -> None:
        """Take the bar away, so that the line is free."""
        if self.stream.isatty():
            self.stream.write("\r\x1b[K")
            self.stream.flush()
