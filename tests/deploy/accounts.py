"""The accounts of the deployed NATS configuration, and a caller in each."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import nats
from nats.aio.client import Client

from kapelle.adapters.nats.server import SUBJECT
from tests.architecture.repository import ROOT

ACCOUNTS: dict[str, Any] = {
    "nats_people_account": "GATEWAY",
    "nats_agents_account": "AGENTS",
    "nats_doors_account": "DOORS",
}
CONFIGURATION = (ROOT / "deploy" / "nats" / "nats.conf").read_text(encoding="utf-8")
PASSWORDS = {
    name: f"a-password-of-{name[13:]}" for name in re.findall(r"\$(KAPELLE_NATS_[A-Z]+_PASSWORD)", CONFIGURATION)
}


@asynccontextmanager
async def connected(port: int, user: str) -> AsyncIterator[Client]:
    """A caller whose mistakes with permissions stay its own."""

    async def quietly(_: Exception) -> None:
        """The server's complaints are what some of the tests are about."""

    password = PASSWORDS[f"KAPELLE_NATS_{user.upper()}_PASSWORD"]
    client = await nats.connect(f"nats://{user}:{password}@127.0.0.1:{port}", error_cb=quietly)
    try:
        yield client
    finally:
        await client.close()


async def ask(client: Client, *args: str, headers: dict[str, str] | None = None, **fields: str) -> str:
    """Ask the memory command of team demo and return the reply's text, or its error."""
    request = {"command": "memory", "team": "demo", "args": args} | fields
    reply = json.loads((await client.request(SUBJECT, json.dumps(request).encode(), timeout=10, headers=headers)).data)
    return str(reply["text"] if reply["ok"] else reply["error"])
