"""`python -m workers http`: answers HTTP, and runs the workflows of its writes in the same process."""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from fastapi import FastAPI

from kapelle.adapters.http.app import create_app
from kapelle.domain.errors import Unavailable
from kapelle.durable import schedules
from kapelle.services import Tenants, open_services
from kapelle.settings import Settings
from workers import process, readiness
from workers.memory_worker import memory_worker
from workers.warm import warming

DRAIN_SECONDS = 10
BACKLOG = 2048


async def run(settings: Settings) -> None:
    """Serve until SIGTERM: then no new requests, answers to those under way, and the workflows to their end."""
    process.configure_logging()
    async with open_services(settings, os.environ, identity=process.identity("http")) as services:
        tenants = Tenants(services)
        async with memory_worker(services), warming(services.spaces):
            await schedules.keep_backfill(services.temporal, settings)
            async with serving(create_app(tenants), settings.http_host, settings.http_port):
                readiness.announce()
                await process.stopped()
            await tenants.drain(DRAIN_SECONDS)


class _Server(uvicorn.Server):
    """Leaves signals to the process, which has more to stop than its server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@contextlib.asynccontextmanager
async def serving(app: FastAPI, host: str, port: int) -> AsyncIterator[int]:
    """Serve an application, and yield the port: the given one, or a free one for 0.

    Raises:
        Unavailable: when nothing can listen there.
    """
    with _listener(host, port) as listener:
        config = uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            # A line a request would hold its path, which is the caller's text.
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
        server = _Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        waiting = asyncio.create_task(server.listening.wait())
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await task


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise Unavailable(f"nothing can listen on {host} port {port}: {error.strerror}") from None
