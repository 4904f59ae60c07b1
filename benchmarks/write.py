"""Measures the durable write beside an empty workflow, one workflow per write, and its statements without Temporal.

All cases run in one process on one set of durable servers, in rounds of changing order, so that their ratios mean
something on a noisy machine. `python -m benchmarks.write [--seconds 3] [--rounds 5] [--json FILE]`.
"""

import argparse
import asyncio
import itertools
import json
import random
import statistics
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import uvloop
from temporalio import workflow
from temporalio.testing import ActivityEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities.turns import Turns
from activities.write import WriteActivities
from benchmarks.service import RunningService, running_service
from kapelle.contracts.write import Batch, Prepared, Resemblance, Write, WriteMemory
from kapelle.domain.entries import Draft, Kind
from tests.stack import running_servers
from workers.stack.servers import Addresses

EMPTY_QUEUE = "benchmark-empty"
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
# As in any language, the word of rank n is 1/n as frequent as the first (Zipf, 1935).
WORDS = ["".join(parts) for parts in itertools.product(SYLLABLES, repeat=3)]
FREQUENCIES = list(itertools.accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))


@workflow.defn(name="Empty")
class Empty:
    """The floor: a workflow that does nothing."""

    @workflow.run
    async def run(self) -> None:
        return None


@dataclass(slots=True)
class Case:
    """One way to write, and the latencies in milliseconds and rates a second that it showed."""

    title: str
    once: Callable[[], Awaitable[object]]
    latencies: dict[int, list[float]] = field(default_factory=lambda: {1: [], 32: []})
    rates: dict[int, list[float]] = field(default_factory=lambda: {1: [], 32: []})


def a_draft() -> Draft:
    """A note of about 1 KB that no other resembles."""
    body = " ".join(random.choices(WORDS, cum_weights=FREQUENCIES, k=140))
    return Draft(kind=Kind.FACT, title=f"Note {uuid.uuid4().hex}", body=f"{body} {uuid.uuid4().hex}")


def a_write(service: RunningService) -> Write:
    return Write(
        operation_id=str(uuid.uuid4()),
        team_id=service.team_id,
        source="agent:demo/coder",
        intent="propose",
        draft=a_draft(),
        request_digest="00" * 32,
    )


def cases(service: RunningService, steps: WriteActivities) -> list[Case]:
    """Return what is compared. Each case is one acknowledged write, or one empty workflow."""
    client, services = service.services.temporal, service.services
    queue = services.settings.task_queue

    async def empty() -> None:
        await client.execute_workflow(Empty.run, id=uuid.uuid4().hex, task_queue=EMPTY_QUEUE, request_eager_start=True)

    async def one_workflow_per_write() -> None:
        batch = Batch(org_id="default", writes=(a_write(service),))
        await client.execute_workflow(
            WriteMemory.run, batch, id=uuid.uuid4().hex, task_queue=queue, request_eager_start=True
        )

    async def group_commit() -> None:
        single = a_write(service)
        services.verdicts.give(single.draft, single.policy)
        outcome = await services.writer.write(single, patience=60)
        assert outcome is not None
        assert outcome.ok

    async def over_nats() -> None:
        draft = a_draft()
        reply = await service.ask("propose", draft.kind, draft.title, draft.body)
        assert reply["ok"], reply

    async def without_temporal() -> None:
        single = a_write(service)
        await _run_steps(steps, Batch(org_id="default", writes=(single,)))

    return [
        Case("empty workflow, eager start", empty),
        Case("statements without Temporal", without_temporal),
        Case("one workflow per write", one_workflow_per_write),
        Case("group commit", group_commit),
        Case("group commit, over NATS", over_nats),
    ]


async def _run_steps(steps: WriteActivities, batch: Batch) -> None:
    """Run the steps as the workflow does, in place of it."""
    environment = ActivityEnvironment()
    await environment.run(steps.scan, batch)
    prepared = Prepared(
        batch=batch,
        refusals=("",),
        quarantines=("",),
        embedded=await environment.run(steps.embed, batch),
        resembles=(Resemblance(),),
    )
    prepared = replace(prepared, resembles=await environment.run(steps.dedup, prepared))
    await environment.run(steps.persist, prepared)


async def measure(case: Case, callers: int, seconds: float) -> None:
    """Run a closed loop of callers for some seconds."""
    latencies: list[float] = []
    end = time.perf_counter() + seconds

    async def caller() -> None:
        while time.perf_counter() < end:
            begun = time.perf_counter()
            await case.once()
            latencies.append((time.perf_counter() - begun) * 1000)

    begun = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    case.rates[callers].append(len(latencies) / (time.perf_counter() - begun))
    case.latencies[callers] += latencies


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def report(measured: list[Case]) -> dict[str, dict[str, float]]:
    """Print the table and return it."""
    table = {
        case.title: {
            "p50 at 1": statistics.median(case.latencies[1]),
            "p99 at 1": percentile(case.latencies[1], 0.99),
            "rate at 1": statistics.median(case.rates[1]),
            "p50 at 32": statistics.median(case.latencies[32]),
            "p99 at 32": percentile(case.latencies[32], 0.99),
            "rate at 32": statistics.median(case.rates[32]),
        }
        for case in measured
    }
    print(f"{'':32}{'one at a time':>26}{'32 at once':>28}")
    print(f"{'':32}{'p50 ms':>8}{'p99 ms':>9}{'per s':>9}{'p50 ms':>10}{'p99 ms':>9}{'per s':>9}")
    for title, row in table.items():
        values = "".join(f"{value:>{width}.1f}" for value, width in zip(row.values(), (8, 9, 9, 10, 9, 9), strict=True))
        print(f"{title:32}{values}")
    empty, single, grouped = (
        table[title] for title in ("empty workflow, eager start", "one workflow per write", "group commit")
    )
    print(f"lone write / empty workflow, p50: {grouped['p50 at 1'] / empty['p50 at 1']:.2f}")
    print(f"group commit / one workflow per write, 32 at once: {grouped['rate at 32'] / single['rate at 32']:.1f}")
    return table


async def run(addresses: Addresses, options: argparse.Namespace) -> list[Case]:
    async with running_service(addresses) as service:
        services = service.services
        steps = WriteActivities(
            services.write_pool, Turns(), services.verdicts, digest_key=services.settings.digest_key.value
        )
        measured = cases(service, steps)
        floor = Worker(
            services.temporal,
            task_queue=EMPTY_QUEUE,
            workflows=[Empty],
            workflow_runner=UnsandboxedWorkflowRunner(),
        )
        async with floor:
            for case in measured:
                await measure(Case(case.title, case.once), 32, 1)
            for _ in range(options.rounds):
                for case in random.sample(measured, len(measured)):
                    await measure(case, 1, options.seconds)
                    await measure(case, 32, options.seconds)
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with running_servers(durable=True) as addresses, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        table = report(runner.run(run(addresses, options)))
    if options.json:
        options.json.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
