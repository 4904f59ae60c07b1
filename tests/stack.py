"""The real servers that tests run against: one set for the session, a database of its own for each test."""

import asyncio
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from workers.stack import home, secrets
from workers.stack.servers import Addresses, Plan, Servers


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """One database: as its owner, who passes every policy, and as the product, who passes none unasked."""

    name: str
    owner_dsn: str
    product_dsn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Temporal:
    """The session's Temporal, and a task queue that no other test uses."""

    address: str
    namespace: str
    task_queue: str


@contextmanager
def running_servers(*, durable: bool = False) -> Iterator[Addresses]:
    """Start PostgreSQL (migrated), NATS and Temporal in a folder that is removed at the end."""
    with (
        tempfile.TemporaryDirectory(prefix="kapelle-test-", ignore_cleanup_errors=True) as folder,
        home.locked(Path(folder)) as here,
        asyncio.Runner() as runner,
    ):
        servers = Servers(Plan(home=here, secrets=secrets.keep(here), report=_silence, durable=durable))
        try:
            runner.run(servers.start())
            yield servers.addresses
        finally:
            runner.run(servers.stop())


@asynccontextmanager
async def fresh_database(servers: Addresses) -> AsyncIterator[Database]:
    """Clone the migrated database; the clone is dropped at the end, whoever may still be connected."""
    name = f"test_{uuid.uuid4().hex}"
    template = urlsplit(servers.owner_dsn).path.removeprefix("/")
    await _run(servers, f'create database "{name}" template "{template}" strategy file_copy')
    try:
        yield Database(
            name=name,
            owner_dsn=_renamed(servers.owner_dsn, name),
            product_dsn=_renamed(servers.product_dsn, name),
        )
    finally:
        await _run(servers, f'drop database "{name}" with (force)')


async def _run(servers: Addresses, statement: str) -> None:
    connection = await asyncpg.connect(_renamed(servers.owner_dsn, "postgres"))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _renamed(dsn: str, name: str) -> str:
    return urlsplit(dsn)._replace(path=f"/{name}").geturl()


def _silence(_line: str) -> None:
    """The session's stack reports nothing."""
