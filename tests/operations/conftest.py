"""A memory service that refusals share: nothing that is refused changes it."""

import uuid
from collections.abc import AsyncIterator

import pytest

from tests.memory import Memory, running_memory
from tests.stack import Temporal, fresh_database
from workers.stack.servers import Addresses


@pytest.fixture(scope="module")
async def shared(servers: Addresses) -> AsyncIterator[Memory]:
    """One service for all tests that only ask for what it refuses."""
    queue = f"operations-{uuid.uuid4().hex}"
    temporal = Temporal(address=servers.temporal_address, namespace="default", task_queue=queue)
    async with fresh_database(servers) as database, running_memory(database, servers.nats_url, temporal) as memory:
        yield memory
