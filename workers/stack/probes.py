"""One question to each server that only a healthy one answers. Each raises when the answer is missing or wrong."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from workers.stack.ports import LOOPBACK

SECONDS = 5.0


class UnhealthyError(Exception):
    """The server answered, but not as a healthy one."""


async def postgres(dsn: str) -> None:
    """Connect and run a statement."""
    connection = await asyncpg.connect(dsn, timeout=SECONDS)
    try:
        await connection.execute("select 1", timeout=SECONDS)
    finally:
        await connection.close(timeout=SECONDS)


async def nats(port: int, user: str, password: str) -> None:
    """Log in and have a ping answered; the server answers in order, so a refused login comes first."""
    async with asyncio.timeout(SECONDS), _connection(port) as (reader, writer):
        await reader.readline()
        login = {"user": user, "pass": password, "verbose": False, "pedantic": False, "name": "health"}
        writer.write(b"CONNECT " + json.dumps(login).encode() + b"\r\nPING\r\n")
        answer = (await reader.readline()).strip()
    if answer != b"PONG":
        raise UnhealthyError("NATS refused the login")


async def temporal(http_port: int) -> None:
    """Have the frontend read the default namespace from its database."""
    async with asyncio.timeout(SECONDS), _connection(http_port) as (reader, writer):
        writer.write(b"GET /api/v1/namespaces/default HTTP/1.0\r\nHost: localhost\r\n\r\n")
        status = await reader.readline()
    if b" 200 " not in status:
        raise UnhealthyError("Temporal does not know its default namespace")


@asynccontextmanager
async def _connection(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        yield reader, writer
    finally:
        writer.close()
