"""A backfill whose worker dies ends complete, and embeds again only what was under way."""

import random
from pathlib import Path

from activities.backfill import BATCH_ENTRIES
from tests.durability import backfills
from tests.stack import Database, Temporal

ENTRIES = 12 * BATCH_ENTRIES
KILLS = 3


async def test_a_backfill_that_is_killed_at_random_ends_complete(
    database: Database, temporal: Temporal, tmp_path: Path
) -> None:
    setup = backfills.Setup(database=database, temporal=temporal, record=tmp_path / "embedded", per_minute=20_000)
    chance = random.Random(3)  # noqa: S311 - a run that can be repeated

    ended = await backfills.play(setup, entries=ENTRIES, kills=KILLS, chance=chance)

    assert ended.said == f"{ENTRIES} of {ENTRIES} entries had no vector of fake/one:16; {ENTRIES} embedded."
    assert (ended.vectors, ended.entries, ended.texts) == (ENTRIES, ENTRIES, ENTRIES)
    assert ended.again <= ended.most_again
    assert ended.most <= 1 + KILLS
