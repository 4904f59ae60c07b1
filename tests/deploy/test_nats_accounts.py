"""The deployed NATS configuration on a real server: what callers of each account may claim and do."""

import asyncio

import nats

from kapelle.adapters.nats.accounts import INFO_HEADER
from kapelle.adapters.nats.server import SUBJECT
from tests.deploy.accounts import ACCOUNTS, PASSWORDS, ask, connected
from tests.memory import AGENT, PERSON, running_memory
from tests.stack import Database, Temporal

PROPOSAL = ("propose", "gotcha", "Webhook test is flaky", "It needs the clock fixture.", "")


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
