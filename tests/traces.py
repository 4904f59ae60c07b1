"""Everything that a service has kept, as text to look for what must not be in it."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncpg
from temporalio.api.common.v1 import Payload
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client

from kapelle.durable.codec import EncryptionCodec
from kapelle.settings import Secret
from tests.memory import PAYLOAD_KEYS

_TABLES = """
select format('%I.%I', schemaname, tablename) as name from pg_tables
where schemaname not in ('pg_catalog', 'information_schema') order by 1
"""


async def tables(dsn: str) -> dict[str, str]:
    """Return every row of every table as text, by table, read as the owner."""
    owner = await asyncpg.connect(dsn)
    try:
        names = [row["name"] for row in await owner.fetch(_TABLES)]
        return {
            name: "\n".join(row[0] for row in await owner.fetch(f"select t::text from {name} as t")) for name in names
        }
    finally:
        await owner.close()


async def workflow_ids(dsn: str) -> list[str]:
    """Return the workflows that operations name; a lone refusal at the door has none."""
    owner = await asyncpg.connect(dsn)
    try:
        rows = await owner.fetch("select distinct workflow_id from ibex_core.operations where workflow_id <> ''")
        return [row["workflow_id"] for row in rows]
    finally:
        await owner.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """What Temporal keeps of workflows: as it lies there, and as the holder of the key reads it."""

    raw: str
    readable: str


async def histories(client: Client, ids: Sequence[str], keys: str = PAYLOAD_KEYS) -> Histories:
    """Return the histories and descriptions of these workflows."""
    raw: list[bytes] = []
    readable: list[bytes] = []
    codec = EncryptionCodec(Secret(keys))
    for workflow_id in ids:
        handle = client.get_workflow_handle(workflow_id)
        description = await handle.describe()
        events = (await handle.fetch_history()).events
        raw += [description.raw_description.SerializeToString(), *(event.SerializeToString() for event in events)]
        payloads = [payload for event in events for payload in _payloads(event)]
        readable += [payload.data for payload in await codec.decode(payloads)]
    return Histories(raw=_text(raw), readable=_text(readable))


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its content."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def found(marker: str, content: bytes) -> bool:
    """Tell whether content holds the marker: as text, in UTF-16, in hexadecimal or in base64."""
    plain = marker.encode()
    forms = [plain, marker.encode("utf-16-le"), plain.hex().encode()]
    for shift in range(3):
        # The first and the last characters depend on what stands around the marker.
        forms.append(base64.b64encode(b"\0" * shift + plain)[4 if shift else 0 : -4])
    return any(form in content for form in forms)


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
