"""`python -m workers backup|restore DIR`: a home's data out into a folder, and back into a new home."""

from collections.abc import Mapping
from pathlib import Path

from workers.stack import backup
from workers.stack.progress import Report


async def take(home: Path, folder: Path, environment: Mapping[str, str], report: Report) -> int:
    """Back a running home up and return the exit code."""
    try:
        await backup.backup(home, folder, environment, report)
    except (backup.BackupError, OSError) as error:
        report(str(error))
        return 1
    return 0


async def bring_back(home: Path, folder: Path, report: Report) -> int:
    """Restore a backup into a new home, say what the proof found, and return the exit code: 1 if a ledger is broken."""
    try:
        proved = await backup.restore(home, folder, report)
    except (backup.BackupError, OSError) as error:
        report(str(error))
        return 1
    for team, broken in proved.broken:
        report(f"The ledger of {team} does not hold: {broken.describe()}")
    if not proved.broken:
        report(
            f"Restored, and the ledgers of {proved.teams} teams hold. Start it with: python -m workers up --home {home}"
        )
    return 1 if proved.broken else 0
