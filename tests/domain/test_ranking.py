"""The order of hits: relevance first, bounded shifts, curated before proposed."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from kapelle.domain.entries import Kind, Status
from kapelle.domain.rules.ranking import JUNK, POOL, Scale, Signals, explain, order, relevance

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SCALE = Scale(words=0.5, by_vector=False)
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
    [
        (0.5, 1.0, 1.0),
        (0.25, 1.0, 0.93),
        (0.0, 0.5, 0.43),
        (0.5, -0.3, 0.14),
        # No vector yet: the word score stands for the cosine.
        (0.5, None, 0.57),
        (None, 0.5, 0.5),
        (None, -0.3, 0.0),
    ],
)
def test_words_count_beside_the_cosine_and_relative_to_the_best_ones(
    words: float | None, cosine: float | None, expected: float
) -> None:
    assert relevance(words, cosine, Scale(words=0.5, by_vector=True)) == pytest.approx(expected)


def test_a_leg_that_had_nothing_to_compare_leaves_the_other_alone() -> None:
    assert relevance(0.3, None, Scale(words=0.5, by_vector=False)) == 0.3
    assert relevance(None, None, Scale(words=0.0, by_vector=False)) == 0.0
    assert relevance(0.0, 0.5, Scale(words=0.0, by_vector=True)) == pytest.approx(0.43)


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


def places(*found: Signals, floor: float = JUNK) -> list[int]:
    return [place for place, _ in order(found, NOW, limit=20, floor=floor)]


def test_nothing_is_shown_where_not_even_the_best_hit_is_near_the_question() -> None:
    noise = (candidate(0.1, 0.2), candidate(0.2, 0.1), candidate(None, 0.27))
    assert places(*noise) == []
    assert places(*noise, floor=0.0) == [2, 0, 1]


def test_one_near_hit_vouches_for_those_within_reach_of_it() -> None:
    assert places(candidate(0.0, 0.8), candidate(0.1, 0.45), candidate(0.1, 0.3)) == [0, 1]
    assert places(candidate(0.0, 0.5), candidate(0.1, 0.3)) == [0, 1]


def test_an_identifier_that_the_model_knows_nothing_of_is_found_by_its_words_alone() -> None:
    assert places(candidate(0.5, 0.05), candidate(0.0, 0.1)) == [0]


def test_words_alone_have_no_floor_but_a_tail() -> None:
    assert places(candidate(0.04), candidate(0.02), candidate(0.003)) == [0, 1]


def test_hits_without_a_vector_yet_are_judged_beside_those_that_have_one() -> None:
    assert places(candidate(0.4), candidate(0.1, 0.6), candidate(0.0, 0.1)) == [1, 0]


def test_all_shifts_together_cannot_overturn_a_clear_match() -> None:
    favoured = candidate(0.5, kind=Kind.EVENT, pinned=True, votes=(1000, 0))
    doubted = candidate(0.62, kind=Kind.EVENT, votes=(0, 1000), days=9999, confidence=0.0)
    assert [place for place, _ in order((favoured, doubted), NOW, limit=2)] == [1, 0]


def test_shifts_decide_between_equals_and_are_named() -> None:
    old, fresh = candidate(0.5, kind=Kind.FACT, days=180), candidate(0.5, kind=Kind.FACT)
    assert dict(explain(old, SCALE, NOW).shifts) == {"recency": pytest.approx(0.01)}
    assert dict(explain(fresh, SCALE, NOW).shifts) == {"recency": pytest.approx(0.02)}
    assert explain(candidate(0.5, days=9999), SCALE, NOW).shifts == ()
    helpful = explain(candidate(0.5, pinned=True, votes=(1, 0), confidence=0.5), SCALE, NOW)
    assert [name for name, _ in helpful.shifts] == ["pinned", "feedback", "confidence"]


def test_equal_hits_are_ordered_newest_first() -> None:
    first, second = candidate(0.5), candidate(0.5)
    assert [place for place, _ in order((first, second), NOW, limit=2)] == [1, 0]
