"""The pool opens for a role that row level security holds, and for no other."""

import uuid
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import asyncpg
import pytest

from kapelle.domain.errors import Unavailable
from kapelle.store.pool import Pool, PrivilegedRole, open_pool, tenant
from tests.stack import Database

PASSWORD = "only-for-tests"


class Roles:
    """Makes login roles that go away with the test."""

    def __init__(self, owner: "asyncpg.Connection[asyncpg.Record]", database: Database) -> None:
        self.owner = owner
        self._database = database
        self.made: list[str] = []

    async def make(self, attributes: str) -> str:
        """Make a role and return its name."""
        role = f"test_{uuid.uuid4().hex}"
        await self.owner.execute(f"create role {role} login password '{PASSWORD}' {attributes}")
        self.made.append(role)
        await self.owner.execute(f"grant kapelle_app to {role}")
        return role

    def dsn(self, role: str) -> str:
        parts = urlsplit(self._database.product_dsn)
        return parts._replace(netloc=f"{role}:{PASSWORD}@{parts.hostname}:{parts.port}").geturl()


async def open_and_close(dsn: str) -> None:
    """Open a pool; one that opens although it should not is closed all the same."""
    pool = await open_pool(dsn, 1)
    await pool.close()


@pytest.fixture
async def roles(filled: Database) -> AsyncIterator[Roles]:
    """Roles beside the product's; what they own goes with them."""
    owner = await asyncpg.connect(filled.owner_dsn)
    roles = Roles(owner, filled)
    yield roles
    for role in reversed(roles.made):
        await owner.execute(f"drop owned by {role} cascade")
        await owner.execute(f"drop role {role}")
    await owner.close()


@pytest.mark.parametrize("attributes", ["superuser", "bypassrls"])
async def test_a_role_that_bypasses_row_security_is_refused(roles: Roles, attributes: str) -> None:
    role = await roles.make(attributes)

    with pytest.raises(PrivilegedRole, match=role):
        await open_and_close(roles.dsn(role))


async def test_a_role_that_owns_a_table_is_refused(roles: Roles) -> None:
    role = await roles.make("")
    await roles.owner.execute("create table ibex_core.owned (org_id text)")
    await roles.owner.execute(f"alter table ibex_core.owned owner to {role}")

    with pytest.raises(PrivilegedRole, match=role):
        await open_and_close(roles.dsn(role))


async def test_a_role_that_can_act_as_an_owner_is_refused(roles: Roles) -> None:
    owning, member = await roles.make(""), await roles.make("")
    await roles.owner.execute("create table ibex_core.owned (org_id text)")
    await roles.owner.execute(f"alter table ibex_core.owned owner to {owning}")
    await roles.owner.execute(f"grant {owning} to {member}")

    with pytest.raises(PrivilegedRole, match=member):
        await open_and_close(roles.dsn(member))


@pytest.mark.parametrize("attributes", ["superuser", "bypassrls"])
async def test_a_role_that_could_become_one_that_bypasses_row_security_is_refused(
    roles: Roles, attributes: str
) -> None:
    privileged, member = await roles.make(attributes), await roles.make("")
    await roles.owner.execute(f"grant {privileged} to {member}")

    with pytest.raises(PrivilegedRole, match=member):
        await open_and_close(roles.dsn(member))


async def test_the_owner_of_the_schema_is_refused(filled: Database) -> None:
    with pytest.raises(PrivilegedRole):
        await open_and_close(filled.owner_dsn)


async def test_a_role_that_owns_nothing_is_let_in(roles: Roles) -> None:
    await open_and_close(roles.dsn(await roles.make("")))


async def test_a_database_that_is_away_is_unavailable_and_its_password_stays_unsaid() -> None:
    with pytest.raises(Unavailable) as caught:
        await open_pool(f"postgresql://kapelle:{PASSWORD}@127.0.0.1:1/kapelle", 1)

    assert PASSWORD not in caught.value.message
    assert not caught.value.permanent


async def test_a_connection_that_was_cut_is_unavailable_and_the_next_one_works(filled: Database) -> None:
    pool = await open_pool(filled.product_dsn, 1)
    with pytest.raises(Unavailable):
        await _cut(pool, filled)
    async with tenant(pool, "default") as conn:
        assert await conn.fetchval("select 1") == 1
    await pool.close()


async def _cut(pool: Pool, database: Database) -> None:
    """Use a connection that the server ends meanwhile."""
    owner = await asyncpg.connect(database.owner_dsn)
    try:
        async with tenant(pool, "default") as conn:
            await owner.execute("select pg_terminate_backend($1)", await conn.fetchval("select pg_backend_pid()"))
            await conn.execute("select 1")
    finally:
        await owner.close()
