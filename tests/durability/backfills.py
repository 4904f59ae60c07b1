"""A backfill whose worker is killed again and again.

`python -m tests.durability.backfills --entries 10000 --kills 10` runs one and says how it ended.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
from temporalio.client import WorkflowHandle

from activities.backfill import BATCH_ENTRIES
from kapelle.contracts.backfill import BackfillEmbeddings, Order
from kapelle.domain.outcomes import Outcome
from kapelle.durable.client import connect
from kapelle.settings import Secret
from tests.embedder import ALIAS
from tests.memory import DIGEST_KEY, PAYLOAD_KEYS
from tests.stack import Database, Temporal, fresh_database, running_servers
from workers.stack.servers import Addresses

ROOT = Path(__file__).parents[2]
SECONDS = 900
# Entries as they are when no embedder was configured.
ENTRIES = """
with team as (
    insert into ibex_core.teams (org_id, slug, name) values ('default', 'many', 'x') returning org_id, team_id
), stored as (
    insert into ibex_core.memories (org_id, team_id, kind, title, body, status, source, operation_id, salt)
    select org_id, team_id, 'fact', 'note ' || n, 'body', 'curated', 'person:ada', gen_random_uuid(),
           decode(repeat('00', 16), 'hex')
    from team, generate_series(1, $1::integer) as n
    returning org_id, team_id, id, status, title
)
insert into ibex_core.memory_search (org_id, team_id, memory_id, status, text_hash, terms, impacts)
select org_id, team_id, id, status, sha256(title::bytea), '{}', '{}/536870912' from stored
"""
VECTORS = "select count(*) as rows, count(distinct memory_id) as entries from ibex_core.memory_embeddings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a backfill ended. `again` is how many texts were embedded more than once, counted each time."""

    said: str
    kills: int
    vectors: int
    entries: int
    texts: int
    again: int
    # How often the text that was embedded most was embedded.
    most: int

    @property
    def most_again(self) -> int:
        """Return what the kills may have made somebody embed once more: the batch under way at each."""
        return self.kills * BATCH_ENTRIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What the workers of one backfill share."""

    database: Database
    temporal: Temporal
    record: Path
    per_minute: int

    async def worker(self) -> asyncio.subprocess.Process:
        """Start a worker and wait until it is ready."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.durability.backfill_worker", str(self.record)),
            cwd=ROOT,
            env={
                "KAPELLE_DATABASE_URL": self.database.product_dsn,
                "KAPELLE_NATS_URL": "nats://nobody",
                "KAPELLE_PAYLOAD_KEYS": PAYLOAD_KEYS,
                "KAPELLE_DIGEST_KEY": DIGEST_KEY,
                "KAPELLE_EMBED_ALIAS": ALIAS,
                "KAPELLE_BACKFILL_PER_MINUTE": str(self.per_minute),
                "KAPELLE_TASK_QUEUE": self.temporal.task_queue,
                "TEMPORAL_ADDRESS": self.temporal.address,
                "TEMPORAL_NAMESPACE": self.temporal.namespace,
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        return process


async def play(setup: Setup, *, entries: int, kills: int, chance: random.Random) -> Ended:
    """Kill the worker each time after a chance number of batches, and let the backfill come to its end."""
    owner = await asyncpg.connect(setup.database.owner_dsn)
    await owner.execute("insert into ibex_core.organizations values ('default', 'default') on conflict do nothing")
    await owner.execute(ENTRIES, entries)
    client = await connect({"TEMPORAL_ADDRESS": setup.temporal.address}, Secret(PAYLOAD_KEYS), identity="test")
    handle = await client.start_workflow(
        BackfillEmbeddings.run,
        Order(org_id="default"),
        id=f"test/{uuid.uuid4()}",
        task_queue=setup.temporal.task_queue,
    )
    batches = entries // BATCH_ENTRIES
    killed = 0
    worker = await setup.worker()
    try:
        async with asyncio.timeout(SECONDS):
            while killed < kills:
                await _some_batches(worker, chance.randint(1, max(1, batches // (kills + 1))))
                worker.kill()
                await worker.wait()
                killed += 1
                worker = await setup.worker()
            said = (await _result(handle, worker)).reason
    finally:
        worker.terminate()
        await worker.wait()
    row = await owner.fetchrow(VECTORS)
    await owner.close()
    assert row is not None
    counts = Counter(setup.record.read_text(encoding="utf-8").splitlines())
    return Ended(
        said=said,
        kills=killed,
        vectors=row["rows"],
        entries=row["entries"],
        texts=len(counts),
        again=counts.total() - len(counts),
        most=max(counts.values()),
    )


async def _some_batches(worker: asyncio.subprocess.Process, count: int) -> None:
    assert worker.stdout is not None
    for _ in range(count):
        assert await worker.stdout.readline() == b"embedded\n"


async def _result(handle: WorkflowHandle[Any, Outcome], worker: asyncio.subprocess.Process) -> Outcome:
    """Wait for the end, and read on what the worker says, which would be held up otherwise."""
    assert worker.stdout is not None
    reading = asyncio.create_task(worker.stdout.read())
    try:
        return await handle.result()
    finally:
        reading.cancel()


async def _one(servers: Addresses, wanted: argparse.Namespace) -> int:
    entries = wanted.entries
    with tempfile.TemporaryDirectory() as folder:
        async with fresh_database(servers) as database:
            setup = Setup(
                database=database,
                temporal=Temporal(
                    address=servers.temporal_address, namespace="default", task_queue=f"kill-{uuid.uuid4().hex}"
                ),
                record=Path(folder) / "embedded",
                per_minute=20_000,
            )
            began = time.monotonic()
            chance = random.Random(wanted.seed)  # noqa: S311 - a run that can be repeated
            ended = await play(setup, entries=entries, kills=wanted.kills, chance=chance)
    intact = ended.vectors == ended.entries == ended.texts == entries and ended.again <= ended.most_again
    sys.stdout.write(f"{'intact' if intact else 'BROKEN'} after {time.monotonic() - began:.0f} s: {ended}\n")
    return 0 if intact else 1


def main() -> int:
    """Run the backfill that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with running_servers() as servers:
        return asyncio.run(_one(servers, wanted))


if __name__ == "__main__":
    sys.exit(main())
