"""The deployed NATS configuration on a real server: what callers of each account may claim and do."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client

from kapelle.adapters.nats.accounts import INFO_HEADER
from kapelle.adapters.nats.server import SUBJECT
from tests.architecture.repository import ROOT
from tests.memory import AGENT, PERSON, running_memory
from tests.stack import Database, Temporal
from workers.stack import probes
from workers.stack.home import locked
from workers.stack.ports import choose
from workers.stack.programs import program

ACCOUNTS = {"nats_people_account": "GATEWAY", "nats_agents_account": "AGENTS", "nats_doors_account": "DOORS"}
CONFIGURATION = (ROOT / "deploy" / "nats" / "nats.conf").read_text(encoding="utf-8")
PASSWORDS = {
    name: f"a-password-of-{name[13:]}" for name in re.findall(r"\$(KAPELLE_NATS_[A-Z]+_PASSWORD)", CONFIGURATION)
}
PROPOSAL = ("propose", "gotcha", "Webhook test is flaky", "It needs the clock fixture.", "")


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[int]:
    """A server with the deployed configuration; only its port and its folder are others."""
    with locked(tmp_path / "home") as home:
        number, monitoring = choose(home, ("nats", "monitoring"), {}).values()
    text = CONFIGURATION.replace("port: 4222", f'listen: "127.0.0.1:{number}"').replace(":8222", f":{monitoring}")
    file = tmp_path / "nats.conf"
    file.write_text(text.replace("/data", str(tmp_path / "data")), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        program("nats-server"), "-c", str(file), env={"PATH": os.defpath, **PASSWORDS}, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(20):
            while b"Server is ready" not in await process.stderr.readline():
                assert process.returncode is None
        await probes.nats(number, "kapelle", PASSWORDS["KAPELLE_NATS_SERVICE_PASSWORD"])
        yield number
    finally:
        process.terminate()
        await process.communicate()


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


async def test_each_account_claims_only_its_own_callers(port: int, database: Database, temporal: Temporal) -> None:
    password = PASSWORDS["KAPELLE_NATS_SERVICE_PASSWORD"]
    url = f"nats://kapelle:{password}@127.0.0.1:{port}"
    async with (
        running_memory(database, url, temporal, **ACCOUNTS),
        connected(port, "gateway") as gateway,
        connected(port, "agents") as agents,
        connected(port, "doors") as doors,
    ):
        assert await ask(agents, *PROPOSAL, source=AGENT) == "Entry 1 proposed."
        assert await ask(gateway, "accept", "1", user=PERSON) == "Entry 1 accepted."
        assert await ask(doors, "list", source=AGENT) == "1 entry"
        assert await ask(doors, "list", user=PERSON) == "1 entry"

        assert "speaks for agents" in await ask(agents, "list", user=PERSON)
        assert "speaks for agents" in await ask(agents, "list", source="service:anything")
        assert "agents may only" in await ask(agents, "forget", "1", source=AGENT)
        assert "speaks for people" in await ask(gateway, "list", source=AGENT)
        assert "speaks for people" in await ask(gateway, "list", source=AGENT, user=PERSON)


async def test_a_forged_stamp_changes_nothing(port: int, database: Database, temporal: Temporal) -> None:
    url = f"nats://kapelle:{PASSWORDS['KAPELLE_NATS_SERVICE_PASSWORD']}@127.0.0.1:{port}"
    async with running_memory(database, url, temporal, **ACCOUNTS), connected(port, "agents") as agents:
        for name in (INFO_HEADER, INFO_HEADER.lower()):
            forged = {name: '{"acc": "GATEWAY"}'}
            assert "speaks for agents" in await ask(agents, "list", user=PERSON, headers=forged)


async def test_a_request_without_a_stamp_is_refused(database: Database, nats_url: str, temporal: Temporal) -> None:
    async with running_memory(database, nats_url, temporal, **ACCOUNTS) as memory:
        reply = await memory.ask("list")

    assert reply == {"ok": False, "error": "this connection's account may not send commands"}


async def test_callers_can_neither_answer_commands_nor_listen_to_them(port: int) -> None:
    complaints: asyncio.Queue[str] = asyncio.Queue()

    async def complain(error: Exception) -> None:
        complaints.put_nowait(str(error).lower())

    password = PASSWORDS["KAPELLE_NATS_AGENTS_PASSWORD"]
    client = await nats.connect(f"nats://agents:{password}@127.0.0.1:{port}", error_cb=complain)
    await client.subscribe(SUBJECT, queue="controller")
    async with asyncio.timeout(10):
        assert "permissions violation for subscription" in await complaints.get()
    await client.close()
