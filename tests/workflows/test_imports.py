"""The import's course: batch by batch, as long as lines arrive, and past those that cannot be stored."""

import uuid

import pytest
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from activities.faults import FaultInterceptor
from kapelle.contracts.imports import Import, ImportMemory, Progress
from tests.stack import Temporal
from tests.workflows.conftest import Run
from tests.workflows.fakes import FakeImportActivities
from workers.memory_worker import WORKFLOWS

ONE = Import(org_id="default", team_id=1, import_id="7d6f0f2a-5b0e-4c53-8f0b-6f3b6b0a9a11")


async def test_all_lines_are_stored_in_their_order(run: Run) -> None:
    steps = FakeImportActivities(waiting=[1, 2, 3, 4, 5], total=5)

    assert await run(steps.registered(), ImportMemory.run, ONE) == Progress(lines=5, created=5)

    assert steps.stored == [(1, 2), (3, 4), (5,)]


async def test_a_line_that_cannot_be_stored_takes_no_other_with_it(run: Run) -> None:
    steps = FakeImportActivities(waiting=[1, 2, 3, 4], total=4, poison=frozenset({2}))

    progress = await run(steps.registered(), ImportMemory.run, ONE)

    assert progress == Progress(lines=4, created=3, failed=1)
    assert steps.stored == [(1,), (3, 4)]
    assert steps.failed == [2]


async def test_lines_that_arrive_later_are_stored_by_the_same_run(client: Client, temporal: Temporal) -> None:
    steps = FakeImportActivities(waiting=[1], total=3)
    async with Worker(
        client,
        task_queue=temporal.task_queue,
        workflows=WORKFLOWS,
        activities=steps.registered(),
        interceptors=[FaultInterceptor()],
        workflow_runner=SandboxedWorkflowRunner(),
    ):
        handle = await client.start_workflow(
            ImportMemory.run, ONE, id=f"test/{uuid.uuid4()}", task_queue=temporal.task_queue
        )
        steps.waiting += [2, 3]
        again = await client.start_workflow(
            ImportMemory.run,
            ONE,
            id=handle.id,
            task_queue=temporal.task_queue,
            start_signal="arrived",
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )

        assert await again.result() == Progress(lines=3, created=3)
        assert (await handle.describe()).run_id == (await again.describe()).run_id


@pytest.mark.parametrize(
    ("progress", "finished"),
    [(Progress(lines=2, created=1, waiting=1), False), (Progress(lines=2, created=1, failed=1), True)],
)
def test_an_import_is_finished_when_every_line_has_its_end(progress: Progress, *, finished: bool) -> None:
    assert progress.finished is finished
