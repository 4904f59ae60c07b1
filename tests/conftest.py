"""The fixtures that all tests share: real servers for the session, and what is fresh for each test."""

import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.memory import Memory, running_memory
from tests.stack import Database, Temporal, fresh_database, running_servers
from workers.stack.servers import Addresses


@pytest.fixture(scope="session")
def servers() -> Iterator[Addresses]:
    """PostgreSQL, NATS and Temporal, started once and only when a test wants one of them."""
    with running_servers() as addresses:
        yield addresses


@pytest.fixture
async def database(servers: Addresses) -> AsyncIterator[Database]:
    """A fresh clone of the migrated database, empty but for the schema."""
    async with fresh_database(servers) as clone:
        yield clone


@pytest.fixture
def nats_url(servers: Addresses) -> str:
    """The session's NATS server, with its user and password."""
    return servers.nats_url


@pytest.fixture
def temporal(servers: Addresses) -> Temporal:
    """The session's Temporal, with a task queue for this test alone."""
    return Temporal(address=servers.temporal_address, namespace="default", task_queue=f"test-{uuid.uuid4().hex}")


@pytest.fixture
async def memory(database: Database, nats_url: str, temporal: Temporal) -> AsyncIterator[Memory]:
    """A whole memory service with org, team `demo`, an admin and an agent, for this test alone."""
    async with running_memory(database, nats_url, temporal) as running:
        yield running
