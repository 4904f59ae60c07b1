"""The backfill's schedule: made once, brought up to date by every start, and left paused if people paused it."""

import asyncio
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from temporalio.client import (
    Client,
    ScheduleActionExecutionStartWorkflow,
    ScheduleDescription,
    ScheduleOverlapPolicy,
    WorkflowExecutionStatus,
)

from kapelle.contracts.backfill import schedule_id
from kapelle.durable import schedules
from kapelle.durable.client import connect
from kapelle.settings import Secret, Settings
from tests.memory import DIGEST_KEY, PAYLOAD_KEYS, Memory
from tests.stack import Temporal


@pytest.fixture
async def client(temporal: Temporal) -> Client:
    return await connect({"TEMPORAL_ADDRESS": temporal.address}, Secret(PAYLOAD_KEYS), identity="test")


def settings(temporal: Temporal, **changes: object) -> Settings:
    made = Settings(
        database_url=Secret("x"),
        nats_url=Secret("x"),
        payload_keys=Secret(PAYLOAD_KEYS),
        digest_key=Secret(DIGEST_KEY),
        org=f"org-{uuid.uuid4().hex}",
        embed_alias="embed",
        task_queue=temporal.task_queue,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


async def described(client: Client, org: str) -> ScheduleDescription:
    return await client.get_schedule_handle(schedule_id(org)).describe()


async def test_every_start_keeps_the_one_schedule_and_what_people_paused_stays_paused(
    client: Client, temporal: Temporal
) -> None:
    wanted = settings(temporal)
    await asyncio.gather(*(schedules.keep_backfill(client, wanted) for _ in range(4)))
    made = (await described(client, wanted.org)).schedule
    assert [interval.every for interval in made.spec.intervals] == [timedelta(minutes=5)]
    assert (made.policy.overlap, made.policy.catchup_window) == (ScheduleOverlapPolicy.SKIP, timedelta(minutes=10))

    await client.get_schedule_handle(schedule_id(wanted.org)).pause(note="the provider is down")
    await schedules.keep_backfill(client, replace(wanted, backfill_minutes=30))
    kept = (await described(client, wanted.org)).schedule
    assert [interval.every for interval in kept.spec.intervals] == [timedelta(minutes=30)]
    assert (kept.state.paused, kept.state.note) == (True, "the provider is down")
    await client.get_schedule_handle(schedule_id(wanted.org)).delete()


async def test_what_it_starts_is_the_backfill_of_the_org(memory: Memory) -> None:
    client = memory.services.temporal
    wanted = replace(memory.services.settings, embed_alias="embed", backfill_minutes=600)
    await schedules.keep_backfill(client, wanted)
    handle = client.get_schedule_handle(schedule_id(wanted.org))
    await handle.trigger()
    async with asyncio.timeout(20):
        while not (actions := (await handle.describe()).info.recent_actions):
            pass
        action = actions[0].action
        assert isinstance(action, ScheduleActionExecutionStartWorkflow)
        started = client.get_workflow_handle(action.workflow_id)
        outcome = await started.result()
    await handle.delete()

    shown = await started.describe()
    assert (shown.workflow_type, shown.status) == ("BackfillEmbeddings", WorkflowExecutionStatus.COMPLETED)
    assert outcome["reason"] == ("The backfill stopped: no embedder is configured (KAPELLE_EMBED_ALIAS).")


async def test_without_an_embedder_nothing_is_scheduled(client: Client, temporal: Temporal) -> None:
    wanted = settings(temporal, embed_alias="")
    await schedules.keep_backfill(client, wanted)
    assert [one.id async for one in await client.list_schedules() if one.id == schedule_id(wanted.org)] == []
