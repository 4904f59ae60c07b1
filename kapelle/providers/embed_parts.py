"""Long text in parts that fit a model's window, so that a fact in the last line has a vector too."""

import re
from collections.abc import Iterator

# Of the window: the estimate below is a little low for hex and base64, and the model adds two tokens of its own.
_SHARE = 0.8
# A title repeated before every part keeps its subject; a long one may not crowd the part out.
_TITLE_SHARE = 0.25
# What word piece tokenizers make a token of: up to four letters, a sign, or a character of a script without spaces.
_PIECE = re.compile(r"[\u0e00-\u1fff\u2e80-\uffff\U00010000-\U0010ffff]|\w{1,4}|[^\w\s]")
# Where to cut, best first: paragraphs, lines, sentences, words.
_SEAMS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?;。!?])\s*"), re.compile(r"\s+"))


def estimate_tokens(text: str) -> int:
    """Estimate from above how many tokens a model makes of `text`."""
    return sum(1 for _ in _PIECE.finditer(text))


def split(title: str, body: str, window: int) -> tuple[str, ...]:
    """Return `title` and `body` as one text, or as several that each fit `window` tokens and start with the title."""
    whole = f"{title}\n{body}".strip()
    room = max(16, int(window * _SHARE))
    if estimate_tokens(whole) <= room:
        return (whole,)
    head = first_part(title, int(room * _TITLE_SHARE))
    parts = _packed(body, room - estimate_tokens(head))
    return tuple(f"{head}\n{part}".strip() for part in parts) or (head,)


def first_part(text: str, room: int) -> str:
    """Return the beginning of `text`, at most `room` tokens long by the estimate."""
    end = len(text)
    for count, piece in enumerate(_PIECE.finditer(text)):
        if count == room:
            end = piece.start()
            break
    return text[:end].rstrip()


def _packed(text: str, room: int) -> Iterator[str]:
    """Yield runs of neighbouring pieces, as long as fits."""
    current, used = "", 0
    for piece in _pieces(text, room, 0):
        size = estimate_tokens(piece)
        if used + size > room and current.strip():
            yield current.strip()
            current, used = "", 0
        current += piece
        used += size
    if current.strip():
        yield current.strip()


def _pieces(text: str, room: int, seam: int) -> Iterator[str]:
    """Yield `text` cut at the best seams that make every piece fit; their concatenation is the text."""
    if estimate_tokens(text) <= room:
        yield text
        return
    if seam == len(_SEAMS):
        yield from _slices(text, room)
        return
    start = 0
    for match in _SEAMS[seam].finditer(text):
        if match.end() > start:
            yield from _pieces(text[start : match.end()], room, seam + 1)
            start = match.end()
    if start < len(text):
        yield from _pieces(text[start:], room, seam + 1)


def _slices(text: str, room: int) -> Iterator[str]:
    starts = [piece.start() for piece in _PIECE.finditer(text)][::room]
    for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True):
        yield text[start:end]
