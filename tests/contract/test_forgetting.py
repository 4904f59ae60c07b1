"""Forgetting: what was said is nowhere afterwards but where the receipt says, and does not come back unasked."""

import asyncio
import json
import logging
import os
import subprocess
from typing import Any

import asyncpg
import pytest
from temporalio.api.common.v1 import Payload, WorkflowExecution
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryRequest, ListWorkflowExecutionsRequest
from temporalio.client import Client
from temporalio.service import RPCError

from kapelle.durable.codec import EncryptionCodec
from kapelle.settings import Secret
from tests.contract.holding import held
from tests.memory import AGENT, PAYLOAD_KEYS, Memory
from workers.stack import postgres

SENTINEL = "zirkonquitte"
FIRST = ("gotcha", "Webhook retries", f"The {SENTINEL} webhook retries 3 times with a delay of 10 seconds.")
EDITED = ("gotcha", "Webhook retries", f"The {SENTINEL} webhook retries 4 times with a delay of 10 seconds.")
RIVAL = ("gotcha", "Webhook retries", "The payments webhook retries 5 times with a delay of 10 seconds.")
LIFE: tuple[tuple[tuple[str, ...], dict[str, str]], ...] = (
    (("propose", *FIRST), {"source": AGENT}),
    (("propose", *FIRST), {"source": AGENT}),
    (("accept", "1"), {}),
    (("edit", "1", *EDITED), {}),
    (("feedback", "2", "helpful"), {"source": AGENT}),
    (("propose", *RIVAL), {"source": AGENT}),
    (("search", SENTINEL), {"source": AGENT}),
    (("export",), {}),
)


async def a_life(memory: Memory) -> None:
    """Let an entry be proposed, repeated, accepted, edited, rated, put in conflict, searched, shown and exported."""
    for args, fields in LIFE:
        assert (await memory.ask(*args, **fields))["ok"]


async def test_a_forgotten_text_is_found_only_where_its_receipt_says(
    memory: Memory, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    await a_life(memory)
    assert SENTINEL in await everything_stored(memory), "the search finds what is there"
    assert SENTINEL in dump(memory)
    assert SENTINEL in await histories(memory), "the search finds what Temporal has"

    for entry_id in ("1", "2"):
        assert (await memory.ask("forget", entry_id))["text"] == f"Entry {entry_id} forgotten."
        receipt = await memory.ask("receipt", entry_id)
        assert "entry: removed" in receipt["entries"]
        assert receipt["entries"][-1].endswith("deleted from Temporal")
    await gone_from_temporal(memory)

    assert SENTINEL not in await everything_stored(memory)
    assert SENTINEL not in dump(memory)
    for args in (("search", SENTINEL), ("list",), ("get", "1"), ("history", "2"), ("export",), ("conflicts",)):
        assert SENTINEL not in json.dumps(await memory.ask(*args)), args
    assert SENTINEL not in caplog.text
    assert SENTINEL not in "".join(capfd.readouterr())
    assert (await memory.ask("verify"))["ok"]


async def everything_stored(memory: Memory) -> str:
    """Return every row of every table as text."""
    owner = await asyncpg.connect(memory.database.owner_dsn)
    tables = await owner.fetch(
        "select schemaname, tablename from pg_tables where schemaname in ('ibex_core', 'public')"
    )
    rows = [
        str(row[0])
        for table in tables
        for row in await owner.fetch(f'select t::text from "{table["schemaname"]}"."{table["tablename"]}" as t')
    ]
    await owner.close()
    return "\n".join(rows)


def dump(memory: Memory) -> str:
    """Return the whole database as PostgreSQL's own tool writes it."""
    done = subprocess.run(
        [postgres.WHEEL_PROGRAMS / "pg_dump", memory.database.owner_dsn],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.defpath},
    )
    return done.stdout


async def histories(memory: Memory) -> str:
    """Return all payloads of all workflows of this test's task queue, decrypted."""
    client, codec = memory.services.temporal, EncryptionCodec(Secret(PAYLOAD_KEYS))
    payloads: list[Payload] = []
    for execution in await executions(client, memory.services.settings.task_queue):
        request = GetWorkflowExecutionHistoryRequest(namespace=client.namespace, execution=execution)
        try:
            collect((await client.workflow_service.get_workflow_execution_history(request)).history, payloads)
        except RPCError:
            # Listed still, and gone already.
            continue
    return "\n".join(payload.data.decode("utf-8", "replace") for payload in await codec.decode(payloads))


async def executions(client: Client, task_queue: str) -> list[WorkflowExecution]:
    request = ListWorkflowExecutionsRequest(namespace=client.namespace, query=f"TaskQueue = '{task_queue}'")
    return [each.execution for each in (await client.workflow_service.list_workflow_executions(request)).executions]


def collect(message: Any, payloads: list[Payload]) -> None:
    """Gather every payload in a protobuf message, however deep."""
    if isinstance(message, Payload):
        payloads.append(message)
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            inner = [each for each in value.values() if hasattr(each, "ListFields")]
        else:
            inner = [value] if hasattr(value, "ListFields") else list(value)
        for each in inner:
            collect(each, payloads)


async def gone_from_temporal(memory: Memory) -> None:
    """Wait until Temporal has carried out the deletions that it took on."""
    watcher = await asyncpg.connect(memory.database.owner_dsn)
    async with asyncio.timeout(30):
        while SENTINEL in await histories(memory):
            await watcher.execute("select pg_sleep(0.1)")
    await watcher.close()


async def test_a_write_that_was_asked_for_before_its_text_was_forgotten_loses_even_a_persons(memory: Memory) -> None:
    await memory.ask("add", *FIRST)
    await memory.ask("add", *RIVAL)
    async with held(memory, "demo") as team:
        forgetting = asyncio.create_task(memory.ask("forget", "1"))
        await team.waited_for(1)
        adding = asyncio.create_task(memory.ask("edit", "2", *FIRST))
        proposing = asyncio.create_task(memory.ask("propose", *FIRST, source=AGENT))
        await asyncio.wait({adding, proposing}, timeout=2)

    assert (await forgetting)["ok"]
    assert (await adding)["error"] == (
        "this text was forgotten in this team while it was being written; add it again if it is wanted"
    )
    assert not (await proposing)["ok"]
    assert await memory.rows("select id from ibex_core.memories") == [{"id": 2}]
    assert (await memory.ask("add", *FIRST))["ok"]


async def test_a_purge_says_what_would_go_and_then_does_it(memory: Memory) -> None:
    await a_life(memory)

    said = await memory.ask("purge", "agent", "coder")
    done = await memory.ask("purge", "agent", "coder", "apply")

    assert said == {
        "ok": True,
        "text": "2 entries of agent demo/coder would be forgotten",
        "entries": ["team demo: 2 entries"],
    }
    assert done["text"] == "2 entries of agent demo/coder forgotten."
    assert [row["source"] for row in await memory.rows("select source from ibex_core.memories")] == ["person:ada"]
    assert await memory.rows("select principal from ibex_core.memory_feedback") == []
    assert (await memory.ask("purge", "team", "demo", "apply"))["text"] == "1 entry of team demo forgotten."
    assert SENTINEL not in await everything_stored(memory)
    assert (await memory.ask("verify"))["ok"]


async def test_only_an_admin_purges_and_only_what_the_request_is_about(memory: Memory) -> None:
    await memory.team("add-member", "demo", "grace", "maintainer")

    assert not (await memory.ask("purge", "team", "demo", "apply", user="grace"))["ok"]
    assert not (await memory.ask("purge", "team", "demo", "apply", source=AGENT))["ok"]
    assert (await memory.ask("purge", "team", "other", "apply"))["error"] == (
        "the name must be that of the request's own team, 'demo'"
    )
    assert (await memory.ask("purge", "org", "other"))["error"].endswith("'default'")


async def test_a_hold_keeps_a_copy_that_the_service_cannot_read_until_it_is_lifted(memory: Memory) -> None:
    await memory.ask("add", *FIRST)
    await memory.ask("hold", "team", "demo", "Case 12")

    assert (await memory.ask("purge", "team", "demo", "apply"))["error"] == (
        "hold 1 on team demo stands in the way: Case 12"
    )
    assert (await memory.ask("forget", "1"))["ok"]

    assert not (await memory.ask("get", "1"))["ok"]
    assert (await memory.ask("search", SENTINEL))["text"] == "0 entries found"
    assert any(line.startswith("legal hold 1: ") for line in (await memory.ask("receipt", "1"))["entries"])
    kept = await memory.rows("select document ->> 'body' as body from ibex_core.held_memories")
    assert SENTINEL in kept[0]["body"]
    async with memory.services.pool.acquire() as product:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await product.fetch("select document from ibex_core.held_memories")
    assert (await memory.ask("lift-hold", "1"))["text"] == "Hold 1 lifted, 1 kept copy removed."
    assert SENTINEL not in await everything_stored(memory)
