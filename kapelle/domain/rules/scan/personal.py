"""Personal data: where it stands in a text, and the text with typed placeholders in its place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kapelle.domain.rules.scan.hits import Confidence, Personal, PersonalHit
from kapelle.domain.rules.scan.personal_ids import identities
from kapelle.domain.rules.scan.personal_mail import addresses
from kapelle.domain.rules.scan.personal_numbers import numbers
from kapelle.domain.rules.scan.personal_spans import Span
from kapelle.domain.rules.scan.views import View

# What stands beside a placeholder may only then be seen for what it is; two rounds have always been enough.
_ROUNDS: Final = 6
# Where two kinds overlap, the one with the stricter check tells what it is.
_RANK: Final = {
    kind: rank
    for rank, kind in enumerate(
        (Personal.PHONE, Personal.IP, Personal.DATE, Personal.EMAIL, Personal.ID, Personal.CARD, Personal.IBAN)
    )
}


def find(view: View) -> tuple[PersonalHit, ...]:
    """Return the personal data of a text, read in one view of it, as disjoint spans of the original, in order.

    The text with all of it redacted holds none.
    """
    found: list[PersonalHit] = []
    for _ in range(_ROUNDS):
        spans = _disjoint([*_spans(view)])
        if not spans:
            break
        found += [_hit(view, span) for span in spans]
        view = _redacted(view, spans)
    return _merged(found)


def redact(text: str, hits: Sequence[PersonalHit]) -> str:
    """Return the original text with each hit replaced by its placeholder, such as `[EMAIL]`, and nothing else."""
    pieces, at = [], 0
    for hit in hits:
        pieces += [text[at : hit.start], placeholder(hit)]
        at = hit.end
    return "".join([*pieces, text[at:]])


def redacted(view: View, hits: Sequence[PersonalHit]) -> View:
    """Return the original `view` as `redact` leaves it, mapped back to the original."""
    return _redacted(view, [Span(hit.kind, hit.start, hit.end, hit.confidence) for hit in hits])


def placeholder(hit: PersonalHit) -> str:
    """Return what stands in a redacted text where the hit was."""
    return f"[{hit.kind}]"


def _spans(view: View) -> Iterator[Span]:
    yield from addresses(view.low)
    yield from numbers(view.low, view.words)
    yield from identities(view.text, view.low, view.words)


def _hit(view: View, span: Span) -> PersonalHit:
    start, end = view.span(span.start, span.end)
    return PersonalHit(kind=span.kind, start=start, end=end, confidence=span.confidence)


def _disjoint(spans: list[Span]) -> list[Span]:
    """Join what overlaps under the kind of the longest, surest one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if joined and span.start < joined[-1].end:
            joined[-1] = _joined(joined[-1], span)
        else:
            joined.append(span)
    return joined


def _joined(one: Span, other: Span) -> Span:
    kind = max(one, other, key=lambda span: (_RANK[span.kind], span.end - span.start)).kind
    sure = Confidence.HIGH in (one.confidence, other.confidence)
    confidence = Confidence.HIGH if sure else Confidence.LOW
    return Span(kind, min(one.start, other.start), max(one.end, other.end), confidence)


def _merged(hits: list[PersonalHit]) -> tuple[PersonalHit, ...]:
    merged: list[PersonalHit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if merged and hit.start < merged[-1].end:
            merged[-1] = replace(merged[-1], end=max(merged[-1].end, hit.end))
        else:
            merged.append(hit)
    return tuple(merged)


@dataclass(slots=True)
class _Edits:
    """Where the placeholders stand in the redacted view and what they stand for in its parent."""

    starts: list[int]
    ends: list[int]


def _redacted(view: View, spans: list[Span]) -> View:
    pieces, at, length = [], 0, 0
    edits = _Edits([], [])
    for span in spans:
        mark = f"[{span.kind}]"
        pieces += [view.text[at : span.start], mark]
        length += span.start - at
        edits.starts.append(length)
        length += len(mark)
        edits.ends.append(length)
        at = span.end
    text = "".join([*pieces, view.text[at:]])
    origins = tuple(span.start for span in spans), tuple(span.end for span in spans)
    return View(text, view, tuple(edits.starts), tuple(edits.ends), *origins)
