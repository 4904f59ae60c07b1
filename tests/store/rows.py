"""One row in every table of two orgs, and the catalogue's answers about tables and keys."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg

from tests.stack import Database

ORGS = ("acme", "zeta")

TABLES = """
select c.relname::text as name
from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
where n.nspname = 'ibex_core' and c.relkind = 'r' order by 1
"""
COLUMNS = """
select column_name::text from information_schema.columns
where table_schema = 'ibex_core' and table_name = $1 and is_generated = 'NEVER' order by ordinal_position
"""
# Foreign keys between tables of tenants, with their columns in order.
KEYS = """
select c.conname::text as name, child.relname::text as child, parent.relname::text as parent,
       array(select a.attname::text from unnest(c.conkey) with ordinality as k (number, place)
             join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = k.number order by k.place) as columns,
       array(select a.attname::text from unnest(c.confkey) with ordinality as k (number, place)
             join pg_attribute as a on a.attrelid = c.confrelid and a.attnum = k.number order by k.place) as referenced
from pg_constraint as c
join pg_class as child on child.oid = c.conrelid
join pg_class as parent on parent.oid = c.confrelid
join pg_namespace as n on n.oid = child.relnamespace
where c.contype = 'f' and n.nspname = 'ibex_core'
order by 2, 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A foreign key: columns of the child, and those of the parent that they name."""

    name: str
    child: str
    parent: str
    columns: tuple[str, ...]
    referenced: tuple[str, ...]


@asynccontextmanager
async def connected(dsn: str, org_id: str | None = None) -> AsyncIterator[Any]:
    """Connect in a transaction that is rolled back, as one org or as none."""
    connection = await asyncpg.connect(dsn)
    transaction = connection.transaction()
    await transaction.start()
    try:
        if org_id is not None:
            await connection.execute("select set_config('kapelle.org_id', $1, true)", org_id)
        yield connection
    finally:
        await transaction.rollback()
        await connection.close()


async def fill(database: Database) -> None:
    """Give both orgs a row in every table, different in every value that is not the same by rule."""
    owner = await asyncpg.connect(database.owner_dsn)
    for org_id in ORGS:
        await _fill_org(owner, org_id)
    await owner.close()


async def _fill_org(owner: Any, org: str) -> None:
    digest, salt, operation = os.urandom(32), os.urandom(16), f"0000000{ORGS.index(org)}-0000-4000-8000-000000000000"
    label = "gotcha" if org == ORGS[0] else "event"
    await owner.execute("insert into ibex_core.organizations (org_id, name) values ($1, $1)", org)
    team = await owner.fetchval(
        "insert into ibex_core.teams (org_id, slug, name) values ($1, $2, 'x') returning team_id", org, f"team-{org}"
    )
    await owner.execute("insert into ibex_core.persons (org_id, person_id) values ($1, $2)", org, f"p-{org}")
    await owner.execute("insert into ibex_core.team_members values ($1, $2, $3, 'member')", org, team, f"p-{org}")
    agent = await owner.fetchval(
        "insert into ibex_core.agents (org_id, team_id, name) values ($1, $2, $3) returning agent_id",
        org,
        team,
        f"a-{org}",
    )
    await owner.execute(
        "insert into ibex_core.access_tokens (org_id, token_hash, agent_id, scopes) values ($1, $2, $3, '{read}')",
        org,
        digest,
        agent,
    )
    await owner.execute(
        "insert into ibex_core.access_tokens (org_id, token_hash, person_id, scopes) values ($1, $2, $3, '{read}')",
        org,
        os.urandom(32),
        f"p-{org}",
    )
    await owner.execute(
        "insert into ibex_core.legal_holds (org_id, team_id, agent_id, reason, placed_by) values ($1, $2, $3, 'r', 'p')",
        org,
        team,
        agent,
    )
    first, second = [
        await owner.fetchval(
            "insert into ibex_core.memories (org_id, team_id, kind, title, body, status, visibility, agent_id, source, "
            "operation_id, salt) values ($1, $2, $3, 't', $4, $5, $6, $7, 's', $8, $9) returning id",
            org,
            team,
            label,
            f"body of {org}",
            status,
            visibility,
            own_agent,
            operation,
            salt,
        )
        for status, visibility, own_agent in (("curated", "team", None), ("active", "agent", agent))
    ]
    await owner.execute("insert into ibex_core.memory_labels values ($1, $2, $3, 1)", org, first, label)
    await owner.execute(
        "insert into ibex_core.memory_relationships (org_id, kind, from_id, to_id) values ($1, 'supersedes', $2, $3)",
        org,
        second,
        first,
    )
    await owner.execute(
        "insert into ibex_core.memory_conflicts (org_id, team_id, first_id, second_id, kind, score) "
        "values ($1, $2, $3, $4, 'outdated', 0.5)",
        org,
        team,
        first,
        second,
    )
    await owner.execute(
        "insert into ibex_core.memory_feedback values ($1, $2, $3, true)", org, first, f"person:p-{org}"
    )
    await owner.execute(
        "insert into ibex_core.memory_search (org_id, team_id, memory_id, status, text_hash, terms, impacts) "
        "values ($1, $2, $3, 'curated', $4, '{7}', '{7:1}/536870912')",
        org,
        team,
        first,
        digest,
    )
    await owner.execute(
        "insert into ibex_core.memory_embeddings values ($1, $2, 'm', $3, 0, true, '[1,2]')", org, team, first
    )
    await owner.execute("insert into ibex_core.vector_indexes values ($1, $2, 'm', 2)", org, team)
    await owner.execute(
        "insert into ibex_core.memory_events values ($1, $2, 1, $3, 'added', null, 'a', $4, now(), $5, $5, $5)",
        org,
        team,
        first,
        operation,
        digest,
    )
    await owner.execute("insert into ibex_core.memory_tombstones values ($1, $2, $3, $4)", org, team, digest, first)
    await owner.execute(
        "insert into ibex_core.operations (org_id, operation_id, team_id, source, name, request_digest, state, workflow_id)"
        " values ($1, $2, $3, 's', 'add', $4, 'running', 'w')",
        org,
        operation,
        team,
        digest,
    )


async def table_names(connection: Any) -> list[str]:
    return [row["name"] for row in await connection.fetch(TABLES)]


async def keys(connection: Any) -> list[Key]:
    rows = await connection.fetch(KEYS)
    return [
        Key(
            name=row["name"],
            child=row["child"],
            parent=row["parent"],
            columns=tuple(row["columns"]),
            referenced=tuple(row["referenced"]),
        )
        for row in rows
    ]


async def row_of(connection: Any, table: str, org_id: str, filled: tuple[str, ...] = ()) -> dict[str, str]:
    """Return an org's row as text by column, one in which the named columns have values; generated ones are left out."""
    columns = [row[0] for row in await connection.fetch(COLUMNS, table)]
    wanted = ", ".join(f"{column}::text" for column in columns)
    having = "".join(f" and {column} is not null" for column in filled)
    row = await connection.fetchrow(f"select {wanted} from ibex_core.{table} where org_id = $1{having}", org_id)
    assert row is not None, f"{table} has no row of {org_id}"
    return dict(row)


async def insert(connection: Any, table: str, values: dict[str, str]) -> None:
    """Insert a row given as text by column."""
    types = await connection.fetchrow(
        "select string_agg(format('$%s::text::%s', place, format_type(a.atttypid, a.atttypmod)), ', ' order by place) "
        "from unnest($2::text[]) with ordinality as v (name, place) "
        "join pg_attribute as a on a.attname = v.name and a.attrelid = ('ibex_core.' || $1)::regclass",
        table,
        list(values),
    )
    await connection.execute(
        f"insert into ibex_core.{table} ({', '.join(values)}) overriding system value values ({types[0]})",
        *values.values(),
    )
