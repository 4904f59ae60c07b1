"""No text of a memory can be read in what Temporal keeps, nor in a log, whatever became of the write."""

import asyncio
import base64
import logging
import tempfile
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest
from temporalio.api.common.v1 import Payload, WorkflowExecution
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryRequest
from temporalio.client import Client

from kapelle.durable.codec import EncryptionCodec
from kapelle.settings import Secret
from tests.memory import AGENT, PAYLOAD_KEYS, Memory, running_memory
from tests.stack import Database, Temporal
from tests.traces import found
from workers.stack import home, secrets
from workers.stack.servers import Addresses, Plan, Real, Servers

CREDENTIAL = "AKIA" + "Q3EGRTQ7ZJ5LWXYB"
# Words that occur nowhere else, one for each fate of a text.
TITLE, BODY, TAG = "zirkonquitte", "mondkalbwurzel", "drosselgrund"
EDITED, FORGOTTEN, FAILED, BATCHED = "ambossfarn", "tintenhecht", "granatwinde", "kieselmolch"
REFUSED, MAIL = "schattenrohr", "irmgard.kupferdorn@gmail.com"
MARKERS = (TITLE, BODY, TAG, EDITED, FORGOTTEN, FAILED, BATCHED, REFUSED, "kupferdorn", CREDENTIAL)
# The database quotes the text that it fails on, as a driver's message may do.
QUOTE_AND_FAIL = f"""
create function public.quote_and_fail() returns trigger language plpgsql as $$
begin
    if new.body like '%{FAILED}%' then
        raise exception 'cannot store: %', new.body using detail = new.title, hint = new.body;
    end if;
    return new;
end
$$;
create trigger quote_and_fail before insert on ibex_core.memories for each row execute function public.quote_and_fail();
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A Temporal of the test's own, whose files can be read when it has stopped."""

    address: str
    folder: Path
    servers: Servers

    async def files(self) -> dict[str, bytes]:
        """Stop the server, so that everything is in its files, and return those with their content."""
        await self.servers.stop()
        return {file.name: file.read_bytes() for file in self.folder.rglob("*") if file.is_file()}


@pytest.fixture
async def kept(servers: Addresses) -> AsyncIterator[Kept]:
    """Temporal alone, in a folder of its own, beside the session's other servers."""
    with tempfile.TemporaryDirectory(prefix="kapelle-leaks-") as folder, home.locked(Path(folder)) as here:
        real = Real(nats_url=servers.nats_url, database_url=servers.product_dsn)
        own = Servers(Plan(home=here, secrets=secrets.keep(here), report=lambda _: None, real=real, durable=False))
        try:
            await own.start()
            yield Kept(address=own.addresses.temporal_address, folder=Path(folder), servers=own)
        finally:
            await own.stop()


async def test_no_text_can_be_read_in_what_temporal_keeps_or_in_a_log(
    database: Database,
    nats_url: str,
    kept: Kept,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    temporal = Temporal(address=kept.address, namespace="default", task_queue=f"leaks-{uuid.uuid4().hex}")
    async with running_memory(database, nats_url, temporal, batches=1) as memory:
        await _live(memory)
        workflow_ids = await _workflow_ids(memory)
        client = memory.services.temporal
        histories = b"".join([await _history(client, workflow_id) for workflow_id in workflow_ids])
        beside = b"".join([await _described(client, workflow_id) for workflow_id in workflow_ids])
        readable = b"".join([await _decrypted(client, workflow_id) for workflow_id in workflow_ids])

    files = await kept.files()
    logs = _logged(caplog) + "".join(capfd.readouterr()).encode()
    database_file = b"".join(content for name, content in files.items() if name.startswith("temporal.db"))

    # The texts went this way, so that to find them nowhere means something.
    assert {marker for marker in (TITLE, BODY, TAG, EDITED, FAILED, BATCHED) if not found(marker, readable)} == set()
    assert all(workflow_id.encode() in database_file for workflow_id in workflow_ids)
    assert b"activity failed unexpectedly" in logs
    places = {"histories": histories, "ids, memos, attributes": beside, "logs": logs} | files
    assert [(marker, place) for marker in MARKERS for place, content in places.items() if found(marker, content)] == []


async def test_what_the_scan_refuses_or_cuts_out_enters_no_history_even_encrypted(
    database: Database, nats_url: str, temporal: Temporal
) -> None:
    async with running_memory(database, nats_url, temporal) as memory:
        await memory.ask("add", "fact", "Observatory", f"Ask {MAIL} when its dome opens.")
        refused = await memory.ask("add", "fact", REFUSED, f"The key is {CREDENTIAL}")
        workflow_ids = await _workflow_ids(memory)
        readable = b"".join([await _decrypted(memory.services.temporal, one) for one in workflow_ids])

    assert not refused["ok"]
    assert b"Observatory" in readable
    assert b"kupferdorn" not in readable
    assert CREDENTIAL.encode() not in readable
    assert REFUSED.encode() not in readable


def test_a_marker_is_found_however_it_is_written() -> None:
    text = f"before {BODY} after"

    assert found(BODY, text.encode())
    assert found(BODY, text.encode("utf-16-le"))
    assert found(BODY, text.encode().hex().encode())
    for shift in range(3):
        assert found(BODY, base64.b64encode(b"x" * shift + text.encode()))
    assert not found(BODY, b"before after")


async def _live(memory: Memory) -> None:
    """Write, be refused, fail, edit and forget, with the markers in the texts."""
    owner = await asyncpg.connect(memory.database.owner_dsn)
    await owner.execute(QUOTE_AND_FAIL)
    await owner.close()
    assert (await memory.ask("propose", "fact", TITLE, f"{BODY} " * 50, TAG, source=AGENT))["ok"]
    assert (await memory.ask("accept", "1"))["ok"]
    edited = await memory.ask("edit", "1", "fact", TITLE, f"{EDITED} " * 50, TAG)
    assert edited["ok"], edited
    assert not (await memory.ask("add", "fact", REFUSED, f"key {CREDENTIAL}"))["ok"]
    forgotten = await memory.ask("add", "fact", FORGOTTEN, f"{FORGOTTEN} " * 50)
    assert (await memory.ask("forget", forgotten["text"].split()[1]))["ok"]
    # Alone, and in a batch that has to be split; one batch at a time makes the later ones share.
    assert not (await memory.ask("add", "fact", FAILED, f"{FAILED} alone"))["ok"]
    together = [f"{BATCHED} {number}" for number in range(4)] + [f"{FAILED} together"]
    replies = await asyncio.gather(*(memory.ask("add", "fact", "Together", body) for body in together))
    assert [reply["ok"] for reply in replies] == [True] * 4 + [False]


async def _workflow_ids(memory: Memory) -> list[str]:
    rows = await memory.rows("select distinct workflow_id from ibex_core.operations where workflow_id <> ''")
    assert rows
    return [row["workflow_id"] for row in rows]


async def _history(client: Client, workflow_id: str) -> bytes:
    """Return a history as the server sends it."""
    request = GetWorkflowExecutionHistoryRequest(
        namespace=client.namespace, execution=WorkflowExecution(workflow_id=workflow_id)
    )
    answer = await client.workflow_service.get_workflow_execution_history(request)
    assert not answer.next_page_token
    return answer.SerializeToString()


async def _described(client: Client, workflow_id: str) -> bytes:
    """Return what the server tells of a workflow without its history: id, type, memo, search attributes, summaries."""
    description = await client.get_workflow_handle(workflow_id).describe()
    return description.raw_description.SerializeToString()


async def _decrypted(client: Client, workflow_id: str) -> bytes:
    """Return what the holder of the key can read of a history."""
    codec = EncryptionCodec(Secret(PAYLOAD_KEYS))
    payloads: list[Payload] = []
    for event in (await client.get_workflow_handle(workflow_id).fetch_history()).events:
        payloads += event.workflow_execution_started_event_attributes.input.payloads
        payloads += event.workflow_execution_completed_event_attributes.result.payloads
        payloads += event.marker_recorded_event_attributes.details["result"].payloads
    return b"\n".join(payload.data for payload in await codec.decode(payloads))


def _logged(caplog: pytest.LogCaptureFixture) -> bytes:
    """Return all records with their tracebacks and everything that was hung on them."""
    formatter = logging.Formatter()
    return "\n".join(f"{formatter.format(record)} {record.__dict__}" for record in caplog.records).encode()
