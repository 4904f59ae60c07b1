"""Every recorded history replays on today's workflow code, and every workflow has recorded histories."""

from collections.abc import Iterator

import pytest
from temporalio import workflow
from temporalio.api.common.v1 import Payload
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from kapelle.durable.client import data_converter
from kapelle.durable.codec import ENCODING
from kapelle.settings import Secret
from tests.memory import PAYLOAD_KEYS
from tests.workflows.changed import EmbedsFirst, ForgetsInstead, LogsAfterwards, SkipsDedup
from tests.workflows.recording import SCENARIOS
from tests.workflows.scene import HISTORIES
from workers.memory_worker import WORKFLOWS

EXPECTED = sorted(f"{kind}/{path}.json" for kind, paths in SCENARIOS.items() for path in paths)


def read(name: str) -> WorkflowHistory:
    return WorkflowHistory.from_json(name, (HISTORIES / name).read_text(encoding="utf-8"))


def replayer(*workflows: type) -> Replayer:
    return Replayer(
        workflows=workflows,
        data_converter=data_converter(Secret(PAYLOAD_KEYS)),
        workflow_runner=SandboxedWorkflowRunner(),
    )


def workflow_types() -> set[str]:
    return {str(workflow._Definition.must_from_class(each).name) for each in WORKFLOWS}


@pytest.mark.parametrize("name", EXPECTED)
async def test_a_recorded_history_replays_on_todays_code(name: str) -> None:
    await replayer(*WORKFLOWS).replay_workflow(read(name))


def test_every_workflow_that_the_worker_registers_has_a_recorded_history() -> None:
    assert workflow_types() == {file.parent.name for file in HISTORIES.glob("*/*.json")}


def test_the_recorded_histories_are_those_of_the_scenarios() -> None:
    assert sorted(str(file.relative_to(HISTORIES)) for file in HISTORIES.glob("*/*.json")) == EXPECTED


@pytest.mark.parametrize(
    ("changed", "name", "reported"),
    [
        (LogsAfterwards, "WriteMemory/stored.json", workflow.NondeterminismError),
        (ForgetsInstead, "AcceptEntry/accepted.json", workflow.NondeterminismError),
        # Local activities are matched by their order: one step's recorded result does not fit the other's type.
        (EmbedsFirst, "WriteMemory/stored.json", RuntimeError),
        (SkipsDedup, "WriteMemory/stored.json", RuntimeError),
    ],
)
async def test_changed_steps_are_reported(changed: type, name: str, reported: type[Exception]) -> None:
    with pytest.raises(reported):
        await replayer(changed).replay_workflow(read(name))


async def test_the_wait_between_attempts_is_part_of_the_history_once_it_is_long() -> None:
    events = read("WriteMemory/persist-retried-after-a-timer.json").events

    assert any(event.HasField("timer_fired_event_attributes") for event in events)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recorded_history_holds_encrypted_payloads_only(name: str) -> None:
    payloads = list(_payloads(read(name)))

    assert len(payloads) > 1
    assert all(payload.metadata["encoding"] == ENCODING for payload in payloads)


def _payloads(history: WorkflowHistory) -> Iterator[Payload]:
    """Yield what the workflow was given, what each step answered, and its own answer."""
    for event in history.events:
        yield from event.workflow_execution_started_event_attributes.input.payloads
        yield from event.workflow_execution_completed_event_attributes.result.payloads
        yield from event.workflow_execution_continued_as_new_event_attributes.input.payloads
        yield from event.activity_task_scheduled_event_attributes.input.payloads
        yield from event.activity_task_completed_event_attributes.result.payloads
        # The marker's own data, beside the result, is the SDK's: numbers, times and the activity's type.
        yield from event.marker_recorded_event_attributes.details["result"].payloads
