"""Everything that a service has kept, as text to look for what must not be in it."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass

import asyncpg
from temporalio.api.common.v1 import Payload
from temporalio.api.history.v1 import HistoryEvent

from kapelle.durable.codec import EncryptionCodec
from kapelle.settings import Secret
from tests.memory import PAYLOAD_KEYS, Memory

_TABLES = """
select format('%I.%I', schemaname, tablename) as name from pg_tables
where schemaname not in ('pg_catalog', 'information_schema') order by 1
"""


async def tables(memory: Memory) -> dict[str, str]:
    """Return every row of every table as text, by table."""
    owner = await asyncpg.connect(memory.database.owner_dsn)
    try:
        names = [row["name"] for row in await owner.fetch(_TABLES)]
        return {
            name: "\n".join(row[0] for row in await owner.fetch(f"select t::text from {name} as t")) for name in names
        }
    finally:
        await owner.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """What Temporal keeps of a service's workflows: as it lies there, and as the holder of the key reads it."""

    raw: str
    readable: str


async def histories(memory: Memory) -> Histories:
    """Return the histories and descriptions of all workflows of the service's task queue, which must have ended."""
    client = memory.services.temporal
    queue = memory.services.settings.task_queue
    ids = [one.id async for one in client.list_workflows(f"TaskQueue = '{queue}'")]
    raw, readable = [], []
    codec = EncryptionCodec(Secret(PAYLOAD_KEYS))
    for workflow_id in ids:
        handle = client.get_workflow_handle(workflow_id)
        description = await handle.describe()
        events = (await handle.fetch_history()).events
        raw += [description.raw_description.SerializeToString(), *(event.SerializeToString() for event in events)]
        payloads = [payload for event in events for payload in _payloads(event)]
        readable += [payload.data for payload in await codec.decode(payloads)]
    return Histories(raw=_text(raw), readable=_text(readable))


def _text(pieces: list[bytes]) -> str:
    return b"\n".join(pieces).decode(errors="replace")


def _payloads(message: HistoryEvent) -> Iterator[Payload]:
    """Yield every payload that is anywhere in an event."""
    for field, value in message.ListFields():
        yield from _below(field, value)


def _below(field: object, value: object) -> Iterator[Payload]:
    if isinstance(value, Payload):
        yield value
    elif isinstance(value, (str, bytes, int, float)):
        return
    elif hasattr(value, "ListFields"):
        for inner, below in value.ListFields():
            yield from _below(inner, below)
    elif hasattr(value, "values"):
        for below in value.values():
            yield from _below(field, below)
    else:
        for below in value:  # type: ignore[attr-defined]
            yield from _below(field, below)


def holds(text: str, marker: str) -> bool:
    """Tell whether a text holds the marker: as it is, in hexadecimal or in base64."""
    plain = marker.encode()
    forms = [marker, plain.hex()]
    for shift in range(3):
        # The first and the last characters depend on what stands around the marker.
        forms.append(base64.b64encode(b"\0" * shift + plain)[4 if shift else 0 : -4].decode())
    return any(form in text for form in forms)
