"""Makes writes slow without a clock: holds a team's lock from the owner's connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import asyncpg

from tests.memory import Memory

# As the product takes it, so that rows that point to the team can still be written.
LOCK = "select team_id from ibex_core.teams where slug = $1 for no key update"
WAITING = """
select count(*) from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock' and $1 = any(pg_blocking_pids(pid))
"""
# Each look costs the server a moment, so that looking again and again is no burden.
SECONDS = 30
MOMENT = "select pg_sleep(0.02)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A team's lock in our hands."""

    watcher: "asyncpg.Connection[asyncpg.Record]"
    holder_pid: int

    async def waited_for(self, waiting: int = 1) -> None:
        """Return once this many transactions wait for the lock.

        Raises:
            TimeoutError: when they never do, so that a write which was refused does not hang the test.
        """
        async with asyncio.timeout(SECONDS):
            while await self.watcher.fetchval(WAITING, self.holder_pid) < waiting:
                await self.watcher.execute(MOMENT)


@asynccontextmanager
async def held(memory: Memory, slug: str) -> AsyncIterator[Held]:
    """Hold the team's lock, so that nothing can be written in it until the end."""
    holder = await asyncpg.connect(memory.database.owner_dsn)
    watcher = await asyncpg.connect(memory.database.owner_dsn)
    try:
        async with holder.transaction():
            await holder.fetch(LOCK, slug)
            yield Held(watcher=watcher, holder_pid=holder.get_server_pid())
    finally:
        await holder.close()
        await watcher.close()
