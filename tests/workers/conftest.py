"""A home that PostgreSQL's user can reach, and one stack for the tests that only look or restart a part."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.workers.running import Up, up


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kapelle-test-", ignore_cleanup_errors=True) as folder:
        # As root, PostgreSQL's user has to pass through; otherwise its data would lie elsewhere.
        Path(folder).chmod(0o711)
        yield Path(folder) / "home"


@pytest.fixture(scope="module")
async def stack(home: Path) -> AsyncIterator[Up]:
    async with up(home) as running:
        yield running
