"""A sandboxed worker for workflows, with whatever activities a test brings."""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from activities.faults import FaultInterceptor
from kapelle.durable.client import connect
from kapelle.settings import Secret
from tests.memory import PAYLOAD_KEYS
from tests.stack import Temporal
from workers.memory_worker import WORKFLOWS

# Activities, the run method of a workflow's contract, and its argument.
Run = Callable[[Sequence[Callable[..., Any]], Any, object], Awaitable[Any]]


@pytest.fixture
async def client(temporal: Temporal) -> Client:
    """The product's client: encrypted payloads and failures."""
    env = {"TEMPORAL_ADDRESS": temporal.address, "TEMPORAL_NAMESPACE": temporal.namespace}
    return await connect(env, Secret(PAYLOAD_KEYS), identity="test")


@pytest.fixture
def run(client: Client, temporal: Temporal) -> Run:
    """Run one workflow to its end on the given activities, in the sandbox."""

    async def run_one(activities: Sequence[Callable[..., Any]], method: Any, argument: object) -> Any:
        async with Worker(
            client,
            task_queue=temporal.task_queue,
            workflows=WORKFLOWS,
            activities=activities,
            interceptors=[FaultInterceptor()],
            workflow_runner=SandboxedWorkflowRunner(),
        ):
            return await client.execute_workflow(
                method, argument, id=f"test/{uuid.uuid4()}", task_queue=temporal.task_queue
            )

    return run_one
