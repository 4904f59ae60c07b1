"""A backup brings everything back into a new home, with its ledgers proved; a damaged one brings back nothing."""

import asyncio
from pathlib import Path

import asyncpg
import pytest

from tests.memory import AGENT, DIGEST_KEY, Memory
from workers.stack import backup, home, secrets
from workers.stack.backup import BackupError

NOTE = ("fact", "Staging", "Staging is restored from production every Monday.")


@pytest.fixture
async def taken(memory: Memory, tmp_path: Path) -> Path:
    """A backup of a home whose memory has a past."""
    await memory.ask("propose", *NOTE, source=AGENT)
    await memory.ask("accept", "1")
    await memory.ask("add", "fact", "Queue", "The queue is drained first.")
    await memory.ask("forget", "2")
    here = home.Home(path=tmp_path / "home")
    here.path.mkdir()
    secrets.keep(here)
    kept = home.read_json(here.file("secrets.json"))
    home.write_json(here.file("secrets.json"), kept | {"digest_key": DIGEST_KEY})
    home.write_json(here.endpoints, {"postgres_dsn": memory.database.owner_dsn})
    said: list[str] = []
    await backup.backup(here.path, tmp_path / "taken", {}, said.append)
    assert said[0].startswith("Backed up to ")
    return tmp_path / "taken"


async def test_a_backup_brings_back_what_was_there_and_its_ledgers_hold(taken: Path, tmp_path: Path) -> None:
    proved = await backup.restore(tmp_path / "new", taken, lambda _: None)

    assert (proved.teams, proved.broken) == (1, ())
    assert (tmp_path / "new" / "secrets.json").read_bytes() == (taken / "secrets.json").read_bytes()


@pytest.mark.usefixtures("taken")
async def test_a_proof_of_all_ledgers_names_what_was_changed(memory: Memory) -> None:
    owner = await asyncpg.connect(memory.database.owner_dsn)
    await owner.execute("update ibex_core.memories set body = 'Never.'")
    await owner.close()

    proved = await backup.prove(memory.database.owner_dsn, DIGEST_KEY)

    assert next((team, one.place) for team, one in proved.broken) == ("default/demo", "memories row 1")


async def test_a_damaged_backup_is_refused_before_anything_is_made(taken: Path, tmp_path: Path) -> None:
    with (taken / "database.dump").open("ab") as file:
        await asyncio.to_thread(file.write, b"x")

    with pytest.raises(BackupError, match="is damaged"):
        await backup.restore(tmp_path / "new", taken, lambda _: None)
    assert not (tmp_path / "new").exists()


async def test_a_home_with_something_in_it_is_left_alone(taken: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="not empty"):
        await backup.restore(tmp_path / "home", taken, lambda _: None)
    with pytest.raises(BackupError, match="not empty"):
        await backup.backup(tmp_path / "home", taken, {}, lambda _: None)
