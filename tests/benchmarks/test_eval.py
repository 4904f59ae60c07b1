"""The floor under search quality: the product's own set, through the real search and the bundled embedder."""

from collections.abc import AsyncIterator

import pytest

from benchmarks.eval import OWN, bundled_embedder, by_topic, evaluate
from benchmarks.kept_vectors import KeptVectors
from benchmarks.retrieval_scores import Answer, score
from benchmarks.retrieval_sets import HIDDEN, load
from kapelle.domain.entries import Kind
from kapelle.store.pool import open_pool
from tests.stack import Database, fresh_database
from workers.stack.servers import Addresses

Found = dict[str, tuple[Answer, ...]]


@pytest.fixture(scope="module")
async def database(servers: Addresses) -> AsyncIterator[Database]:
    async with fresh_database(servers) as clone:
        yield clone


@pytest.fixture(scope="module")
async def found(database: Database) -> Found:
    # The vectors that the bundled embedder made; it is asked for those of texts that were changed since.
    embedder = KeptVectors(bundled_embedder(), OWN / "vectors.npz")
    pool = await open_pool(database.product_dsn, 2)
    try:
        (own,) = load(OWN)
        return await evaluate(pool, database.owner_dsn, own, embedder)
    finally:
        await pool.close()


async def test_nothing_superseded_expired_quarantined_forgotten_or_of_another_team_is_found(found: Found) -> None:
    assert {mode: score(answers).forbidden for mode, answers in found.items()} == dict.fromkeys(found, 0)


async def test_the_blend_finds_more_than_words_or_vectors_alone(found: Found) -> None:
    blend, words, vectors = (score(found[mode]) for mode in ("blend", "keyword", "vector"))
    assert blend.ndcg > max(words.ndcg, vectors.ndcg)
    assert blend.recall_10 >= max(words.recall_10, vectors.recall_10)


@pytest.mark.parametrize(
    ("topic", "ndcg"),
    [
        ("direct", 98.0),
        ("hidden", 78.0),
        ("identifier", 98.0),
        ("languages", 97.0),
        ("long", 90.0),
        ("paraphrase", 77.0),
        ("proposed", 40.0),
        ("superseded", 90.0),
    ],
)
async def test_no_group_of_questions_falls_below_its_floor(found: Found, topic: str, ndcg: float) -> None:
    assert score(by_topic(found["blend"])[topic]).ndcg >= ndcg


async def test_words_alone_still_answer_most_questions(found: Found) -> None:
    assert score(found["keyword"]).ndcg >= 79.0


@pytest.mark.parametrize(("topic", "silent"), [("common-words", 60.0), ("unanswerable", 60.0)])
async def test_most_questions_without_an_answer_bring_nothing(found: Found, topic: str, silent: float) -> None:
    left_empty = score(by_topic(found["blend"])[topic]).silent
    assert left_empty is not None
    assert left_empty >= silent


async def test_nine_of_ten_questions_without_an_answer_bring_no_clear_hit(found: Found) -> None:
    unclear = score(found["blend"]).unclear
    assert unclear is not None
    assert unclear >= 90.0


async def test_clear_hits_are_most_of_the_answers(found: Found) -> None:
    answered = [answer for answer in found["blend"] if answer.question.relevant]
    assert sum(answer.clear for answer in answered) >= 0.7 * len(answered)


def test_the_own_set_is_large_and_says_what_it_means() -> None:
    (own,) = load(OWN)
    notes = {note.id: note for note in own.notes}
    assert len(notes) == len(own.notes) >= 300
    assert len({question.id for question in own.questions}) == len(own.questions) >= 150
    assert {note.kind for note in own.notes} == {kind.value for kind in Kind}
    for question in own.questions:
        answers = [notes[note_id] for note_id in question.relevant]
        assert all(note.group == question.group and note.state not in HIDDEN for note in answers), question.id
        decoys = [notes[note_id] for note_id in question.forbidden]
        assert all(note.group != question.group or note.state in HIDDEN for note in decoys), question.id
