"""A database that many tests of the store share: they look, or roll back what they did."""

from collections.abc import AsyncIterator

import pytest

from tests.stack import Database, fresh_database
from tests.store import rows
from workers.stack.servers import Addresses


@pytest.fixture(scope="session")
async def filled(servers: Addresses) -> AsyncIterator[Database]:
    """Two orgs have a row in every table."""
    async with fresh_database(servers) as database:
        await rows.fill(database)
        yield database
