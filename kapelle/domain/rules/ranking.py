"""How hits are scored and ordered: one absolute relevance, small bounded shifts, curated entries first."""

import math
from dataclasses import dataclass
from datetime import datetime

from kapelle.domain.entries import Kind, Status

# BM25 (Robertson and Zaragoza, 2009): saturation of repeated words, and how much length counts.
K1 = 1.2
B = 0.75
# Words, after stemming, of an average entry. A constant, so that no entry's impacts depend on the others.
AVERAGE_LENGTH = 30.0
# Length beyond which an entry is not marked down further, or a long one could not be found by a word at all.
LONGEST = 10 * AVERAGE_LENGTH
# The highest impact that one word can have.
CEILING = K1 + 1

# Share of the cosine in the blend, the rest is BM25 over the most that the query could reach.
COSINE_WEIGHT = 0.6
# Below it a hit that was compared by vector is noise. Word matches have no such floor: their score is no probability.
JUNK = 0.2
# Hits chosen by relevance before curated ones are put first: the least, so that a smaller limit shows a prefix.
POOL = 20

# Shifts of the relevance, from -0.05 to 0.06 together: they decide between near equals, not against a clear match.
_PINNED = 0.02
_FEEDBACK = 0.02
_RECENCY = 0.02
_DOUBT = 0.03
# Days after which half of an entry's freshness is gone. Conventions and preferences do not age.
HALF_LIVES: dict[Kind, float] = {
    Kind.EVENT: 30.0,
    Kind.FACT: 180.0,
    Kind.GOTCHA: 365.0,
    Kind.PROCEDURE: 365.0,
    Kind.DECISION: 730.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of one candidate. `words` and `cosine` are in 0..1, or None if that leg had nothing to compare."""

    id: int
    kind: Kind
    status: Status
    words: float | None
    cosine: float | None
    confidence: float
    pinned: bool
    helpful: int
    unhelpful: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a hit is where it is: each leg's score in 0..1 (None if it took no part), their blend and the shifts.

    `score` is relevance and shifts together, in 0..1.
    """

    words: float | None
    cosine: float | None
    relevance: float
    shifts: tuple[tuple[str, float], ...]
    score: float


def relevance(words: float | None, cosine: float | None) -> float:
    """Blend the legs; a leg that had nothing to compare leaves the other alone."""
    if cosine is None:
        return words or 0.0
    if words is None:
        return max(0.0, cosine)
    return COSINE_WEIGHT * max(0.0, cosine) + (1 - COSINE_WEIGHT) * words


def explain(signals: Signals, now: datetime) -> Why:
    """Score one candidate as of `now`."""
    blended = relevance(signals.words, signals.cosine)
    shifts = tuple(named for named in _shifts(signals, now) if named[1])
    return Why(
        words=signals.words,
        cosine=signals.cosine,
        relevance=blended,
        shifts=shifts,
        score=min(1.0, max(0.0, blended + sum(shift for _, shift in shifts))),
    )


def order(
    candidates: tuple[Signals, ...], now: datetime, *, limit: int, floor: float = JUNK
) -> tuple[tuple[int, Why], ...]:
    """Return index and reasons of the best `limit` candidates: chosen by score, then curated ones before all others.

    Choosing comes first, so that weak curated matches cannot push out a proposed one that answers the question.
    """
    scored = [(place, explain(signals, now)) for place, signals in enumerate(candidates)]
    kept = [(place, why) for place, why in scored if why.cosine is None or why.relevance >= floor]
    kept.sort(key=lambda hit: (-hit[1].score, -candidates[hit[0]].id))
    chosen = kept[: max(limit, POOL)]
    chosen.sort(key=lambda hit: candidates[hit[0]].status is not Status.CURATED)
    return tuple(chosen[:limit])


def _shifts(signals: Signals, now: datetime) -> tuple[tuple[str, float], ...]:
    votes = signals.helpful + signals.unhelpful
    # Two votes for the middle, so that the first one alone cannot move far.
    opinion = (signals.helpful - signals.unhelpful) / (votes + 2)
    return (
        ("pinned", _PINNED if signals.pinned else 0.0),
        ("feedback", _FEEDBACK * opinion),
        ("recency", _RECENCY * _freshness(signals.kind, (now - signals.created_at).total_seconds() / 86_400)),
        ("confidence", -_DOUBT * (1 - signals.confidence)),
    )


def _freshness(kind: Kind, days: float) -> float:
    half_life = HALF_LIVES.get(kind)
    if half_life is None:
        return 0.0
    return math.exp2(-max(0.0, days) / half_life)
