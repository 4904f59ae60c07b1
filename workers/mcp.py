"""`python -m workers mcp`: the MCP server for agents, over HTTP or, for one agent, over standard input and output."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator, Mapping

import uvicorn
from mcp.server.stdio import stdio_server

from kapelle.adapters.mcp import config, door
from kapelle.adapters.mcp.config import McpConfig
from kapelle.adapters.mcp.server import NO_AGENT, create
from kapelle.adapters.mcp.service import Agent, RefusedByService, Service
from kapelle.adapters.nats.server import connect
from kapelle.domain.errors import NotAllowed, Unavailable
from workers import process, readiness

DRAIN_SECONDS = 10
BACKLOG = 2048


async def run(env: Mapping[str, str], *, stdio: bool) -> None:
    """Serve until SIGTERM, or over stdio until the client is gone.

    Raises:
        SettingsError: when the environment lacks something.
        NotAllowed: over stdio, when the token stands for no agent.
        Unavailable: when NATS does not answer or nothing can listen.
    """
    settings = config.read(env)
    async with _connected(settings) as service:
        await (_over_stdio(service, settings) if stdio else _over_http(service, settings))


@contextlib.asynccontextmanager
async def _connected(settings: McpConfig) -> AsyncIterator[Service]:
    client = await connect(settings.nats_url.value, name=process.identity("mcp"))
    try:
        yield Service(client)
    finally:
        await client.close()


async def _over_stdio(service: Service, settings: McpConfig) -> None:
    token = settings.token.value

    async def identify(_context: object) -> Agent | None:
        # Asked anew each time, so that a token that is revoked ends what it was good for.
        return await service.agent(token)

    await _require_agent(service, token)
    server = create(service, identify)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def _require_agent(service: Service, token: str) -> None:
    try:
        agent = await service.agent(token) if token else None
    except RefusedByService as refusal:
        raise Unavailable(refusal.message) from None
    if agent is None:
        raise NotAllowed(NO_AGENT)


async def _over_http(service: Service, settings: McpConfig) -> None:
    with _listener(settings.host, settings.port) as listener:
        server = _Server(
            uvicorn.Config(
                door.app(service, settings.host),
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=DRAIN_SECONDS,
            )
        )
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        # It listens already: what comes before the server is ready waits in the socket's queue.
        readiness.announce()
        stopping = asyncio.create_task(process.stopped())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    """Leaves signals to the process, which has more to stop than its server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise Unavailable(f"nothing can listen on {host} port {port}: {error.strerror}") from None
