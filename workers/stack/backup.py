"""Takes a home's data out into a folder and brings it back, with every ledger proved afterwards."""

import asyncio
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from kapelle.domain.proof import Broken, examine
from kapelle.store import proof
from kapelle.store.pool import SET_ORG, Connection
from workers.stack import database, home, postgres, secrets
from workers.stack.home import Home
from workers.stack.progress import Report
from workers.stack.servers import Plan, Real, Servers

DUMP, SECRETS, MANIFEST = "database.dump", "secrets.json", "manifest.json"
# Where nothing is started: a restore needs the database alone.
_NOWHERE = "localhost:1"

TEAMS = "select org_id, team_id, slug from ibex_core.teams order by org_id, team_id"


class BackupError(Exception):
    """A backup could not be taken or brought back; the message says why, and what is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """What the proof of all ledgers found: how many teams there are, and what does not hold."""

    teams: int
    broken: tuple[tuple[str, Broken], ...]


async def backup(path: Path, folder: Path, environment: Mapping[str, str], report: Report) -> None:
    """Write the database and the keys of a running home into a new folder that only its owner can read.

    Raises:
        BackupError: the home is not up, the folder is in use, or the dump failed; nothing is left then.
    """
    here = _home(path)
    owner = environment.get("KAPELLE_DATABASE_OWNER_URL") or home.read_json(here.endpoints).get("postgres_dsn")
    if not owner:
        raise BackupError(f"{here.path} is not up, and KAPELLE_DATABASE_OWNER_URL names no database.")
    _require_free(folder, "is not empty")
    draft = _draft(folder)
    try:
        await _run("pg_dump", "--format=custom", f"--file={draft / DUMP}", str(owner))
        _complete(here, draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    report(f"Backed up to {folder}. It holds the keys too: keep it as safe as the home.")


async def restore(path: Path, folder: Path, report: Report) -> Proved:
    """Make a new home from a backup, and prove every ledger in it. What was on its way in Temporal is not in a backup.

    Raises:
        BackupError: the backup is damaged, or the home is not new; nothing was changed.
    """
    _check(folder)
    _require_free(path, "is not empty; restore into a new home")
    with home.locked(path) as here:
        shutil.copy2(folder / SECRETS, here.file(SECRETS))
        kept = secrets.keep(here)
        real = Real(nats_url=_NOWHERE, temporal_address=_NOWHERE)
        servers = Servers(Plan(home=here, secrets=kept, report=report, real=real))
        try:
            await servers.start()
            await _fill(servers.addresses.owner_dsn, folder / DUMP)
            return await prove(servers.addresses.owner_dsn, kept.digest_key)
        finally:
            await servers.stop()


def _home(path: Path) -> Home:
    return Home(path=path.resolve())


def _require_free(folder: Path, complaint: str) -> None:
    if folder.exists() and any(folder.iterdir()):
        raise BackupError(f"{folder} {complaint}.")


def _draft(folder: Path) -> Path:
    """Make the folder under another name, which it has until it is whole."""
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True, mode=0o700)
    return draft


def _complete(here: Home, draft: Path, folder: Path) -> None:
    """Add the keys and the sums of all files, and give the folder its name."""
    if here.file(SECRETS).exists():
        shutil.copy2(here.file(SECRETS), draft / SECRETS)
    sums = {file.name: _sum(file) for file in sorted(draft.iterdir())}
    home.write_json(draft / MANIFEST, {"sha256": sums})
    if folder.exists():
        folder.rmdir()
    draft.rename(folder)


async def _fill(owner_dsn: str, dump: Path) -> None:
    """Put the dump in the place of the empty database, whose roles the start has made, and bring it up to date."""
    server = owner_dsn.replace(f"/{postgres.DATABASE}?", "/postgres?")
    connection = await asyncpg.connect(server)
    await connection.execute(f'drop database "{postgres.DATABASE}" with (force)')
    await connection.close()
    await database.create(server, postgres.DATABASE)
    await _run("pg_restore", "--exit-on-error", "--single-transaction", f"--dbname={owner_dsn}", str(dump))
    await database.migrate(owner_dsn)


async def prove(owner_dsn: str, digest_key: str) -> Proved:
    """Prove the ledger of every team of every org."""
    connection = await asyncpg.connect(owner_dsn)
    try:
        await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
        teams = await connection.fetch(TEAMS)
        broken = [
            (f"{team['org_id']}/{team['slug']}", one)
            for team in teams
            for one in await _examined(connection, team["org_id"], team["team_id"], digest_key)
        ]
    finally:
        await connection.close()
    return Proved(teams=len(teams), broken=tuple(broken))


async def _examined(connection: Connection, org_id: str, team_id: int, digest_key: str) -> tuple[Broken, ...]:
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        await connection.execute(SET_ORG, org_id)
        evidence = await proof.evidence(connection, org_id=org_id, team_id=team_id)
    return () if evidence is None else examine(evidence, digest_key)


def _check(folder: Path) -> None:
    sums = home.read_json(folder / MANIFEST).get("sha256")
    if not isinstance(sums, dict) or DUMP not in sums or SECRETS not in sums:
        raise BackupError(f"{folder} is no backup of a home.")
    for name, expected in sums.items():
        if not (folder / name).exists() or _sum(folder / name) != expected:
            raise BackupError(f"{folder / name} is damaged.")


def _sum(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


async def _run(name: str, *arguments: str) -> None:
    process = await asyncio.create_subprocess_exec(
        str(postgres.WHEEL_PROGRAMS / name),
        *arguments,
        env={"PATH": os.defpath, "LC_ALL": "C"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise BackupError(f"{name} failed: {output.decode('utf-8', 'replace').strip()}")
