"""The ledger's table: append only for everybody, and a chain that holds."""

from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest

from kapelle.domain.ledger import GENESIS, Event, row_hash
from kapelle.store import ledger, teams
from kapelle.store.pool import open_pool, tenant
from tests.stack import Database
from tests.store import rows
from tests.store.rows import ORGS, connected

ORG = ORGS[0]
OPERATION = "1a3e4b0e-9d2f-4c53-8f39-6f6a1f8f2d11"
CHANGES = (
    "update ibex_core.memory_events set actor = 'person:mallory'",
    "delete from ibex_core.memory_events",
    "truncate ibex_core.memory_events",
)


def an_event(number: int) -> Event:
    return Event(
        memory_id=number,
        event="added",
        actor="person:ada",
        operation_id=OPERATION,
        happened_at=datetime(2026, 11, 30, 12, 0, number, 7, tzinfo=UTC),
        other_id=None if number % 2 else 3,
        text_digest=bytes([number]) * 32,
    )


@pytest.mark.parametrize("change", CHANGES)
async def test_the_product_cannot_change_the_ledger(filled: Database, change: str) -> None:
    async with connected(filled.product_dsn, ORG) as product:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await product.execute(change)


@pytest.mark.parametrize("change", CHANGES)
async def test_neither_can_its_owner_while_the_trigger_is_there(filled: Database, change: str) -> None:
    async with connected(filled.owner_dsn) as owner:
        with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="append only"):
            await owner.execute(change)


async def test_the_product_cannot_take_the_trigger_away(filled: Database) -> None:
    async with connected(filled.product_dsn, ORG) as product:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await product.execute("alter table ibex_core.memory_events disable trigger append_only")


async def test_each_event_is_chained_to_its_predecessor_across_transactions(database: Database) -> None:
    pool = await open_pool(database.product_dsn, 1)
    team = await _a_team(database)
    for batch in ([an_event(1), an_event(2)], [an_event(3)]):
        async with tenant(pool, ORG) as conn:
            await ledger.append(conn, org_id=ORG, events=[(team, event) for event in batch])
    async with tenant(pool, ORG) as conn:
        links = await ledger.links(conn, org_id=ORG, team_id=team)
    await pool.close()

    assert [link.seq for link in links] == [1, 2, 3]
    assert [link.event for link in links] == [an_event(1), an_event(2), an_event(3)]
    assert [link.previous_hash for link in links] == [GENESIS, links[0].hash, links[1].hash]
    # What is read back hashes to what was written: no field changes its form on the way through the database.
    assert [row_hash(ORG, team, link.seq, link.event, link.previous_hash) for link in links] == [
        link.hash for link in links
    ]


async def test_each_team_has_a_chain_of_its_own(database: Database) -> None:
    pool = await open_pool(database.product_dsn, 1)
    first = await _a_team(database)
    async with tenant(pool, ORG) as conn:
        second = await teams.create(conn, org_id=ORG, slug="second", name="Second")
        assert second is not None
        await ledger.append(
            conn, org_id=ORG, events=[(first, an_event(1)), (second, an_event(2)), (first, an_event(3))]
        )
        chains = [await ledger.links(conn, org_id=ORG, team_id=team) for team in (first, second)]
    await pool.close()

    assert [[link.event.memory_id for link in chain] for chain in chains] == [[1, 3], [2]]
    assert [chain[0].previous_hash for chain in chains] == [GENESIS, GENESIS]


async def test_a_place_in_the_chain_is_taken_once(filled: Database) -> None:
    async with connected(filled.owner_dsn) as owner:
        copy: dict[str, Any] = await rows.row_of(owner, "memory_events", ORG)
        with pytest.raises(asyncpg.UniqueViolationError):
            await rows.insert(owner, "memory_events", copy)


async def _a_team(database: Database) -> int:
    owner = await asyncpg.connect(database.owner_dsn)
    await owner.execute("insert into ibex_core.organizations (org_id, name) values ($1, $1)", ORG)
    team: int = await owner.fetchval(
        "insert into ibex_core.teams (org_id, slug, name) values ($1, 'first', 'First') returning team_id", ORG
    )
    await owner.close()
    return team
