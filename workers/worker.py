"""`python -m workers worker`: runs workflows and activities until it is told to stop."""

import os

from kapelle.durable import rounds, schedules
from kapelle.services import open_services
from kapelle.settings import Settings
from workers import process, readiness
from workers.memory_worker import memory_worker
from workers.warm import warming


async def run(settings: Settings) -> None:
    """Work until SIGTERM; what has begun is finished first."""
    process.configure_logging()
    opened = open_services(settings, os.environ, identity=process.identity("worker"))
    async with opened as services, memory_worker(services), warming(services.spaces):
        await schedules.keep_backfill(services.temporal, settings)
        await rounds.keep_upkeep(services.temporal, settings)
        readiness.announce()
        await process.stopped()
