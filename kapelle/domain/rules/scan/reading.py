"""How the rules look around in a text: bounded windows and jumps between occurrences, so that each is linear."""

import re
from collections.abc import Iterator
from typing import Final

# Scripts from here on write words without spaces between them.
_UNSPACED: Final = "\u2e80"
_LETTERS: Final = str.maketrans({code: " " for code in range(128) if not chr(code).isalpha()})
_WORD: Final = re.compile(r"[^\W\d_]+")


def lowered(text: str) -> str:
    """Return the text in lower case with every character at its place; characters whose lower case is longer stay."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(new if len(new := character.lower()) == 1 else character for character in text)


def vocabulary(low: str) -> set[str]:
    """Return the words of a text: runs of letters, so that `user_ssn2` holds "user" and "ssn"."""
    return set(low.translate(_LETTERS).split()) if low.isascii() else set(_WORD.findall(low))


def line_before(low: str, start: int, length: int) -> str:
    """Return at most `length` characters before a place, on its line."""
    return low[max(0, start - length) : start].rpartition("\n")[2]


def words(low: str, stem: str) -> Iterator[int]:
    """Yield where words that begin with the stem begin; not inside a placeholder such as `[PHONE]`."""
    unspaced = stem[0] >= _UNSPACED
    at = low.find(stem)
    while at >= 0:
        before = low[at - 1] if at else " "
        if unspaced or not (before.isalnum() or before == "["):
            yield at
        at = low.find(stem, at + 1)
