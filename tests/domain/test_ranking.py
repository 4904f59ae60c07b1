"""The order of hits: relevance first, bounded shifts, curated before proposed."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from kapelle.domain.entries import Kind, Status
from kapelle.domain.rules.ranking import POOL, Signals, explain, order, relevance

NOW = datetime(2026, 6, 1, tzinfo=UTC)
_ids = count(1)


def candidate(
    words: float | None = None,
    cosine: float | None = None,
    *,
    kind: Kind = Kind.CONVENTION,
    status: Status = Status.CURATED,
    confidence: float = 1.0,
    pinned: bool = False,
    votes: tuple[int, int] = (0, 0),
    days: float = 0.0,
) -> Signals:
    return Signals(
        id=next(_ids),
        kind=kind,
        status=status,
        words=words,
        cosine=cosine,
        confidence=confidence,
        pinned=pinned,
        helpful=votes[0],
        unhelpful=votes[1],
        created_at=NOW - timedelta(days=days),
    )


@pytest.mark.parametrize(
    ("words", "cosine", "expected"),
    [(0.5, None, 0.5), (None, 0.5, 0.5), (0.5, 1.0, 0.8), (1.0, -0.3, 0.4), (None, -0.3, 0.0), (None, None, 0.0)],
)
def test_legs_are_blended_by_absolute_scores(words: float | None, cosine: float | None, expected: float) -> None:
    assert relevance(words, cosine) == pytest.approx(expected)


def test_curated_entries_come_first_and_each_group_is_ordered_by_score() -> None:
    found = (
        candidate(0.9, status=Status.PROPOSED),
        candidate(0.3),
        candidate(0.8),
        candidate(0.95, status=Status.PROPOSED),
    )
    assert [place for place, _ in order(found, NOW, limit=10)] == [2, 1, 3, 0]


def test_weak_curated_matches_cannot_push_out_a_proposed_answer() -> None:
    weak = tuple(candidate(0.1) for _ in range(2 * POOL))
    found = (*weak, candidate(0.9, status=Status.PROPOSED))
    assert order(found, NOW, limit=POOL)[-1][0] == len(weak)


def test_a_smaller_limit_shows_the_beginning_of_the_larger_answer() -> None:
    found = tuple(candidate(i / 40, status=Status.PROPOSED if i % 3 else Status.CURATED) for i in range(40))
    assert order(found, NOW, limit=5) == order(found, NOW, limit=POOL)[:5]


def test_noise_is_cut_only_where_vectors_were_compared() -> None:
    found = (candidate(0.05), candidate(0.05, 0.1), candidate(None, 0.19), candidate(0.0, 0.9))
    assert [place for place, _ in order(found, NOW, limit=10)] == [3, 0]


def test_all_shifts_together_cannot_overturn_a_clear_match() -> None:
    favoured = candidate(0.5, kind=Kind.EVENT, pinned=True, votes=(1000, 0))
    doubted = candidate(0.62, kind=Kind.EVENT, votes=(0, 1000), days=9999, confidence=0.0)
    assert [place for place, _ in order((favoured, doubted), NOW, limit=2)] == [1, 0]


def test_shifts_decide_between_equals_and_are_named() -> None:
    old, fresh = candidate(0.5, kind=Kind.FACT, days=180), candidate(0.5, kind=Kind.FACT)
    assert dict(explain(old, NOW).shifts) == {"recency": pytest.approx(0.01)}
    assert dict(explain(fresh, NOW).shifts) == {"recency": pytest.approx(0.02)}
    assert explain(candidate(0.5, days=9999), NOW).shifts == ()
    helpful = explain(candidate(0.5, pinned=True, votes=(1, 0), confidence=0.5), NOW)
    assert [name for name, _ in helpful.shifts] == ["pinned", "feedback", "confidence"]


def test_equal_hits_are_ordered_newest_first() -> None:
    first, second = candidate(0.5), candidate(0.5)
    assert [place for place, _ in order((first, second), NOW, limit=2)] == [1, 0]
