"""No search crosses a tenant or a team, and none leaves its tenant behind on the connection."""

import asyncpg
import pytest

from kapelle.store import search
from kapelle.store.pool import open_pool, tenant
from tests.stack import Database
from tests.store.searching import MODEL, teams, towards


async def test_teams_and_orgs_do_not_see_each_other(database: Database) -> None:
    async with teams(database, "acme/payments", "acme/search", "evil/payments") as all_teams:
        for team in all_teams:
            await team.remember(f"{team.org_id} {team.team_id}", "the secret handshake", vector=towards(0))
        for team in all_teams:
            for fields in ({}, {"vector": towards(0)}):
                assert await team.found("secret handshake", **fields) == [f"{team.org_id} {team.team_id}"]
        mine, *others = all_teams
        for other in others:
            request = search.SearchRequest(
                org_id=mine.org_id, team_id=other.team_id, query="secret", vector=towards(0), model=MODEL
            )
            found = await search.find(mine.pool, request)
            assert [hit.entry.title for hit in found] == (
                [f"{other.org_id} {other.team_id}"] if other.org_id == mine.org_id else []
            )


async def test_the_function_that_sees_all_rows_answers_for_the_callers_tenant_only(database: Database) -> None:
    async with teams(database, "acme/payments", "evil/payments") as (mine, theirs):
        await theirs.remember("Theirs", "the secret handshake")
        gate = list((await theirs.counts())[1])
        call = (
            "select ibex_core.word_candidates($1, $2, '{1:1}/536870912'::sparsevec, true, $3, array['curated'], null,"
            " null, now(), 9)"
        )
        for thorough in (False, True):
            async with tenant(mine.pool, mine.org_id) as conn:
                assert await conn.fetchval(call, theirs.team_id, gate, thorough) == []
            async with mine.pool.acquire() as conn:
                assert await conn.fetchval(call, theirs.team_id, gate, thorough) == []
            async with tenant(theirs.pool, theirs.org_id) as conn:
                assert len(await conn.fetchval(call, theirs.team_id, gate, thorough)) == 1


async def test_a_search_leaves_no_tenant_on_its_connection(database: Database) -> None:
    async with teams(database, "acme/payments") as (team,):
        await team.remember("Note", "retry budget")
        pool = await open_pool(database.product_dsn, 1)
        request = search.SearchRequest(org_id=team.org_id, team_id=team.team_id, query="retry")
        assert len(await search.find(pool, request)) == 1
        async with pool.acquire() as conn:
            assert not await conn.fetchval("select current_setting('kapelle.org_id', true)")
            assert await conn.fetchval("select count(*) from ibex_core.memory_search") == 0
        await pool.close()


@pytest.mark.parametrize(
    "table", ["memory_search", "search_teams", "search_terms", "memory_embeddings", "vector_indexes"]
)
async def test_a_row_of_another_tenant_cannot_be_read_or_written(database: Database, table: str) -> None:
    async with teams(database, "acme/payments", "evil/payments") as (mine, theirs):
        await theirs.remember("Theirs", "the secret handshake", vector=towards(0))
        await theirs.owner.execute("insert into ibex_core.vector_indexes values ('evil', $1, 'm', 8)", theirs.team_id)
        async with tenant(mine.pool, mine.org_id) as conn:
            assert await conn.fetchval(f"select count(*) from ibex_core.{table}") == 0
            assert await conn.execute(f"delete from ibex_core.{table}") == "DELETE 0"
        async with tenant(theirs.pool, theirs.org_id) as conn:
            assert await conn.fetchval(f"select count(*) from ibex_core.{table}") > 0
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await conn.execute(f"update ibex_core.{table} set org_id = 'acme'")
