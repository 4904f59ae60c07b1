"""Making text of unknown origin harmless to a terminal, visibly and without losing any of it."""

import re

# What can move the cursor, recolour, reorder or hide text: the control characters but tab and newline, the marks and
# overrides of the bidirectional algorithm, line separators, invisible tag characters, and lone surrogates, which no
# terminal encoding can carry.
_HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def for_terminal(text: str) -> str:
    r"""Return `text` with every dangerous character written as its escape, such as `\x1b`."""
    return _HOSTILE.sub(_escape, text)


def one_line(text: str) -> str:
    """Return `text` harmless and on one line."""
    return for_terminal(text).replace("\n", "\\n").replace("\t", " ")


def for_json(document: str) -> str:
    """Return a JSON document with the same meaning in which dangerous characters are JSON escapes."""
    return _HOSTILE.sub(_json_escape, document)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("ascii", "backslashreplace").decode() if match[0] > "\x7f" else f"\\x{ord(match[0]):02x}"


def _json_escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(units[at : at + 2]):04x}" for at in range(0, len(units), 2))
