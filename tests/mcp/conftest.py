"""An MCP server over both transports, each as a process of its own, before a running memory service."""

import os
import sys
from collections.abc import AsyncIterator

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.architecture.repository import ROOT
from tests.mcp.doors import Door, listening, over_http
from tests.memory import Memory


@pytest.fixture(params=["http", "stdio"])
async def door(request: pytest.FixtureRequest, memory: Memory) -> AsyncIterator[Door]:
    """The way in, once over each transport."""
    nats_url = memory.services.settings.nats_url.value
    if request.param == "http":
        async with listening(nats_url) as url:
            yield lambda token: over_http(url, token)
        return

    def over_stdio(token: str) -> Client:
        environment = {"PATH": os.environ["PATH"], "KAPELLE_NATS_URL": nats_url, "KAPELLE_TOKEN": token}  # noqa: TID251
        command = ["-m", "workers", "mcp", "--stdio"]
        server = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=ROOT)
        return Client(stdio_client(server))

    yield over_stdio
