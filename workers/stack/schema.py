"""`migrations/schema.sql`: what all migrations together make, dumped by PostgreSQL itself."""

import asyncio
import os
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from workers.stack import home, postgres, secrets
from workers.stack.database import MIGRATIONS
from workers.stack.progress import Report
from workers.stack.servers import Plan, Real, Servers

SCHEMA = MIGRATIONS / "schema.sql"
_TITLE = "-- Made by `make schema` from the migrations; not edited by hand.\n\n"


class DumpError(Exception):
    """`pg_dump` failed; the message is its own."""


async def write(report: Report) -> None:
    """Apply the migrations to a server of their own and write what came of it."""
    with tempfile.TemporaryDirectory(prefix="kapelle-schema-") as folder, home.locked(Path(folder)) as here:
        elsewhere = Real(nats_url="not needed", temporal_address="not needed")
        plan = Plan(home=here, secrets=secrets.keep(here), report=report, real=elsewhere, durable=False)
        servers = Servers(plan)
        try:
            await servers.start()
            SCHEMA.write_text(await dump(servers.addresses.owner_dsn), encoding="utf-8")
        finally:
            await servers.stop()


async def dump(owner_dsn: str) -> str:
    """Return the schema of a migrated database: the same text for the same migrations.

    Raises:
        DumpError: with what `pg_dump` said.
    """
    process = await asyncio.create_subprocess_exec(
        str(postgres.WHEEL_PROGRAMS / "pg_dump"),
        "--schema-only",
        "--no-owner",
        "--exclude-table=public.schema_migrations",
        # A fixed key instead of a random one, of which the dump would remind us each time.
        "--restrict-key=kapelle",
        env={"PATH": os.defpath, **_connection(owner_dsn)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, complaints = await process.communicate()
    if process.returncode != 0:
        raise DumpError(complaints.decode("utf-8", "replace").strip())
    return _TITLE + _statements(output.decode("utf-8"))


def _connection(dsn: str) -> dict[str, str]:
    """Return libpq's variables for the address: everybody could read it on a command line."""
    parts = urlsplit(dsn)
    return {
        "PGHOST": parts.hostname or "",
        "PGPORT": str(parts.port or 5432),
        "PGUSER": unquote(parts.username or ""),
        "PGPASSWORD": unquote(parts.password or ""),
        "PGDATABASE": parts.path.removeprefix("/"),
    }


def _statements(text: str) -> str:
    """Leave out what differs between machines and versions: comments and the session's own settings."""
    passing = ("--", "SET ", "SELECT pg_catalog.set_config", "\\restrict", "\\unrestrict")
    kept = [line for line in text.splitlines() if not line.startswith(passing)]
    paragraphs = "\n".join(kept).split("\n\n")
    return "\n\n".join(stripped for paragraph in paragraphs if (stripped := paragraph.strip("\n"))) + "\n"
