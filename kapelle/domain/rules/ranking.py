"""How hits are scored and ordered: one absolute relevance, small bounded shifts, curated entries first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

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

# Share of the cosine in the blend. The rest is the word score relative to the best one: how much of a question the
# words of any entry can cover depends on its length and phrasing, the order that they make does not.
COSINE_WEIGHT = 0.86
# The same for choosing candidates, by absolute scores, before the best hits are known.
CANDIDATE_WEIGHT = 0.6
# What a hit's word score adds to its cosine as evidence that it has to do with the question; a high one, as of an
# identifier that a model knows nothing of, is evidence by itself.
_WORDS_AS_EVIDENCE = 0.3
_WORDS_ALONE_AS_EVIDENCE = 0.8
# Least evidence of the best hit: below it nothing answers, and nothing is shown. Where only words were compared there
# is no such floor: their score is no probability.
JUNK = 0.28
# Evidence from which on a hit clearly has to do with the question; what has less may be the nearest there is.
CLEAR = 0.5
# Least share of the best hit's evidence: what is further behind is its tail.
_TAIL = 0.5
_TAIL_BY_WORDS = 0.1
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


class Signals(msgspec.Struct, frozen=True, kw_only=True):
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


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Why a hit is where it is: each leg's score in 0..1 (None if it took no part), their blend and the shifts.

    `score` is relevance and shifts together, in 0..1.
    """

    words: float | None
    cosine: float | None
    relevance: float
    shifts: tuple[tuple[str, float], ...]
    score: float

    @property
    def clear(self) -> bool:
        """Whether the hit clearly has to do with the question."""
        return evidence(self.words, self.cosine) >= CLEAR


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """What the scores of one search are relative to: the highest word score, and whether any vector was compared."""

    words: float
    by_vector: bool


def scale_of(candidates: Sequence[Signals]) -> Scale:
    """Return the scale of one search."""
    return Scale(
        words=max((signals.words or 0.0 for signals in candidates), default=0.0),
        by_vector=any(signals.cosine is not None for signals in candidates),
    )


def relevance(words: float | None, cosine: float | None, scale: Scale) -> float:
    """Blend the legs, in 0..1; a leg that had nothing to compare leaves the other alone.

    An entry without a vector among others that have one counts with its word score in the cosine's place.
    """
    if not scale.by_vector:
        return words or 0.0
    if words is None:
        return max(0.0, cosine or 0.0)
    near = words if cosine is None else max(0.0, cosine)
    return COSINE_WEIGHT * near + (1 - COSINE_WEIGHT) * (words / scale.words if scale.words else 0.0)


def evidence(words: float | None, cosine: float | None) -> float:
    """Return how sure it is that a hit has to do with the question, whatever else was found."""
    if cosine is None:
        return words or 0.0
    covered = words or 0.0
    return max(max(0.0, cosine) + _WORDS_AS_EVIDENCE * covered, _WORDS_ALONE_AS_EVIDENCE * covered)


def explain(signals: Signals, scale: Scale, now: datetime) -> Why:
    """Score one candidate as of `now`."""
    blended = relevance(signals.words, signals.cosine, scale)
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

    Choosing comes first, so that weak curated matches cannot push out a proposed one that answers the question. With a
    `floor` of 0 nothing is left out.
    """
    scale = scale_of(candidates)
    kept = [
        (place, explain(candidates[place], scale, now))
        for place in (_worth_showing(candidates, floor) if floor > 0 else range(len(candidates)))
    ]
    kept.sort(key=lambda hit: (-hit[1].score, -candidates[hit[0]].id))
    chosen = kept[: max(limit, POOL)]
    chosen.sort(key=lambda hit: candidates[hit[0]].status is not Status.CURATED)
    return tuple(chosen[:limit])


def _worth_showing(candidates: Sequence[Signals], floor: float) -> list[int]:
    """Return the places of hits that are near the best one's evidence, if that reaches the floor.

    Hits by words alone stand beside those by vector while some entries have none yet; they are judged by themselves.
    """
    kept: list[int] = []
    for by_vector, tail, least in ((True, _TAIL, floor), (False, _TAIL_BY_WORDS, 0.0)):
        strengths = {
            place: evidence(signals.words, signals.cosine)
            for place, signals in enumerate(candidates)
            if (signals.cosine is not None) is by_vector
        }
        strongest = max(strengths.values(), default=0.0)
        if strongest >= least:
            kept += [place for place, strength in strengths.items() if strength >= tail * strongest]
    return kept


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
