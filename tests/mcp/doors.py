"""Ways to start an MCP server as people do, and to reach it with the SDK's own client."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.architecture.repository import ROOT
from workers.stack.ports import LOOPBACK, _any_free

# Takes a token and connects with it.
Door = Callable[[str], AbstractAsyncContextManager[Client]]


@contextlib.asynccontextmanager
async def listening(nats_url: str) -> AsyncIterator[str]:
    """Run `python -m workers mcp` on a free port, and yield its URL once it is ready."""
    port = _any_free(set())
    ready, announced = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "workers", "mcp"),
        cwd=ROOT,
        env={"KAPELLE_NATS_URL": nats_url, "KAPELLE_MCP_PORT": str(port), "KAPELLE_READY_FD": str(announced)},
        pass_fds=(announced,),
    )
    os.close(announced)
    try:
        assert await asyncio.to_thread(os.read, ready, 1), "the server ended before it was ready"
        yield f"http://{LOOPBACK}:{port}/mcp"
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        code = await process.wait()
        os.close(ready)
    assert code == 0


@contextlib.asynccontextmanager
async def over_http(url: str, token: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client
