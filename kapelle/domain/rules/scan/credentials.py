"""Credentials in one part of a draft: every view of it, every family of rules, one finding a place."""

from collections.abc import Callable, Iterator
from typing import Final

from kapelle.domain.rules.scan import (
    assignments,
    flags,
    headers,
    keys,
    prose,
    tables,
    tokens_cloud,
    tokens_code,
    tokens_services,
    urls,
    views,
    words,
)
from kapelle.domain.rules.scan.places import Part
from kapelle.domain.rules.scan.tokens import Hit, Rows, dense_words, hits, table, too_dense
from kapelle.domain.rules.scan.views import View
from kapelle.domain.scan import Finding

ADVICE: Final = "write a placeholder such as <TOKEN> instead"

_ENOUGH: Final = 20
_MAX_WORD: Final = 32
_MAX_DECODED: Final = 200
_MAX_DECODED_SIZE: Final = 65_536
# A word costs what its rules cost. A text with more of them than this is refused, since it cannot be checked in time.
_EFFORT: Final = {words.Family.PASSWORD: 8, words.Family.LOGIN: 8}
_MAX_EFFORT: Final = 3_000
_TOKENS: Final = table(tokens_code.TOKENS + tokens_cloud.TOKENS + tokens_services.TOKENS)


def _unhurried() -> None:
    """Let a search take its time."""


def findings(part: Part, check: Callable[[], None] = _unhurried) -> list[Finding]:
    """Return the credentials in the part, in the order of the text and one for each place.

    One is enough to refuse, so twenty end the search. `check` is called between families of rules, and may raise.
    """
    if is_word(part.raw.text):
        return []
    found: dict[int, tuple[int, Hit]] = {}
    for view, hit in _hits(part, check):
        start, end = view.span(hit.start, hit.end)
        if not any(start < other_end and other < end for other, (other_end, _) in found.items()):
            found[start] = (end, hit)
        if len(found) == _ENOUGH:
            break
    return [
        part.finding(hit.rule, hit.what, start, ADVICE)
        for start, (_, hit) in sorted(found.items(), key=lambda item: item[0])
    ]


def is_word(text: str) -> bool:
    """Say whether a text is one short word of letters, as most tags are: too little to hold anything."""
    return text.isascii() and len(text) <= _MAX_WORD and text.replace("-", "").isalpha()


def _hits(part: Part, check: Callable[[], None]) -> Iterator[tuple[View, Hit]]:
    canon = part.canon
    folded = views.folded(canon)
    closed = views.squeezed_text(canon)
    dense = dense_words(canon.text)
    rows = _TOKENS.candidates(dense, closed)
    yield from _view_hits(canon, rows, dense)
    check()
    if part.raw is not canon:
        # What escapes hide is found in the canonical view; addresses and commands are judged as they are written, too.
        yield from ((part.raw, hit) for hit in _verbatim_hits(part.raw))
    if folded:
        folded_dense = dense_words(folded.text)
        rows += _TOKENS.candidates(folded_dense, views.squeezed_text(folded))
        yield from _view_hits(folded, rows, folded_dense)
    check()
    may_decode = views.may_decode(dense)
    if rows or may_decode:
        joined = views.joined(folded or canon)
        yield from _closed_hits(canon, closed, joined, rows)
        check()
        if may_decode:
            yield from _decoded_hits(joined, depth=2)


def _view_hits(view: View, rows: Rows, dense: str) -> Iterator[tuple[View, Hit]]:
    yield from ((view, hit) for hit in hits(view.text, rows))
    yield from ((view, hit) for hit in _TOKENS.shape_hits(view.text, dense))
    yield from ((view, hit) for hit in _context_hits(view))


def _context_hits(view: View) -> Iterator[Hit]:
    text, low = view.text, view.low
    yield from keys.hits(text, low)
    yield from urls.hits(text)
    yield from headers.hits(text, low)
    yield from flags.hits(text, low)
    effort = 0
    for word in words.words(low):
        effort += _EFFORT.get(word.family, 2)
        if effort > _MAX_EFFORT:
            yield too_dense(word.start)
            return
        yield from assignments.hits(text, low, word)
        yield from prose.hits(text, low, word)
        yield from tables.hits(text, word)


def _verbatim_hits(view: View) -> Iterator[Hit]:
    yield from urls.hits(view.text)
    yield from flags.hits(view.text, view.low)


def _closed_hits(canon: View, closed: str, joined: View, rows: Rows) -> Iterator[tuple[View, Hit]]:
    yield from ((joined, hit) for hit in hits(joined.text, rows, free=True))
    if any(True for _ in hits(closed, rows, free=True)):
        squeezed = views.squeezed(canon)
        yield from ((squeezed, hit) for hit in hits(squeezed.text, rows, free=True))


def _decoded_hits(view: View, depth: int) -> Iterator[tuple[View, Hit]]:
    size = 0
    for count, inner in enumerate(views.decoded(view)):
        size += len(inner.text)
        if count > _MAX_DECODED or size > _MAX_DECODED_SIZE:
            yield inner, too_dense(0)
            return
        dense = dense_words(inner.text)
        yield from _view_hits(inner, _TOKENS.candidates(dense, inner.text), dense)
        if depth > 1:
            yield from _decoded_hits(inner, depth - 1)
