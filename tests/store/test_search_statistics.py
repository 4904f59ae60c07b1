"""The statistics of a team's words follow its entries exactly, and keep nothing of what is gone."""

import random

import pytest

from kapelle.domain.entries import Status
from kapelle.store import search
from kapelle.store.pool import tenant
from tests.stack import Database
from tests.store.searching import Team, teams

WORDS = "alpha beta gamma delta getUserById src/api.py 数据库 retry budget deploy".split()


@pytest.mark.parametrize("seed", range(3))
async def test_counts_are_exact_after_any_sequence_of_changes(database: Database, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a repeatable walk
    async with teams(database, "acme/one", "acme/two") as both:
        for _ in range(60):
            await _step(chance, chance.choice(both))
        for team in both:
            assert await team.counts() == await team.true_counts()


async def _step(chance: random.Random, team: Team) -> None:
    known = sorted(team.titles)
    action = chance.choice(("add", "add", "propose", "retire", "accept", "hide", "forget")) if known else "add"
    if action in {"add", "propose"}:
        status = Status.CURATED if action == "add" else Status.PROPOSED
        await team.remember(chance.choice(WORDS), " ".join(chance.choices(WORDS, k=8)), status=status)
        return
    memory_id = chance.choice(known)
    if action == "retire":
        await team.retire(memory_id)
        return
    if action == "forget":
        del team.titles[memory_id]
        await team.delete(memory_id)
        return
    status = Status.CURATED if action == "accept" else Status.QUARANTINED
    async with tenant(team.pool, team.org_id) as conn:
        await search.set_status(conn, org_id=team.org_id, team_id=team.team_id, memory_id=memory_id, status=status)


async def test_a_batch_with_several_teams_is_counted_for_each(database: Database) -> None:
    async with teams(database, "acme/one", "acme/two") as (one, two):
        for team in (one, two):
            await team.remember("Shared words", "deploy deploy")
        await one.owner.execute("delete from ibex_core.memory_search")
        assert await one.counts() == await two.counts() == (0, {})


async def test_no_word_of_a_forgotten_entry_stays_behind(database: Database) -> None:
    async with teams(database, "acme/payments") as (team,):
        await team.remember("Kept", "retry budget")
        before = await team.counts()
        for way in (search.forget, None):
            memory_id = await team.remember("Gone", "retry sentinel", vector=[1.0] * 8)
            if way:
                async with tenant(team.pool, team.org_id) as conn:
                    await way(conn, org_id=team.org_id, team_id=team.team_id, memory_id=memory_id)
            await team.delete(memory_id)
            assert await team.counts() == before
        assert await team.owner.fetchval("select count(*) from ibex_core.memory_search") == 1
        assert await team.owner.fetchval("select count(*) from ibex_core.memory_embeddings") == 0


async def test_a_deleted_team_leaves_no_statistics(database: Database) -> None:
    async with teams(database, "acme/payments", "acme/other") as (team, other):
        await team.remember("Note", "retry budget")
        await other.remember("Note", "retry budget")
        await team.owner.execute("delete from ibex_core.teams where team_id = $1", team.team_id)
        assert await team.counts() == (0, {})
        assert await other.counts() == await other.true_counts()
