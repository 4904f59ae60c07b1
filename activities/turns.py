"""Turns: of the transactions that need a team's lock, one at a time waits for it from this process."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary


class Turns:
    """Keeps a team's decisions from holding connections while they wait for each other."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, team_ids: Iterable[int]) -> AsyncIterator[None]:
        """Wait for the turn of these teams, in the fixed order in which the database's locks are taken too."""
        async with AsyncExitStack() as stack:
            for team_id in sorted(set(team_ids)):
                await stack.enter_async_context(self._locks.setdefault(team_id, asyncio.Lock()))
            yield
