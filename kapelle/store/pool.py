"""Connections: the pool, the tenant's transaction, and the check that the product's role is held by row security."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy
from pgvector.asyncpg import register_vector

from kapelle.domain.errors import Fault, Unavailable

if TYPE_CHECKING:
    # asyncpg's classes take type parameters in its stubs only.
    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]
    Pool: TypeAlias = asyncpg.Pool[asyncpg.Record]
    Row: TypeAlias = asyncpg.Record
else:
    Connection = asyncpg.Connection
    Pool = asyncpg.Pool
    Row = asyncpg.Record

STATEMENT_SECONDS = 15
ACQUIRE_SECONDS = 2
# A decision that waits longer for its team's lock gives its connection back and is tried again.
LOCK_SECONDS = 5

_AWAY = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.exceptions.OperatorInterventionError,
    asyncpg.exceptions.InsufficientResourcesError,
    asyncpg.exceptions.LockNotAvailableError,
    asyncpg.exceptions.TransactionRollbackError,
)

SET_ORG = "select set_config('kapelle.org_id', $1, true)"

ROLE = """
select r.rolname,
       exists (
           select from pg_roles as p where (p.rolsuper or p.rolbypassrls) and pg_has_role(p.oid, 'member')
       ) as bypasses,
       exists (
           select from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
           where n.nspname = 'ibex_core' and pg_has_role(c.relowner, 'usage')
       ) as owns
from pg_roles as r
where r.rolname = current_user
"""


class PrivilegedRole(Fault):
    """The database role could get around row level security, so the product does not start."""

    code = "privileged_role"


async def open_pool(database_url: str, size: int) -> Pool:
    """Open a pool of the product's role.

    Raises:
        PrivilegedRole: if the role is a superuser, bypasses row level security, or owns a table.
        Unavailable: if the database does not answer.
    """
    try:
        pool = await asyncpg.create_pool(
            database_url,
            min_size=min(2, size),
            max_size=size,
            init=_prepare,
            reset=_keep,
            command_timeout=STATEMENT_SECONDS + 5,
            timeout=ACQUIRE_SECONDS,
            server_settings={
                "application_name": "kapelle",
                "lock_timeout": f"{LOCK_SECONDS}s",
                "statement_timeout": f"{STATEMENT_SECONDS}s",
                "idle_in_transaction_session_timeout": "60s",
                "jit": "off",
            },
        )
    except _AWAY:
        raise Unavailable("the database does not answer; try again in a moment") from None
    try:
        await _require_held_role(pool)
    except BaseException:
        await pool.close()
        raise
    return pool


async def _prepare(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    await register_vector(connection)
    await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")


async def _keep(_connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Reset nothing on release, which would cost a round trip: all that we set is local to a transaction."""


async def _require_held_role(pool: Pool) -> None:
    role = await pool.fetchrow(ROLE)
    if role is None or role["bypasses"] or role["owns"]:
        raise PrivilegedRole(
            f"the database role '{role['rolname'] if role else '?'}' could get around row level security; "
            "connect as a role that owns nothing, is no superuser and has no BYPASSRLS"
        )


def tenant(pool: Pool, org_id: str) -> AbstractAsyncContextManager[Connection]:
    """Open a transaction that sees the rows of one org, and no others.

    Raises:
        Unavailable: when the database is away, or another transaction was in the way; safe to repeat.
    """
    return _transaction(pool, org_id, None)


def snapshot(pool: Pool, org_id: str) -> AbstractAsyncContextManager[Connection]:
    """Open a transaction like `tenant` that only reads, all its statements at one moment. Raises as `tenant` does."""
    return _transaction(pool, org_id, "repeatable_read")


@asynccontextmanager
async def _transaction(
    pool: Pool, org_id: str, isolation: Literal["repeatable_read"] | None
) -> AsyncIterator[Connection]:
    try:
        async with (
            pool.acquire(timeout=ACQUIRE_SECONDS) as connection,
            connection.transaction(isolation=isolation, readonly=isolation is not None),
        ):
            await connection.execute(SET_ORG, org_id)
            yield connection
    except _AWAY:
        raise Unavailable("the database does not answer; try again in a moment") from None
    except asyncpg.InterfaceError as error:
        # The pool's word for a connection that went away; its subclass DataError is a defect of ours.
        if isinstance(error, ValueError):
            raise
        raise Unavailable("the database connection was lost") from None
