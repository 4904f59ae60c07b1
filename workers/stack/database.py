"""Makes a database, brings its schema up to date, and gives the product a role that owns nothing."""

import asyncio
import os
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from workers.stack.programs import program

MIGRATIONS = Path(__file__).parents[2] / "migrations"
PRODUCT_ROLE = "kapelle"
_GROUP = "kapelle_app"


class MigrationError(Exception):
    """A migration failed; the message is dbmate's."""


async def create(server_dsn: str, name: str) -> None:
    """Create the database if it is not there yet."""
    connection = await asyncpg.connect(server_dsn)
    try:
        if not await connection.fetchval("select true from pg_database where datname = $1", name):
            # Names cannot be parameters; this one is a constant of ours. Copying files beats logging each block.
            await connection.execute(f'create database "{name}" strategy file_copy')
    finally:
        await connection.close()


async def migrate(owner_dsn: str) -> None:
    """Apply the migrations that are missing, under dbmate's lock.

    Raises:
        MigrationError: with what dbmate said.
    """
    process = await asyncio.create_subprocess_exec(
        program("dbmate"),
        f"--migrations-dir={MIGRATIONS}",
        "--no-dump-schema",
        "--migration-lock",
        "migrate",
        env={"PATH": os.defpath, "DATABASE_URL": for_dbmate(owner_dsn)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise MigrationError(output.decode("utf-8", "replace").strip())


def for_dbmate(dsn: str) -> str:
    """Return the address with TLS left out where it names none and the server is on this machine."""
    parts = urlsplit(dsn)
    if "sslmode=" in parts.query or parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
        return dsn
    return parts._replace(query="&".join(filter(None, (parts.query, "sslmode=disable")))).geturl()


async def admit(owner_dsn: str, role: str, password: str) -> None:
    """Let the product log in as a role that is no superuser, owns nothing and cannot bypass row level security."""
    connection = await asyncpg.connect(owner_dsn)
    try:
        if not await connection.fetchval("select true from pg_roles where rolname = $1", role):
            attributes = "login nosuperuser nocreatedb nocreaterole noreplication nobypassrls"
            statement = await connection.fetchval(
                f"select format('create role %I {attributes} password %L', $1::text, $2::text)", role, password
            )
            await connection.execute(statement)
        await connection.execute(await connection.fetchval(f"select format('grant {_GROUP} to %I', $1::text)", role))
    finally:
        await connection.close()
