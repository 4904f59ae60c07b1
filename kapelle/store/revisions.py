"""Being told of changes that other processes make: one connection that listens, for as long as the process lives."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from datetime import timedelta

import asyncpg

log = logging.getLogger(__name__)

CHANNEL = "kapelle_revisions"
PAUSE = timedelta(seconds=1)


@contextlib.asynccontextmanager
async def listening(
    database_url: str, moved: Callable[[int, int], None], lost: Callable[[], None]
) -> AsyncIterator[None]:
    """Call `moved` with each team and its new revision, and `lost` whenever changes may have been missed."""
    task = asyncio.create_task(_listen(database_url, moved, lost))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _listen(database_url: str, moved: Callable[[int, int], None], lost: Callable[[], None]) -> None:
    while True:
        try:
            await _until_closed(database_url, moved)
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.warning("not told of changes", extra={"error": type(error).__name__})
        lost()
        await asyncio.sleep(PAUSE.total_seconds())


async def _until_closed(database_url: str, moved: Callable[[int, int], None]) -> None:
    closed = asyncio.Event()

    def told(_connection: object, _pid: int, _channel: str, payload: object) -> None:
        team_id, _, revision = str(payload).partition(" ")
        moved(int(team_id), int(revision))

    connection = await asyncpg.connect(database_url, server_settings={"application_name": "kapelle-revisions"})
    try:
        connection.add_termination_listener(lambda _connection: closed.set())
        await connection.add_listener(CHANNEL, told)
        await closed.wait()
    finally:
        connection.terminate()
