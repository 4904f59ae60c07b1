"""The backfill workflow on activities that answer as told."""

import asyncio
import uuid

from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import Client
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from kapelle.contracts.backfill import BackfillEmbeddings, Order, Paged, Survey
from tests.stack import Temporal
from tests.workflows.conftest import Run
from tests.workflows.fakes import FakeBackfillActivities
from workers.memory_worker import WORKFLOWS

ORDER = Order(org_id="default")


def missing(count: int, *teams: int, model: str = "m:8") -> Survey:
    return Survey(model=model, alias="embed", entries=10, missing=count, teams=teams)


async def test_every_team_is_gone_through_page_by_page_and_then_looked_for_again(run: Run) -> None:
    fake = FakeBackfillActivities(
        surveys=[missing(5, 7, 9), missing(0)],
        pages=[Paged(after=40, embedded=2), Paged(after=41, embedded=1, finished=True), Paged(after=50, finished=True)],
    )

    outcome = await run(fake.registered(), BackfillEmbeddings.run, ORDER)

    assert [(page.team_id, page.after) for page in fake.asked("page")] == [(7, 0), (7, 40), (9, 0)]
    assert [step for step, _ in fake.calls][-3:] == ["survey", "settle", "record"]
    assert outcome.reason == "5 of 10 entries had no vector of m:8; 5 embedded."


async def test_entries_that_came_meanwhile_are_embedded_too(run: Run) -> None:
    fake = FakeBackfillActivities(
        surveys=[missing(5, 7), missing(2, 7), missing(0)],
        pages=[Paged(after=40, embedded=5, finished=True), Paged(after=42, embedded=2, finished=True)],
    )

    outcome = await run(fake.registered(), BackfillEmbeddings.run, ORDER)

    assert [page.after for page in fake.asked("page")] == [0, 0]
    assert outcome.reason == "7 of 10 entries had no vector of m:8; 7 embedded."


async def test_it_ends_when_a_pass_gains_nothing(run: Run) -> None:
    refused = Paged(after=40, passed_over=1, refusal="the embedder answered 400", finished=True)
    fake = FakeBackfillActivities(surveys=[missing(1, 7), missing(1, 7)], pages=[refused])

    outcome = await run(fake.registered(), BackfillEmbeddings.run, ORDER)

    assert outcome.reason.startswith("1 of 10 entries had no vector of m:8; 0 embedded.")
    assert len(fake.asked("page")) == 1


async def test_what_a_provider_asks_to_wait_uses_up_no_attempt(run: Run) -> None:
    fake = FakeBackfillActivities(
        surveys=[Survey(wait_seconds=0.1), missing(1, 7), missing(0)],
        pages=[*(Paged(after=0, wait_seconds=0.05) for _ in range(20)), Paged(after=40, embedded=1, finished=True)],
    )

    outcome = await run(fake.registered(), BackfillEmbeddings.run, ORDER)

    assert len(fake.asked("page")) == 21
    assert outcome.reason == "1 of 10 entries had no vector of m:8; 1 embedded."


async def test_it_stops_when_going_on_makes_no_sense_and_says_why(run: Run) -> None:
    fake = FakeBackfillActivities(
        surveys=[missing(9, 7)], pages=[Paged(after=4, embedded=1), Paged(after=4, stopped="the embedder answered 401")]
    )

    outcome = await run(fake.registered(), BackfillEmbeddings.run, ORDER)

    assert outcome.reason == (
        "9 of 10 entries had no vector of m:8; 1 embedded. The backfill stopped: the embedder answered 401."
    )
    assert fake.asked("settle") == []


async def test_it_stops_when_another_model_is_wanted_meanwhile(run: Run) -> None:
    fake = FakeBackfillActivities(
        surveys=[missing(5, 7), missing(9, 7, model="other:4")], pages=[Paged(after=40, embedded=4, finished=True)]
    )

    outcome = await run(fake.registered(), BackfillEmbeddings.run, ORDER)

    assert "another model is wanted by now" in outcome.reason


async def test_after_a_switch_it_looks_once_more_for_what_was_written_meanwhile(run: Run) -> None:
    fake = FakeBackfillActivities(
        surveys=[missing(0), missing(1, 7), missing(0)],
        pages=[Paged(after=40, embedded=1, finished=True)],
        switches=True,
    )

    outcome = await run(fake.registered(), BackfillEmbeddings.run, ORDER)

    assert outcome.reason == "1 of 10 entries had no vector of m:8; 1 embedded. Searches go by this model now."


async def test_a_paused_one_begins_no_page_and_shows_so_where_people_look(client: Client, temporal: Temporal) -> None:
    under_way = asyncio.Event()
    fake = FakeBackfillActivities(
        surveys=[missing(2, 7), missing(0)],
        pages=[Paged(after=40, embedded=1, wait_seconds=0.5), Paged(after=41, embedded=1, finished=True)],
        on_page=under_way.set,
    )
    async with Worker(
        client,
        task_queue=temporal.task_queue,
        workflows=WORKFLOWS,
        activities=fake.registered(),
        workflow_runner=SandboxedWorkflowRunner(),
    ):
        handle = await client.start_workflow(
            BackfillEmbeddings.run, ORDER, id=f"test/{uuid.uuid4()}", task_queue=temporal.task_queue
        )
        await under_way.wait()
        await handle.signal(BackfillEmbeddings.pause)
        assert (await handle.query(BackfillEmbeddings.progress)).startswith("paused: ")
        shown = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
        assert shown.current_details.startswith("paused: ")
        assert len(fake.asked("page")) == 1
        await handle.signal(BackfillEmbeddings.resume)
        outcome = await handle.result()

    assert outcome.reason == "2 of 10 entries had no vector of m:8; 2 embedded."
    assert len(fake.asked("page")) == 2
