"""`python -m workers commands`: answers the NATS commands, and runs their workflows in the same process."""

import os

from kapelle.adapters.nats.server import CommandServer, connect
from kapelle.durable import rounds, schedules
from kapelle.services import open_services
from kapelle.settings import Settings
from workers import process, readiness
from workers.memory_worker import memory_worker
from workers.warm import warming

DRAIN_SECONDS = 10


async def run(settings: Settings) -> None:
    """Serve until SIGTERM: then no new requests, answers to those under way, and the workflows to their end."""
    process.configure_logging()
    async with open_services(settings, os.environ, identity=process.identity("commands")) as services:
        client = await connect(settings.nats_url.value, name=process.identity("commands"))
        try:
            async with memory_worker(services), warming(services.spaces):
                server = CommandServer(client, services)
                await server.start()
                await schedules.keep_backfill(services.temporal, settings)
                await rounds.keep_upkeep(services.temporal, settings)
                readiness.announce()
                await process.stopped()
                await server.close()
                await services.writer.drain(DRAIN_SECONDS)
        finally:
            await client.close()
