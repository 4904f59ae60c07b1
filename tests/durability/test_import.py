"""An import is killed on all sides, and every line of it is there, once."""

import random
import tempfile
from pathlib import Path

from tests.durability import imports
from tests.workers.running import up

ENTRIES = 600


async def test_an_import_survives_the_death_of_its_client_and_of_the_service() -> None:
    with tempfile.TemporaryDirectory(prefix="kapelle-test-", ignore_cleanup_errors=True) as folder:
        # As root, PostgreSQL's user has to pass through; otherwise its data would lie elsewhere.
        Path(folder).chmod(0o711)
        async with up(Path(folder) / "home") as stack:
            ended = await imports.play(stack, Path(folder), ENTRIES, random.Random(7))  # noqa: S311 - can be repeated

    assert ended.wrong == ()
    assert 0 < ended.landed[0] < ENTRIES
