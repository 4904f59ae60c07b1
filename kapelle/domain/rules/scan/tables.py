"""Credentials in the column of a Markdown table whose head announces them."""

import re
from collections.abc import Iterator
from typing import Final

from kapelle.domain.rules.scan.shapes import WEAK, is_numbered_noun
from kapelle.domain.rules.scan.tokens import Hit
from kapelle.domain.rules.scan.values import is_secret, value_at
from kapelle.domain.rules.scan.words import Family, Word

_DELIMITER: Final = re.compile(r"\n[ \t>]{0,8}\|?[ \t]*:?-{2,}[-:| \t]*(?:\n|$)")
_MAX_ROWS: Final = 50


def hits(text: str, word: Word) -> Iterator[Hit]:
    """Yield the secrets below the word, if it stands in the head of a table."""
    if word.family is Family.LOGIN:
        return
    line_end = text.find("\n", word.end)
    line_start = text.rfind("\n", 0, word.start) + 1
    above = text.rfind("\n", 0, max(0, line_start - 1)) + 1
    if line_end < 0 or text.find("|", line_start, line_end) < 0 or text.find("|", above, line_start) >= 0:
        return
    delimiter = _DELIMITER.match(text, line_end)
    if delimiter is None:
        return
    column = text.count("|", line_start, word.start)
    at = delimiter.end()
    for _ in range(_MAX_ROWS):
        line_end = text.find("\n", at)
        end = line_end if line_end >= 0 else len(text)
        start = _cell(text, at, end, column)
        if start < 0:
            return
        value = value_at(text, start)
        if value and value.end <= end and is_secret(value, word.family, WEAK) and not is_numbered_noun(value.text):
            yield Hit("table-column", "a credential in a table", value.start, value.end)
        at = end + 1


def _cell(text: str, at: int, end: int, column: int) -> int:
    """Return where the content of a row's cell begins, or -1 when the line is no row."""
    for _ in range(column):
        at = text.find("|", at, end) + 1
        if at == 0:
            return -1
    while at < end and text[at] in " \t":
        at += 1
    return at if text.find("|", 0 if column == 0 else at - 1, end) >= 0 or column else -1
