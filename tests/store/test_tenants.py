"""A tenant can neither see nor touch another: held by the database, whatever a statement says."""

import asyncpg
import pytest

from kapelle.store import entries, teams
from kapelle.store.pool import Pool, open_pool, tenant
from tests.stack import Database
from tests.store import rows
from tests.store.rows import ORGS, connected

OURS, THEIRS = ORGS
# What the product may not change at all: the ledger and its seals, and what it can put away but not read.
APPEND_ONLY = {"memory_events", "ledger_checkpoints", "held_memories"}


async def test_every_table_has_a_row_of_both_orgs_to_be_protected(filled: Database) -> None:
    async with connected(filled.owner_dsn) as owner:
        for table in await rows.table_names(owner):
            found = await owner.fetch(f"select distinct org_id from ibex_core.{table} order by 1")
            assert [row[0] for row in found] == [OURS, THEIRS], table


async def test_row_level_security_is_forced_on_every_table(filled: Database) -> None:
    async with connected(filled.owner_dsn) as owner:
        found = await owner.fetch(
            "select relname::text from pg_class as c join pg_namespace as n on n.oid = c.relnamespace "
            "where nspname = 'ibex_core' and relkind = 'r' and not (relrowsecurity and relforcerowsecurity)"
        )
    assert found == []


async def test_without_an_org_no_row_is_visible(filled: Database) -> None:
    async with connected(filled.product_dsn) as product:
        for table in await rows.table_names(product):
            assert await product.fetchval(f"select count(*) from ibex_core.{table}") == 0, table


async def test_without_an_org_no_insert_passes(filled: Database) -> None:
    async with connected(filled.owner_dsn) as owner, connected(filled.product_dsn) as product:
        for table in await rows.table_names(owner):
            copy = await rows.row_of(owner, table, OURS)
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
                async with product.transaction():
                    await rows.insert(product, table, copy)


async def test_an_org_sees_its_own_rows_and_no_others(filled: Database) -> None:
    async with connected(filled.product_dsn, OURS) as product:
        for table in await rows.table_names(product):
            found = await product.fetch(f"select distinct org_id from ibex_core.{table}")
            assert [row[0] for row in found] == [OURS], table


async def test_an_org_can_neither_change_nor_delete_anothers_rows(filled: Database) -> None:
    async with connected(filled.product_dsn, OURS) as product:
        for table in await rows.table_names(product):
            if table in APPEND_ONLY:
                continue
            updated = await product.execute(f"update ibex_core.{table} set org_id = org_id where org_id = $1", THEIRS)
            deleted = await product.execute(f"delete from ibex_core.{table} where org_id = $1", THEIRS)
            assert (updated, deleted) == ("UPDATE 0", "DELETE 0"), table


async def test_an_org_cannot_insert_for_another(filled: Database) -> None:
    async with connected(filled.owner_dsn) as owner, connected(filled.product_dsn, OURS) as product:
        for table in await rows.table_names(owner):
            copy = await rows.row_of(owner, table, THEIRS)
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
                async with product.transaction():
                    await rows.insert(product, table, copy)


async def test_an_org_cannot_give_a_row_away(filled: Database) -> None:
    async with connected(filled.product_dsn, OURS) as product:
        for table in await rows.table_names(product):
            if table in APPEND_ONLY:
                continue
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
                async with product.transaction():
                    await product.execute(f"update ibex_core.{table} set org_id = $1", THEIRS)


async def test_every_link_between_tables_carries_the_org(filled: Database) -> None:
    async with connected(filled.owner_dsn) as owner:
        found = await rows.keys(owner)

    assert [key.name for key in found if "org_id" not in key.columns or "org_id" not in key.referenced] == []
    children = (
        "access_tokens agents legal_holds memories memory_conflicts memory_embeddings memory_feedback memory_labels "
        "memory_relationships memory_search operations team_members vector_indexes"
    )
    assert {key.child for key in found} >= set(children.split())


async def test_an_org_cannot_link_to_anothers_row(filled: Database) -> None:
    async with connected(filled.owner_dsn) as owner, connected(filled.product_dsn, OURS) as product:
        for key in await rows.keys(owner):
            if key.parent == "organizations":
                continue
            place = next(at for at, column in enumerate(key.columns) if column != "org_id")
            # The row that a row of theirs refers to by this key exists, so that nothing but the org can be wrong.
            theirs = (await rows.row_of(owner, key.child, THEIRS, (key.columns[place],)))[key.columns[place]]
            with pytest.raises(asyncpg.ForeignKeyViolationError):
                async with product.transaction():
                    await _link(product, key.child, key.columns[place], theirs)


async def _link(connection: asyncpg.Connection, table: str, column: str, value: str) -> None:
    if table == "memory_conflicts":
        # The pair is ordered, so that the other side moves out of the way.
        other = "second_id = 9223372036854775807" if column == "first_id" else "first_id = 0"
        statement = f"update ibex_core.memory_conflicts set {column} = $1::text::bigint, {other}"
        statement = statement if column != "team_id" else f"update ibex_core.{table} set team_id = $1::text::bigint"
        await connection.execute(statement, value)
        return
    kind = "text" if column == "person_id" else "bigint"
    await connection.execute(
        f"update ibex_core.{table} set {column} = $1::text::{kind} where {column} is not null", value
    )


async def test_one_connection_serves_orgs_in_turn_and_leaks_nothing_between_them(filled: Database) -> None:
    pool = await open_pool(filled.product_dsn, 1)
    for turn in range(6):
        org_id = ORGS[turn % 2]
        with pytest.raises(LookupError):
            await _look_and_raise(pool, org_id)
        assert await pool.fetchval("select count(*) from ibex_core.memories") == 0
        with pytest.raises(asyncpg.UndefinedTableError):
            await _ask_for_nothing(pool, org_id)
    await pool.close()


async def _look_and_raise(pool: Pool, org_id: str) -> None:
    async with tenant(pool, org_id) as conn:
        assert await conn.fetchval("select array_agg(distinct org_id) from ibex_core.memories") == [org_id]
        raise LookupError


async def _ask_for_nothing(pool: Pool, org_id: str) -> None:
    async with tenant(pool, org_id) as conn:
        await conn.fetch("select 1 from ibex_core.nothing")


async def test_a_failed_transaction_leaves_nothing_behind(filled: Database) -> None:
    pool = await open_pool(filled.product_dsn, 1)
    with pytest.raises(LookupError):
        await _create_and_raise(pool)
    async with tenant(pool, OURS) as conn:
        assert await teams.find(conn, org_id=OURS, slug="late") is None
    await pool.close()


async def _create_and_raise(pool: Pool) -> None:
    async with tenant(pool, OURS) as conn:
        await teams.create(conn, org_id=OURS, slug="late", name="Late")
        raise LookupError


async def test_anothers_entry_answers_as_one_that_never_was(filled: Database) -> None:
    pool = await open_pool(filled.product_dsn, 1)
    async with connected(filled.owner_dsn) as owner:
        theirs = await owner.fetchrow("select id, team_id from ibex_core.memories where org_id = $1 limit 1", THEIRS)
    async with tenant(pool, OURS) as conn:
        for org_id in ORGS:
            assert await entries.get(conn, org_id=org_id, team_id=theirs["team_id"], entry_id=theirs["id"]) is None
    await pool.close()
