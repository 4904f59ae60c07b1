"""Credentials in one part of a draft: every view of it, every family of rules, one finding a place."""

from collections.abc import Iterator
from typing import Final

from kapelle.domain.rules.scan import tokens_cloud, tokens_code, tokens_services, views
from kapelle.domain.rules.scan.places import Part
from kapelle.domain.rules.scan.tokens import Hit, table
from kapelle.domain.rules.scan.views import View
from kapelle.domain.scan import Finding

ADVICE: Final = "write a placeholder such as <TOKEN> instead"

_ROWS: Final = tokens_code.TOKENS + tokens_cloud.TOKENS + tokens_services.TOKENS
_TOKENS: Final = table(_ROWS)
_FREE_TOKENS: Final = table(row for row in _ROWS if row.free)


def findings(part: Part) -> list[Finding]:
    """Return the credentials in the part, in the order of the text and one for each place."""
    found: dict[int, tuple[int, Hit]] = {}
    for view, hit in _hits(part):
        start, end = view.span(hit.start, hit.end)
        if not any(start < other_end and other < end for other, (other_end, _) in found.items()):
            found[start] = (end, hit)
    return [part.finding(hit.rule, hit.what, start, ADVICE) for start, (_, hit) in sorted(found.items(), key=lambda item: item[0])]


def _hits(part: Part) -> Iterator[tuple[View, Hit]]:
    seen: list[View] = [part.canon] if part.canon is part.raw else [part.canon, part.raw]
    for view in seen:
        yield from ((view, hit) for hit in _TOKENS.hits(view.text))
    folded = views.folded(part.canon)
    if folded:
        yield from ((folded, hit) for hit in _TOKENS.hits(folded.text))
    joined = views.joined(folded or part.canon)
    if joined is not (folded or part.canon):
        yield from ((joined, hit) for hit in _FREE_TOKENS.hits(joined.text))
    closed = views.squeezed_text(part.canon)
    if len(closed) != len(part.canon.text) and any(True for _ in _FREE_TOKENS.hits(closed)):
        squeezed = views.squeezed(part.canon)
        yield from ((squeezed, hit) for hit in _FREE_TOKENS.hits(squeezed.text))
    for inner in views.decoded(joined):
        yield from ((inner, hit) for hit in _TOKENS.hits(inner.text))
        for innermost in views.decoded(inner):
            yield from ((innermost, hit) for hit in _TOKENS.hits(innermost.text))
