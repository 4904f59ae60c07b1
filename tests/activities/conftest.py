"""The activities on a real store, called as Temporal calls them."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import asyncpg
import pytest
from temporalio.testing import ActivityEnvironment

from activities.curate import CurateActivities
from activities.turns import Turns
from activities.write import WriteActivities
from kapelle.contracts.curate import Change
from kapelle.contracts.write import Batch, Embedded, Prepared, Resemblance, Write
from kapelle.domain.entries import Draft, Kind
from kapelle.domain.outcomes import Outcome
from kapelle.domain.rules.scan.verdicts import Verdicts
from kapelle.store import bootstrap
from kapelle.store.pool import Pool, open_pool
from tests.memory import BEGINNING, DIGEST_KEY
from tests.stack import Database

Answer = TypeVar("Answer")
ORG = BEGINNING.org
TABLES = (
    "memories", "memory_labels", "memory_relationships", "memory_search", "memory_events", "memory_tombstones",
    "operations", "search_terms", "search_teams",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The steps of writes and decisions, and the rows that they leave."""

    pool: Pool
    database: Database
    team_id: int
    write: WriteActivities
    curate: CurateActivities

    async def run(self, step: Callable[[Any], Awaitable[Answer]], argument: object) -> Answer:
        answer: Answer = await ActivityEnvironment().run(step, argument)
        return answer

    async def persist(self, *writes: Write) -> tuple[Outcome, ...]:
        return await self.run(self.write.persist, prepared(*writes))

    def a_write(self, body: str = "The clock fixture is needed.", **changes: Any) -> Write:
        fields: dict[str, Any] = {
            "operation_id": str(uuid.uuid4()),
            "team_id": self.team_id,
            "source": "agent:demo/coder",
            "intent": "propose",
            "draft": Draft(kind=Kind.GOTCHA, title="Flaky webhook test", body=body, tags=("ci",)),
            "request_digest": "00" * 32,
        }
        return Write(**(fields | changes))

    def a_change(self, entry_id: int, **changes: Any) -> Change:
        fields: dict[str, Any] = {
            "org_id": ORG,
            "team_id": self.team_id,
            "entry_id": entry_id,
            "source": "person:ada",
            "operation_id": str(uuid.uuid4()),
            "request_digest": "00" * 32,
        }
        return Change(**(fields | changes))

    async def rows(self) -> dict[str, list[str]]:
        """Return everything that writes leave, and the team's revision, as text that can be compared."""
        owner = await asyncpg.connect(self.database.owner_dsn)
        found = {
            table: [row[0] for row in await owner.fetch(f"select t::text from ibex_core.{table} as t order by 1")]
            for table in TABLES
        }
        found["revision"] = [str(await owner.fetchval("select sum(revision) from ibex_core.teams"))]
        await owner.close()
        return found

    async def as_owner(self, statement: str) -> None:
        owner = await asyncpg.connect(self.database.owner_dsn)
        await owner.execute(statement)
        await owner.close()


def prepared(*writes: Write, refusals: tuple[str, ...] = ()) -> Prepared:
    return Prepared(
        batch=Batch(org_id=ORG, writes=writes),
        refusals=refusals or ("",) * len(writes),
        quarantines=("",) * len(writes),
        embedded=Embedded(),
        resembles=(Resemblance(),) * len(writes),
    )


@pytest.fixture
async def steps(database: Database) -> AsyncIterator[Steps]:
    """Activities of an org with a team, on a fresh database."""
    pool = await open_pool(database.product_dsn, 4)
    async with pool.acquire() as connection:
        await bootstrap.begin(connection, BEGINNING)
    owner = await asyncpg.connect(database.owner_dsn)
    team_id = await owner.fetchval("select team_id from ibex_core.teams")
    await owner.close()
    turns = Turns()
    yield Steps(
        pool=pool,
        database=database,
        team_id=team_id,
        write=WriteActivities(pool, turns, Verdicts(), digest_key=DIGEST_KEY),
        curate=CurateActivities(pool, turns, digest_key=DIGEST_KEY),
    )
    await pool.close()
