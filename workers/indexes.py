"""`python -m workers indexes`: keeps the vector indexes of large teams, as the owner of the schema.

Until a team's index is there, its vectors are scanned: slower, and complete. So nothing waits for this process.
"""

import asyncio
import logging

import asyncpg

from kapelle.store import search_vectors
from workers import process

log = logging.getLogger(__name__)

# A bulk import that makes a team large is noticed this much later at most.
PAUSE_SECONDS = 15.0
_FAILURES = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError)


async def run(owner_dsn: str, org: str) -> None:
    """Keep them until SIGTERM."""
    work = asyncio.create_task(keep(owner_dsn, org))
    await process.stopped()
    work.cancel()
    await asyncio.wait({work})


async def keep(owner_dsn: str, org: str) -> None:
    """Build what is missing and drop what is obsolete, again and again; never returns."""
    while True:
        try:
            await keep_once(owner_dsn, org)
        except _FAILURES as error:
            # A build that was cut off is begun anew the next time.
            log.warning("vector indexes not kept", extra={"error": type(error).__name__})
        await asyncio.sleep(PAUSE_SECONDS)


async def keep_once(owner_dsn: str, org: str, *, above: int = search_vectors.EXACT_UP_TO) -> int:
    """Build what is missing and drop what is obsolete, and return how many that were."""
    owner = await asyncpg.connect(owner_dsn)
    try:
        gone = await search_vectors.obsolete(owner, org_id=org)
        for team in gone:
            await search_vectors.drop(owner, team)
        missing = await search_vectors.unindexed(owner, org_id=org, above=above)
        for team in missing:
            await search_vectors.build(owner, team)
            log.info("vector index built", extra={"team_id": team.team_id, "model": team.model})
        return len(gone) + len(missing)
    finally:
        await owner.close()
