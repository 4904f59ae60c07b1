"""One running service for all tests of a module; each row works in a team of its own.

Never two at once: services on one NATS server share the requests on the subject.
"""

import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.memory import Memory, running_memory
from tests.stack import Temporal, fresh_database
from workers.stack.servers import Addresses


@pytest.fixture(scope="module")
async def shared(servers: Addresses) -> AsyncIterator[Memory]:
    """A service with the ordinary settings."""
    async with (
        fresh_database(servers) as database,
        running_memory(database, servers.nats_url, _temporal(servers)) as up,
    ):
        yield up


@pytest.fixture(scope="module")
async def hurried(servers: Addresses) -> AsyncIterator[Memory]:
    """A service that answers early and takes few requests at once."""
    changes: dict[str, Any] = {"reply_seconds": 1.0, "write_limit": 12, "read_limit": 12}
    async with (
        fresh_database(servers) as database,
        running_memory(database, servers.nats_url, _temporal(servers), **changes) as up,
    ):
        yield up


def _temporal(servers: Addresses) -> Temporal:
    return Temporal(address=servers.temporal_address, namespace="default", task_queue=f"test-{uuid.uuid4().hex}")
