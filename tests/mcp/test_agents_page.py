"""The configurations on docs/agents.md start and connect as they stand there."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

from kapelle.adapters.mcp.tools import TOOLS
from tests.architecture.repository import ROOT
from tests.mcp.doors import listening, over_http
from tests.memory import Memory

PAGE = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
NAMES = [tool.name for tool in TOOLS]


def configurations(transport: str, **places: str) -> list[dict[str, Any]]:
    """Return the page's configurations of a transport, with what a reader fills in."""
    found = re.findall(rf"^```json {transport}\n(.+?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    for placeholder, value in places.items():
        found = [text.replace(PLACES[placeholder], value) for text in found]
    return [json.loads(text)["mcpServers"]["kapelle"] for text in found]


PLACES = {"token": "kap_…", "home": "/path/to/kapelle/.kapelle", "python": "/path/to/kapelle/.venv/bin/python"}


async def test_the_addresses_connect(memory: Memory) -> None:
    shown = configurations("http", token="kap_agent")
    assert len(shown) == 2
    async with listening(memory.services.settings.nats_url.value) as url:
        for configuration in shown:
            assert configuration["url"] == "http://127.0.0.1:8401/mcp"
            token = configuration["headers"]["Authorization"].removeprefix("Bearer ")
            async with over_http(url, token) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == NAMES


async def test_the_command_starts(memory: Memory, tmp_path: Path) -> None:
    endpoints = {"nats_url": memory.services.settings.nats_url.value}
    tmp_path.joinpath("endpoints.json").write_text(json.dumps(endpoints), encoding="utf-8")
    (shown,) = configurations("stdio", token="kap_agent", home=str(tmp_path), python=sys.executable)
    server = StdioServerParameters(command=shown["command"], args=shown["args"], env=shown["env"])
    async with Client(stdio_client(server)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
