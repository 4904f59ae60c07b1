"""A scan that breaks or takes too long refuses the write, wherever it runs, and tells nobody what the text was."""

import asyncio
import itertools
import logging
from collections.abc import Callable

import pytest

from kapelle.domain.entries import Draft
from kapelle.domain.rules.scan.gate import Checkpoint
from kapelle.domain.rules.scan.verdicts import BROKE, TOO_LONG, Verdicts
from kapelle.domain.scan import Policy, Verdict
from tests.memory import Memory, running_memory
from tests.stack import Database, Temporal
from tests.traces import Histories, histories, tables, workflow_ids

MARKER = "quellwolkenhirsch"
NOTE = ("fact", "Weather", f"The {MARKER} is back.", "sky")


def _trips(draft: Draft, _policy: Policy, _check: Checkpoint) -> Verdict:
    """A rule with a defect, whose message quotes the text."""
    raise ValueError(f"cannot read {draft.body}")


def _broken() -> Verdicts:
    return Verdicts(scan=_trips)


def _slow() -> Verdicts:
    """The gate on a clock by which each rule takes a second."""
    return Verdicts(clock=itertools.count(0.0).__next__, seconds=2.0)


Make = Callable[[], Verdicts]
WAYS = pytest.mark.parametrize(
    ("make", "told"), [pytest.param(_broken, BROKE, id="broken"), pytest.param(_slow, TOO_LONG, id="slow")]
)


@WAYS
async def test_a_scan_that_fails_at_the_door_refuses_every_kind_of_write(
    make: Make,
    told: str,
    database: Database,
    nats_url: str,
    temporal: Temporal,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with running_memory(database, nats_url, temporal, door=make()) as memory:
        replies = [
            await memory.ask("propose", *NOTE),
            await memory.ask("add", *NOTE),
            await memory.ask("edit", "1", *NOTE),
            await memory.ask("scan", "Weather", NOTE[2]),
        ]
        kept, temporal_keeps = await _traces(memory)

    assert replies == [{"ok": False, "error": told}] * 4
    assert "scan failed" in caplog.messages
    assert MARKER not in kept
    assert MARKER not in temporal_keeps.readable
    assert MARKER not in _logged(caplog)


@WAYS
async def test_a_scan_that_fails_in_the_workflow_refuses_the_write_and_leaves_nothing_of_it(
    make: Make,
    told: str,
    database: Database,
    nats_url: str,
    temporal: Temporal,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with running_memory(database, nats_url, temporal, worker=make()) as memory:
        reply = await memory.ask("add", *NOTE, request_id="r1")
        again = await memory.ask("add", *NOTE, request_id="r1")
        kept, temporal_keeps = await _traces(memory)

    assert reply == again == {"ok": False, "error": told}
    assert "scan failed" in caplog.messages
    assert MARKER not in kept
    # The door had let the text pass, so that it can be read there by whoever holds the key.
    assert MARKER in temporal_keeps.readable
    assert MARKER not in temporal_keeps.raw
    assert MARKER not in _logged(caplog)


async def test_one_text_that_the_scan_breaks_on_does_not_keep_the_others_of_its_batch_out(
    database: Database, nats_url: str, temporal: Temporal
) -> None:
    def trips_on_some(draft: Draft, policy: Policy, check: Checkpoint) -> Verdict:
        return _trips(draft, policy, check) if "odd" in draft.body else Verdict(draft=draft)

    async with running_memory(database, nats_url, temporal, worker=Verdicts(scan=trips_on_some), batches=1) as memory:
        bodies = ("Fine and dry.", "An odd text.", "Rain in the evening.", "Another odd text.")
        replies = await asyncio.gather(*(memory.ask("add", "fact", f"On: {body}", body) for body in bodies))
        listed = await memory.ask("list")

    assert [reply["ok"] for reply in replies] == [True, False, True, False]
    assert listed["text"] == "2 entries"


async def _traces(memory: Memory) -> tuple[str, Histories]:
    dsn = memory.database.owner_dsn
    kept = await tables(dsn)
    return str(kept), await histories(memory.services.temporal, await workflow_ids(dsn))


def _logged(caplog: pytest.LogCaptureFixture) -> str:
    formatter = logging.Formatter()
    return "\n".join(f"{formatter.format(record)} {record.__dict__}" for record in caplog.records)
