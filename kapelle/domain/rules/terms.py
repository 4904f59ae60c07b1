"""Words of a text as search sees them: identifiers whole and by parts, names with signs, scripts without spaces."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

# Scripts that put no space between words: kana, Han, Hangul, Thai, Lao, Myanmar, Khmer.
_SPACELESS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebc\u0ec0-\u0ece\u1000-\u109f\u1100-\u11ff\u1780-\u17d3"
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003134f"
)
_LETTER = rf"(?:[^\W{_SPACELESS}])"
_TOKEN = re.compile(
    rf"(?P<run>[{_SPACELESS}]+)"
    # C++, C#, F#, notepad++; not the sign before a word, as in a#b.
    rf"|(?P<signed>{_LETTER}+(?:\+\+|\#(?!\w)))"
    # .NET, .env, .gitignore; not the end of one sentence and the start of the next without a space.
    rf"|(?<![\w.)\]])(?P<dotted>\.[a-zA-Z]{_LETTER}*(?:[._-]+{_LETTER}+)*)"
    rf"|(?P<joined>{_LETTER}+(?:(?:::|://|[._/\\:@+=-]){_LETTER}+)*)"
)
_SEGMENTS = re.compile(r"[/\\@=+]|::|://")
_PARTS = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W\dA-Z_]+\d*|\d+")
_CLOSING = ".,;:!?)"
# Longer words are data, such as an encoded key: nobody types them, and their parts are indexed all the same.
_LONGEST = 120


def count_words(text: str) -> Counter[str]:
    """Count the words of a stored `text`: NFKC, case folded, compounds whole and by every part."""
    return Counter(_words(text, query=False))


def query_words(text: str, limit: int = 400) -> tuple[str, ...]:
    """Return the distinct words of the query `text` in order, at most `limit`. Never raises; may be empty."""
    found = dict.fromkeys(_words(text, query=True))
    return tuple(found)[:limit]


def _words(text: str, *, query: bool) -> Iterator[str]:
    # No token holds a space, and most of what stands between spaces is a plain word, which is its own only part.
    for chunk in unicodedata.normalize("NFKC", text).split():
        bare = chunk.rstrip(_CLOSING)
        if bare.islower() and bare.isascii() and bare.isalpha() and len(bare) <= _LONGEST:
            yield bare
        else:
            for match in _TOKEN.finditer(chunk):
                yield from _token(match, query=query)


def _token(match: re.Match[str], *, query: bool) -> Iterator[str]:
    token = match.group()
    if match.lastgroup == "run":
        yield from _grams(token, query=query)
    elif match.lastgroup == "signed":
        yield from _distinct(token, token.rstrip("+#") if len(token.rstrip("+#")) > 1 else token)
    elif match.lastgroup == "dotted":
        yield from _distinct(token, *_compound(token[1:]))
    else:
        yield from _distinct(*_compound(token))


def _grams(run: str, *, query: bool) -> Iterator[str]:
    """Yield overlapping pairs; single characters too where they are stored, so that a query of one finds them."""
    for start, character in enumerate(run):
        if not query or len(run) == 1:
            yield character
        if start + 2 <= len(run):
            yield run[start : start + 2]


def _compound(token: str) -> Iterator[str]:
    yield token
    for segment in _SEGMENTS.split(token):
        yield segment
        for part in _PARTS.split(segment):
            yield part
            yield from _CAMEL.findall(part) if part != part.lower() else ()


def _distinct(*words: str) -> Iterator[str]:
    """Yield each folded word of one token once: a plain word is its own only part."""
    folded = (word.casefold() for word in words)
    yield from dict.fromkeys(word for word in folded if 0 < len(word) <= _LONGEST)
