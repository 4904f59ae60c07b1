"""A sandboxed worker for workflows, with whatever activities a test brings."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
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

Run = Callable[[Sequence[Callable[..., Any]], object, object], Awaitable[Any]]


@pytest.fixture
async def client(temporal: Temporal) -> Client:
    """The product's client: encrypted payloads and failures."""
    env = {"TEMPORAL_ADDRESS": temporal.address, "TEMPORAL_NAMESPACE": temporal.namespace}
    return await connect(env, Secret(PAYLOAD_KEYS), identity="test")


@pytest.fixture
async def run(client: Client, temporal: Temporal) -> AsyncIterator[Run]:
    """Run one workflow to its end on the given activities, in the sandbox."""

    async def run_one(activities: Sequence[Callable[..., Any]], method: object, argument: object) -> Any:
        async with Worker(
            client,
            task_queue=temporal.task_queue,
            workflows=WORKFLOWS,
            activities=activities,
            interceptors=[FaultInterceptor()],
            workflow_runner=SandboxedWorkflowRunner(),
        ):
            return await client.execute_workflow(  # type: ignore[call-overload]
                method, argument, id=f"test/{uuid.uuid4()}", task_queue=temporal.task_queue
            )

    yield run_one
