"""Reading the value that stands at a place, and judging it by what was announced."""

import re
from dataclasses import dataclass
from typing import Final

from kapelle.domain.rules.scan.placeholders import is_filler, is_hex, is_placeholder, is_public, is_stop_word, is_uuid
from kapelle.domain.rules.scan.shapes import (
    MEDIUM,
    NONE,
    STRONG,
    WEAK,
    is_identifier,
    is_machine_drawn,
    is_numbered_noun,
    typed_strength,
)
from kapelle.domain.rules.scan.words import Family

_MIN_HEX: Final = 20
_MIN_WORD: Final = 6
_OPEN: Final = r"[ \t]{0,2}(?:[*_(\[\\]{1,3}|[brN](?=[\"'])|!!str )?"
_VALUE: Final = re.compile(
    _OPEN + r"(?:(?P<quote>[\"'`]{1,3})(?P<quoted>[^\n]{1,300}?)(?P=quote)|[“«„‘「](?P<fancy>[^\n]{1,200}?)[”»“’」]"
    r"|(?P<bare>[^\s\"'`<>“”«»]{1,300}))"
)
_CUT: Final = re.compile(
    r"&(?:amp;)?[\w.\-]+=|;\s{0,3}[A-Za-z][\w \-]{0,30}=|;$|,\s{0,3}[\"']?[A-Za-z][\w.\-]{0,60}[\"']?\s{0,2}[:=]"
    r"|\\n|\\\"|[。，；、）]"
)
_TRAILING: Final = ".,;:)]}*_\\|"


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it stands at `text[start:end]`."""

    text: str
    start: int
    end: int
    # In quotes, backticks or bold: its writer marked it as one thing, verbatim.
    quoted: bool


def value_at(text: str, at: int) -> Value | None:
    """Return the value that begins at a place, without its quotes and the punctuation of the sentence."""
    match = _VALUE.match(text, at)
    if match is None:
        return None
    group = match.lastgroup if match.lastgroup != "quote" else "quoted"
    content = match[group or "bare"]
    start = match.start(group or "bare")
    cut = _CUT.search(content)
    if cut and cut.start() > 0:
        content = content[: cut.start()]
    if group == "bare":
        content = content.rstrip(_TRAILING)
    marked = group != "bare" or "*" in text[match.start() : start]
    return Value(content, start, start + len(content), marked) if content else None


def is_secret(value: Value, family: Family, need: int) -> bool:
    """Say whether a value is what was announced; `need` is the strength that the grammar leaves to ask of it."""
    content = value.text
    if family is Family.SOME_KEY:
        return is_machine_drawn(content) and _is_opaque(content)
    if " " in content.strip():
        return family is Family.PASSWORD and _is_phrase(value)
    if is_machine_drawn(content) or (family is not Family.PASSWORD and _is_number(content)):
        return True
    return (value.quoted or not is_identifier(content)) and _is_typed(content, family, need)


def _is_opaque(content: str) -> bool:
    """Say whether a drawn value is neither a number nor a public key: cases and digits mixed, and long."""
    return (
        len(content) >= _MIN_HEX
        and not content.startswith("AAAA")
        and any(c.islower() for c in content)
        and any(c.isupper() for c in content)
        and any(c.isdigit() for c in content)
    )


def _is_typed(content: str, family: Family, need: int) -> bool:
    strength = typed_strength(content)
    if family is Family.PASSWORD:
        return strength >= need
    if family is Family.SECRET:
        return strength >= max(need, MEDIUM) and len(content) >= _MIN_WORD
    return strength >= STRONG and len(content) >= 2 * _MIN_WORD


def is_plain_password(value: Value) -> bool:
    """Say whether a marked value is a plain word: only its place can say that it is a password."""
    content = value.text
    return (
        value.quoted
        and len(content) >= _MIN_WORD
        and content.isalpha()
        and content.isascii()
        and not is_stop_word(content)
        and not is_placeholder(content)
        and not is_identifier(content)
    )


def _is_number(content: str) -> bool:
    if is_uuid(content):
        return True
    return (
        is_hex(content)
        and len(content) >= _MIN_HEX
        and not is_filler(content)
        and not is_public(content)
        and any(c.isalpha() for c in content)
        and any(c.isdigit() for c in content)
    )


def _is_phrase(value: Value) -> bool:
    """Say whether a marked value is a passphrase of several plain words."""
    parts = value.text.split()
    if not value.quoted or not 4 <= len(parts) <= 10 or is_placeholder(value.text):
        return False
    return all(
        part.isalpha() and part.islower() and len(part) > 2 for part in parts
    ) and not _FUNCTION_WORDS.intersection(parts)


_FUNCTION_WORDS: Final = frozenset(
    "the and for with from that this must not you your are was has have can cannot will use see ask when where"
    " which then than into only who how what all any our its must should please enter set get new old same at"
    " least password passphrase".split()
)

__all__ = [
    "MEDIUM",
    "NONE",
    "STRONG",
    "WEAK",
    "Value",
    "is_numbered_noun",
    "is_plain_password",
    "is_secret",
    "value_at",
]
