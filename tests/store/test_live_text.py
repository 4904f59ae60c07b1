"""One live entry per team and text, by an index that no race gets around."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from tests.stack import Database
from tests.store.rows import ORGS, connected

ORG = ORGS[0]
TEXT = b"t" * 32


@pytest.fixture
async def product(filled: Database) -> AsyncIterator[Any]:
    """The product's connection as one org that has two entries, neither of them searchable yet."""
    async with connected(filled.product_dsn, ORG) as connection:
        await connection.execute("delete from ibex_core.memory_search")
        yield connection


async def index(
    connection: Any, nth: int, *, status: str = "curated", current: bool = True, team: int | None = None
) -> None:
    """Make the org's nth entry searchable with the one text."""
    await connection.execute(
        "insert into ibex_core.memory_search (org_id, team_id, memory_id, current, status, text_hash, terms, impacts) "
        "select org_id, coalesce($4, team_id), id, $3, $2, $5, '{}', '{}/536870912' "
        "from ibex_core.memories order by id offset $1 limit 1",
        nth, status, current, team, TEXT,
    )  # fmt: skip


async def test_a_second_live_entry_of_the_same_text_is_refused(product: Any) -> None:
    await index(product, 0, status="proposed")
    with pytest.raises(asyncpg.UniqueViolationError, match="one_live_text"):
        await index(product, 1)


async def test_a_superseded_entry_leaves_its_text_to_others(product: Any) -> None:
    await index(product, 0, current=False)
    await index(product, 1)


async def test_a_superseded_entry_cannot_come_back_beside_its_text(product: Any) -> None:
    await index(product, 0, current=False)
    await index(product, 1)
    with pytest.raises(asyncpg.UniqueViolationError, match="one_live_text"):
        await product.execute("update ibex_core.memory_search set current = true")


async def test_an_agents_own_entry_is_not_held_against_the_teams(product: Any) -> None:
    await index(product, 0)
    await index(product, 1, status="active")


async def test_another_team_may_say_the_same(product: Any) -> None:
    other = await product.fetchval(
        "insert into ibex_core.teams (org_id, slug, name) values ($1, 'other', 'Other') returning team_id", ORG
    )
    await index(product, 0)
    await index(product, 1, team=other)
