"""Search by vectors: blended with words, of one model only, and complete at every size of team."""

import hashlib
import math
import random
from collections.abc import AsyncIterator

import pytest

from kapelle.domain.entries import Status
from kapelle.store import embeddings, search, search_vectors
from kapelle.store.pool import tenant
from tests.stack import Database
from tests.store.searching import MODEL, Team, teams, towards
from workers import indexes

WIDE = "model:64"
MANY = """
insert into ibex_core.memories (org_id, team_id, kind, title, body, status, source, operation_id, salt)
select $1, $2, 'fact', n::text, '', 'curated', 'person:ada', gen_random_uuid(), decode(repeat('00', 16), 'hex')
from generate_series(1, $3::integer) as n
returning id
"""


@pytest.fixture
async def team(database: Database) -> AsyncIterator[Team]:
    async with teams(database, "acme/payments") as (only,):
        yield only


async def test_an_entry_that_shares_no_word_is_found_by_meaning(team: Team) -> None:
    await team.remember("Rollback", "Press the red button.", vector=towards(0, 0.7))
    await team.remember("Other", "Lunch is at noon.", vector=towards(4))
    (hit,) = await team.hits("undo a release", vector=towards(0))
    assert hit.entry.title == "Rollback"
    assert hit.why.words == 0.0
    assert hit.why.cosine == pytest.approx(0.7, abs=0.001)


async def test_both_scores_count_for_what_only_one_leg_brought(team: Team) -> None:
    await team.remember("Near", "Nothing shared.", vector=towards(0, 0.8))
    await team.remember("Both", "undo a release", vector=towards(0, 0.7))
    await team.remember("Unembedded", "undo a release")
    hits = {hit.entry.title: hit for hit in await team.hits("undo a release", vector=towards(0))}
    assert hits.keys() == {"Near", "Both", "Unembedded"}
    both, unembedded = hits["Both"].why, hits["Unembedded"].why
    assert both.words is not None
    assert unembedded.words is not None
    assert both.words > unembedded.words
    assert both.relevance == pytest.approx(0.86 * 0.7 + 0.14, abs=0.001)
    assert unembedded.cosine is None
    expected = 0.86 * unembedded.words + 0.14 * unembedded.words / both.words
    assert unembedded.relevance == pytest.approx(expected, abs=0.001)
    assert hits["Near"].why.relevance == pytest.approx(0.86 * 0.8, abs=0.001)


async def test_stop_words_alone_go_by_meaning(team: Team) -> None:
    await team.remember("Near", "Nothing shared.", vector=towards(0, 0.5))
    (hit,) = await team.hits("what is it", vector=towards(0))
    assert hit.why.words is None
    assert hit.why.relevance == pytest.approx(0.5, abs=0.001)


async def test_what_is_far_in_every_way_is_no_answer(team: Team) -> None:
    await team.remember("Far", "Lunch is at noon.", vector=towards(4))
    await team.remember("Weak", "Undo is a word here.", vector=towards(0, 0.1))
    assert await team.found("undo a release", vector=towards(0), min_score=0.5) == []


async def test_vectors_of_another_model_never_compare(team: Team) -> None:
    memory_id = await team.remember("Note", "Nothing shared.")
    await team.embed(memory_id, towards(0), model="other:8")
    await team.embed(memory_id, [1.0] * 16, model="larger:16")
    assert await team.found("undo", vector=towards(0), model=MODEL) == []
    assert await team.found("undo", vector=towards(0), model="other:8") == ["Note"]
    assert await team.found("undo", vector=[1.0] * 16, model="larger:16") == ["Note"]


async def test_the_best_part_of_a_long_entry_speaks_for_it(team: Team) -> None:
    memory_id = await team.remember("Long", "Many parts.")
    for part, share in enumerate((0.1, 0.9, 0.2)):
        await team.embed(memory_id, towards(0, share), part=part)
    (hit,) = await team.hits("undo", vector=towards(0))
    assert hit.why.cosine == pytest.approx(0.9, abs=0.001)


async def test_superseded_and_quarantined_vectors_take_no_place(team: Team) -> None:
    for _ in range(60):
        await team.retire(await team.remember("Superseded", vector=towards(0)))
        hidden = await team.remember("Quarantined", status=Status.QUARANTINED)
        await team.embed(hidden, towards(0))
    late = await team.remember("Retired first", "x")
    await team.retire(late)
    await team.embed(late, towards(0))
    await team.remember("Truth", "Something else.", vector=towards(0, 0.6))
    assert await team.found("undo", vector=towards(0), limit=1) == ["Truth"]


async def test_storing_twice_changes_nothing_and_an_entry_that_is_gone_is_passed_over(team: Team) -> None:
    memory_id = await team.remember("Note")
    gone = await team.remember("Gone")
    await team.delete(gone)
    for _ in range(2):
        await team.embed(memory_id, towards(0))
        await team.embed(gone, towards(0))
    rows = await team.owner.fetch("select memory_id, live from ibex_core.memory_embeddings")
    assert [tuple(row) for row in rows] == [(memory_id, True)]


async def test_coverage_counts_entries_and_what_is_missing_is_listed(team: Team) -> None:
    first, second, third = [await team.remember(f"Note {number}", "body") for number in range(3)]
    await team.embed(second, towards(0))
    await team.embed(second, towards(1), part=1)
    async with tenant(team.pool, team.org_id) as conn:
        org_id, team_id = team.org_id, team.team_id
        missing = await embeddings.missing(conn, org_id=org_id, team_id=team_id, model=MODEL, after=0, limit=9)
        assert [item.memory_id for item in missing] == [first, third]
        assert await embeddings.missing(conn, org_id=org_id, team_id=team_id, model=MODEL, after=third, limit=9) == ()
        assert await embeddings.coverage(conn, org_id=org_id, team_id=team_id) == (
            embeddings.Coverage(model=MODEL, embedded=1, entries=3),
        )
        assert await embeddings.drop(conn, org_id=org_id, team_id=team_id, model=MODEL) == 2
        assert await embeddings.coverage(conn, org_id=org_id, team_id=team_id) == ()


def _random_unit(chance: random.Random) -> list[float]:
    vector = [chance.gauss(0, 1) for _ in range(8)]
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector]


@pytest.mark.parametrize("indexed", [False, True])
async def test_a_small_team_beside_a_large_one_gets_all_its_hits(database: Database, *, indexed: bool) -> None:
    chance = random.Random(7)  # noqa: S311 - a repeatable sample
    async with teams(database, "acme/large", "evil/small") as (large, small):
        for team, size in ((large, 400), (small, 30)):
            for number in range(size):
                await team.remember(f"{number}", vector=_random_unit(chance))
        if indexed:
            (found,) = await search_vectors.unindexed(large.owner, org_id=large.org_id, above=100)
            await search_vectors.build(large.owner, found)
            assert await search_vectors.unindexed(large.owner, org_id=large.org_id, above=100) == ()
        query = _random_unit(chance)
        for team in (large, small):
            best = await team.owner.fetch(
                "select memory_id from ibex_core.memory_embeddings where team_id = $1 and model = $2"
                " order by embedding <=> $3::text::halfvec limit 10",
                team.team_id, MODEL, str(query),
            )  # fmt: skip
            hits = await team.hits("zzz", vector=query, limit=10, min_score=-1.0)
            assert {hit.entry.id for hit in hits} == {row["memory_id"] for row in best}


async def test_a_dropped_index_returns_the_team_to_exact_scans(team: Team) -> None:
    for number in range(30):
        await team.remember(f"{number}", vector=towards(number % 8))
    (found,) = await search_vectors.unindexed(team.owner, org_id=team.org_id, above=10)
    await search_vectors.build(team.owner, found)
    await search_vectors.drop(team.owner, found)
    assert await search_vectors.unindexed(team.owner, org_id=team.org_id, above=10) == (found,)
    assert len(await team.hits("zzz", vector=towards(0), min_score=0.5)) == 4


async def test_maintenance_builds_what_is_missing_once_and_drops_what_is_obsolete(database: Database) -> None:
    async with teams(database, "acme/large", "acme/small") as (large, small):
        for number in range(30):
            await large.remember(f"{number}", vector=towards(number % 8))
        await small.remember("only", vector=towards(0))
        built = [await indexes.keep_once(database.owner_dsn, "acme", above=10) for _ in range(2)]
        assert built == [1, 0]
        registered = await large.owner.fetch("select team_id from ibex_core.vector_indexes")
        assert [row["team_id"] for row in registered] == [large.team_id]
        async with tenant(large.pool, "acme") as conn:
            await embeddings.drop(conn, org_id="acme", team_id=large.team_id, model=MODEL)
        assert await indexes.keep_once(database.owner_dsn, "acme", above=10) == 1
        left = "select count(*) from pg_indexes where schemaname = 'ibex_core' and indexdef like '%hnsw%'"
        assert await large.owner.fetchval(left) == 0


async def _import(team: Team, chance: random.Random, size: int) -> None:
    """Store many entries at once, as an import does: words of a small vocabulary, vectors of some topics."""
    words = [f"word{number}" for number in range(400)]
    for start in range(0, size, 250):
        async with tenant(team.pool, team.org_id) as conn:
            ids = [row["id"] for row in await conn.fetch(MANY, team.org_id, team.team_id, 250)]
            texts = [" ".join(chance.choices(words, k=12)) for _ in ids]
            rows = [
                search.IndexRow(
                    memory_id=memory_id,
                    team_id=team.team_id,
                    status=Status.CURATED,
                    title=text,
                    body="",
                    tags=(),
                    text_hash=hashlib.sha256(f"{start} {memory_id}".encode()).digest(),
                )
                for memory_id, text in zip(ids, texts, strict=True)
            ]
            await search.index(conn, org_id=team.org_id, rows=rows)
            vectors = [
                embeddings.VectorRow(
                    team_id=team.team_id, memory_id=memory_id, model=WIDE, part=0, vector=_of_a_topic(chance)
                )
                for memory_id in ids
            ]
            await embeddings.store(conn, org_id=team.org_id, rows=vectors)


def _of_a_topic(chance: random.Random) -> list[float]:
    topic = random.Random(chance.randrange(40))  # noqa: S311 - a repeatable sample
    raw = [topic.gauss(0, 1) + chance.gauss(0, 0.7) for _ in range(64)]
    length = math.sqrt(sum(x * x for x in raw))
    return [x / length for x in raw]


async def test_the_blend_by_index_is_the_exact_blend_right_after_an_import(database: Database) -> None:
    chance = random.Random(11)  # noqa: S311 - a repeatable sample
    async with teams(database, "acme/large", "acme/small") as (large, small):
        await _import(small, chance, 250)
        asked = [(" ".join(f"word{chance.randrange(400)}" for _ in range(4)), _of_a_topic(chance)) for _ in range(40)]

        async def answers(team: Team) -> list[list[int]]:
            found = [await team.hits(query, vector=vector, model=WIDE, limit=10) for query, vector in asked]
            return [[hit.entry.id for hit in hits] for hits in found]

        alone = await answers(small)
        await _import(large, chance, 2_500)
        exact = await answers(large)
        assert await indexes.keep_once(database.owner_dsn, "acme", above=1_000) == 1
        by_index = await answers(large)

        assert await answers(small) == alone
    kept = sum(len(set(one) & set(other)) for one, other in zip(exact, by_index, strict=True))
    assert sum(map(len, exact)) == 10 * len(asked)
    assert kept / (10 * len(asked)) >= 0.99
