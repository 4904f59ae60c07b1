"""Canonical views of a text, each with a map back to the original, so that what is found can be named and cut exactly.

A view is its text and the edits that made it from its parent: every step is linear, and composing them is following
parents.
"""

import base64
import binascii
import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

from kapelle.domain.rules.scan.reading import lowered, vocabulary

# One character may become at most this many under NFKC; the rest (U+FDFA becomes 18) stay as they are.
_MAX_EXPANSION: Final = 4
_ROUNDS: Final = 3
# Above this many distinct characters one translation is cheaper than a replacement for each.
_MAX_REPLACEMENTS: Final = 100
_MIN_PRINTABLE: Final = 0.97

# Default-ignorable, format, bidi, tag and variation characters, fillers, and controls that are not white space.
INVISIBLE: Final = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a"
    "-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_INVISIBLE: Final = re.compile(f"[{INVISIBLE}]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

# Every alternative begins with a literal: the engine then skips to candidates instead of trying each position.
_ESCAPE: Final = re.compile(
    r"&(?:\#[0-9]{1,7};?|\#[xX][0-9A-Fa-f]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};)"
    r"|%(?:[0-7][0-9A-Fa-f]|[89A-Fa-f][0-9A-Fa-f](?:%[89A-Fa-f][0-9A-Fa-f]){0,63})"
    r"|\\(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|[nrt]|[!-/:-@\[-`{-~])"
)
_IN_WORD: Final = re.compile(
    r"<(?:!--[^>]{0,80}-->|/?(?:wbr|b|i|em|strong|span|u|s|code|sub|sup|mark|small|kbd|font|big|tt|ins|del)[ ]?/?>)"
    r"|\*\*?\*?|~~"
)
_NEIGHBOUR: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.:@~%")
_CONTROL_ESCAPES: Final = {"\\n": "\n", "\\r": "\n", "\\t": "\t"}

_JOINT: Final = re.compile(
    r"""[\\\r\n"'`](?:(?<=\\)\r?\n[ \t>]{0,24}|(?<=\r)\n[ \t>]{0,24}|(?<=\n)[ \t>]{0,24}"""
    r"""|(?<=["'`])[ \t]{0,8}[+.]?[ \t]{0,8}\\?(?:\r?\n[ \t]{0,24})?[+.]?[ \t]{0,4}["'`])"""
)
_SQUEEZE_CHARACTERS: Final = " \t\r\n\f\v\"'`+\\,|>"
_SQUEEZE_TABLE: Final = str.maketrans("", "", _SQUEEZE_CHARACTERS)
_SQUEEZED: Final = re.compile(r"""[ \t\r\n\f\v"'`+\\,|>]+""")

_MIN_RUN: Final = 20
_BASE64_RUN: Final = re.compile(r"[A-Za-z0-9+/_\-]{20,}={0,2}")
_MIN_PIECE: Final = 16
_MIN_ALPHA: Final = 48
_BASE64_PIECE: Final = re.compile(r"[A-Za-z0-9+/_\-]{16,}={0,2}")
_HEX_ONLY: Final = re.compile(r"(?:[0-9A-Fa-f]{2}){8,}[0-9A-Fa-f]?")
_PRINTABLE: Final = bytes(range(0x20, 0x7F)) + b"\t\r\n"

# Letters that look like ASCII ones: Cyrillic, Greek, Armenian, Cherokee and a few Latin extras. One to one, so that
# the map stays the identity.
_LOOKALIKES: Final[dict[int, int]] = str.maketrans(
    "аеорсухіѕјһԁԛԝвнкмтАВСЕНІЈКМОРЅТХУԌԚԜЗαονρικτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսցոհքՕՍΙᎪᏴᏟᎬᎻᎫᏦᏞᎷᏢᏚᎢᏙᎳᏃıɡɑȷℓ‐‑‒–—−․∕",
    "aeopcyxisjhdqwbhkmtABCEHIJKMOPSTXYGQW3aovpiktuxABEZHIKMNOPTYXougnhpOUIABCEHJKLMPSTVWZigajl------./",
)


# Without slots, so that what several jobs read of it can be kept beside it.
@dataclass(frozen=True, eq=False)
class View:
    """A text made from a parent by edits.

    Edit i put `text[starts[i]:ends[i]]` where the parent had `[origin_starts[i]:origin_ends[i]]`.
    """

    text: str
    parent: "View | None" = None
    starts: tuple[int, ...] = field(default=(), repr=False)
    ends: tuple[int, ...] = field(default=(), repr=False)
    origin_starts: tuple[int, ...] = field(default=(), repr=False)
    origin_ends: tuple[int, ...] = field(default=(), repr=False)

    @cached_property
    def low(self) -> str:
        """The text in lower case, character by character."""
        return lowered(self.text)

    @cached_property
    def words(self) -> set[str]:
        """The words of the text in lower case; not to be changed."""
        return vocabulary(self.low)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original's half-open span that `text[start:end]` came from; `start < end`."""
        view: View | None = self
        while view is not None and view.parent is not None:
            start, end = view.origin_start(start), view.origin_end(end)
            view = view.parent
        return start, max(start, end)

    def origin_start(self, position: int) -> int:
        """Return where in the parent the character at a position begins."""
        edit = bisect_right(self.starts, position) - 1
        if edit < 0:
            return position
        if position < self.ends[edit]:
            return self.origin_starts[edit]
        return self.origin_ends[edit] + position - self.ends[edit]

    def origin_end(self, position: int) -> int:
        """Return where in the parent the character before a position ends."""
        last = position - 1
        edit = bisect_right(self.starts, last) - 1
        if edit < 0:
            return position
        if last < self.ends[edit]:
            return self.origin_ends[edit]
        return self.origin_ends[edit] + position - self.ends[edit]


def rewritten(view: View, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str | None]) -> View:
    """Return the view with each match replaced (None leaves it); the view itself when nothing changed."""
    text, pieces, at, length = view.text, [], 0, 0
    starts, ends, origin_starts, origin_ends = [], [], [], []
    for match in pattern.finditer(text):
        new = replace(match)
        if new is None:
            continue
        pieces.append(text[at : match.start()])
        pieces.append(new)
        length += match.start() - at
        starts.append(length)
        length += len(new)
        ends.append(length)
        origin_starts.append(match.start())
        origin_ends.append(at := match.end())
    if not starts:
        return view
    pieces.append(text[at:])
    return View("".join(pieces), view, tuple(starts), tuple(ends), tuple(origin_starts), tuple(origin_ends))


def same_length(view: View, text: str) -> View:
    """Return a view whose text differs character by character, with the identity map."""
    return view if text == view.text else View(text, view)


def unusual(text: str) -> str:
    """Return the distinct characters of the text that are not printable ASCII or white space."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PRINTABLE)
    return "".join(set(rest.decode("utf-8", "surrogatepass"))) if rest else ""


def raw(text: str) -> View:
    """Return the original as a view, with lone surrogates (which no store and no encoder accepts) as U+FFFD."""
    return View(_storable(text))


def canon(view: View) -> View:
    """Return the text as a reader sees it: nothing invisible, NFKC, and entities, escapes and Markdown undone."""
    view = _plain(view)
    for _ in range(_ROUNDS):
        before = view
        view = _unescaped(view)
        if view is before:
            break
        view = _plain(view)
    return _unmarked(view)


def folded(view: View) -> View | None:
    """Return the view with look-alike letters as ASCII, or None when there are none."""
    found = {ord(character): new for character in unusual(view.text) if (new := _LOOKALIKES.get(ord(character)))}
    return same_length(view, _replaced(view.text, found)) if found else None


def joined(view: View) -> View:
    """Return the view with wrapped and quoted lines, continuations and concatenations inside tokens closed."""
    text = view.text

    def close(match: re.Match[str]) -> str | None:
        before, after = match.start() - 1, match.end()
        if before < 0 or after >= len(text) or text[before] not in _NEIGHBOUR or text[after] not in _NEIGHBOUR:
            return None
        return ""

    return rewritten(view, _JOINT, close)


def squeezed_text(view: View) -> str:
    """Return the view's text without white space, quotes and joining signs; `squeezed` gives the same with a map."""
    text = view.text
    if text.isascii():
        return text.translate(_SQUEEZE_TABLE)
    # Translating other texts is many times slower than replacing what they hold.
    text = "".join(text.split())
    for character in _SQUEEZE_CHARACTERS:
        text = text.replace(character, "")
    return text


def squeezed(view: View) -> View:
    """Return the view without white space, quotes and joining signs, mapped."""
    return rewritten(view, _SQUEEZED, lambda _: "")


def decoded(view: View) -> Iterator[View]:
    """Yield the plain texts that base64 or hexadecimal runs of the view decode to; the caller sets the limit."""
    at = 0
    for run in _runs(view.text):
        text = _decoded_run(run)
        if text is None:
            continue
        at = view.text.index(run, at)
        yield View(text, view, (0,), (len(text),), (at,), (at + len(run),))
        at += len(run)


def may_decode(text: str) -> bool:
    """Say whether the long words of a text hold a run that may be the start of something encoded, wrapped or not."""
    return any(map(_is_encoded, _BASE64_PIECE.findall(text)))


def _is_encoded(run: str) -> bool:
    """Say whether a run may be base64 or hexadecimal of text, rather than a path or a name."""
    if run.islower() or run.isupper():
        return _HEX_ONLY.fullmatch(run) is not None
    return not run.isalpha() or len(run) > _MIN_ALPHA


def _runs(text: str) -> Iterator[str]:
    for word in text.split():
        if len(word) >= _MIN_RUN:
            yield from filter(_is_encoded, _BASE64_RUN.findall(word))


def _plain(view: View) -> View:
    rare = unusual(view.text)
    if not rare:
        return view
    if _INVISIBLE.search(rare):
        view = rewritten(view, _INVISIBLE, lambda _: "")
    return _compatible(view, rare)


def _compatible(view: View, rare: str) -> View:
    single: dict[int, str] = {}
    several: dict[str, str] = {}
    for character in rare:
        new = _nfkc(character)
        if new == character or len(new) > _MAX_EXPANSION:
            continue
        if len(new) == 1:
            single[ord(character)] = new
        else:
            several[character] = new
    if single:
        view = same_length(view, _replaced(view.text, single))
    if several:
        pattern = re.compile("[" + re.escape("".join(several)) + "]")
        view = rewritten(view, pattern, lambda match: several[match[0]])
    return view


def _replaced(text: str, table: dict[int, str] | dict[int, int]) -> str:
    if len(table) > _MAX_REPLACEMENTS:
        return text.translate(table)
    for character, new in table.items():
        text = text.replace(chr(character), new if isinstance(new, str) else chr(new))
    return text


@lru_cache(maxsize=4096)
def _nfkc(character: str) -> str:
    return character if character.isascii() else unicodedata.normalize("NFKC", character)


def _unescaped(view: View) -> View:
    text = view.text
    if "&" not in text and "%" not in text and "\\" not in text:
        return view
    return rewritten(view, _ESCAPE, _unescape)


def _unescape(match: re.Match[str]) -> str | None:
    token = match[0]
    if token[0] == "&":
        new = html.unescape(token)
        return None if new == token else _storable(new)
    if token[0] == "%":
        return bytes.fromhex(token.replace("%", "")).decode("utf-8", "replace")
    if token in _CONTROL_ESCAPES:
        return _CONTROL_ESCAPES[token]
    if len(token) == 2:
        return token[1]
    return _code_point(token[2:].strip("{}"))


def _code_point(digits: str) -> str | None:
    value = int(digits, 16)
    return None if value > 0x10FFFF else _storable(chr(value))


def _storable(text: str) -> str:
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _unmarked(view: View) -> View:
    text = view.text
    if "*" not in text and "<" not in text and "~~" not in text:
        return view

    def unmark(match: re.Match[str]) -> str | None:
        before, after = match.start() - 1, match.end()
        if before < 0 or after >= len(text):
            return None
        if match[0] == "*":
            # A lone star is emphasis only between letters; elsewhere it stands for anything.
            return "" if text[before].isalnum() and text[after].isalnum() else None
        inside = text[before] in _NEIGHBOUR or text[before] in ">*"
        return "" if inside and (text[after] in _NEIGHBOUR or text[after] == "<") else None

    return rewritten(view, _IN_WORD, unmark)


def _decoded_run(run: str) -> str | None:
    for data in _decodings(run):
        if data is not None and _mostly_printable(data):
            return data.decode("utf-8", "replace")
    return None


def _decodings(run: str) -> Iterator[bytes | None]:
    if _HEX_ONLY.fullmatch(run) and len(run) % 2 == 0:
        yield bytes.fromhex(run)
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    # A letter glued to the end, as of a wrapped line, is dropped.
    body = body[: len(body) - (len(body) % 4 == 1)]
    yield _from_base64(body)


def _from_base64(body: str) -> bytes | None:
    head = _strict_base64(body[:24])
    if head is None or not _mostly_printable(head[:15]):
        return None
    return _strict_base64(body)


def _strict_base64(body: str) -> bytes | None:
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return None


def _mostly_printable(data: bytes) -> bool:
    if not data:
        return False
    # Text in UTF-8 counts as printable; a stray byte in a thousand does not hide a file.
    unprintable = len(data.translate(None, _PRINTABLE))
    if unprintable == 0:
        return True
    if unprintable / len(data) <= 1 - _MIN_PRINTABLE:
        return True
    try:
        return data.decode("utf-8").isprintable()
    except UnicodeDecodeError:
        return False
