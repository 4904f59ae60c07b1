"""One running service with its HTTP door for all tests of a module."""

import uuid
from collections.abc import AsyncIterator

import pytest

from tests.memory import running_memory
from tests.stack import Temporal, fresh_database
from tests.web import Web, running_web
from workers.stack.servers import Addresses


@pytest.fixture(scope="module")
async def web(servers: Addresses) -> AsyncIterator[Web]:
    queue = f"test-{uuid.uuid4().hex}"
    temporal = Temporal(address=servers.temporal_address, namespace="default", task_queue=queue)
    async with (
        fresh_database(servers) as database,
        running_memory(database, servers.nats_url, temporal) as memory,
        running_web(memory) as running,
    ):
        yield running
