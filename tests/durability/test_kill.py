"""One round of each kill: what was acknowledged is there, once."""

import random
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.durability import rounds
from tests.workers.running import Up, up


@pytest.fixture(scope="module")
async def stack() -> AsyncIterator[Up]:
    with tempfile.TemporaryDirectory(prefix="kapelle-test-", ignore_cleanup_errors=True) as folder:
        # As root, PostgreSQL's user has to pass through; otherwise its data would lie elsewhere.
        Path(folder).chmod(0o711)
        async with up(Path(folder) / "home") as running:
            yield running


@pytest.mark.parametrize("victim", rounds.VICTIMS)
async def test_no_acknowledged_write_is_lost_or_doubled_when_a_part_is_killed(stack: Up, victim: str) -> None:
    chance = random.Random(victim)  # noqa: S311 - a round that can be repeated
    ended = await rounds.play(stack, victim, chance)
    assert ended.wrong == ()
    assert ended.answered_before < ended.writes
    assert ended.answered_before > 0
