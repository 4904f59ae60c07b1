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
    for number, org_id in enumerate(ORGS):
        values = Values(org=org_id, number=number)
        values.team, values.agent = await _fill_people(owner, values)
        values.first, values.second = await _fill_entries(owner, values)
        for statement in (*OF_ENTRIES, *OF_TEAMS):
            await owner.execute(statement.format(**vars(values)))
    await owner.close()


class Values:
    """What the rows of one org hold."""

    def __init__(self, *, org: str, number: int) -> None:
        self.org = org
        self.digest = f"'\\x{os.urandom(32).hex()}'::bytea"
        self.other_digest = f"'\\x{os.urandom(32).hex()}'::bytea"
        self.salt = f"'\\x{os.urandom(16).hex()}'::bytea"
        self.operation = f"0000000{number}-0000-4000-8000-000000000000"
        self.label = ("gotcha", "event")[number]
        self.team = self.agent = self.first = self.second = 0


PEOPLE = (
    "insert into ibex_core.organizations (org_id, name) values ('{org}', '{org}')",
    "insert into ibex_core.persons (org_id, person_id) values ('{org}', 'p-{org}')",
)
TEAM = "insert into ibex_core.teams (org_id, slug, name) values ('{org}', 't-{org}', 'x') returning team_id"
AGENT = "insert into ibex_core.agents (org_id, team_id, name) values ('{org}', {team}, 'a-{org}') returning agent_id"
ENTRY = """
insert into ibex_core.memories
    (org_id, team_id, kind, title, body, status, visibility, agent_id, source, operation_id, salt)
values ('{org}', {team}, '{label}', 't', 'body of {org}', 'curated', 'team', null, 's', '{operation}', {salt}),
       ('{org}', {team}, '{label}', 't', 'body of {org}', 'active', 'agent', {agent}, 's', '{operation}', {salt})
returning id
"""
OF_ENTRIES = (
    "insert into ibex_core.memory_labels values ('{org}', {first}, '{label}', 1)",
    """
    insert into ibex_core.memory_relationships (org_id, kind, from_id, to_id)
    values ('{org}', 'supersedes', {second}, {first})
    """,
    """
    insert into ibex_core.memory_conflicts (org_id, team_id, first_id, second_id, kind, score)
    values ('{org}', {team}, {first}, {second}, 'outdated', 0.5)
    """,
    "insert into ibex_core.memory_feedback values ('{org}', {first}, 'person:p-{org}', true)",
    """
    insert into ibex_core.memory_search (org_id, team_id, memory_id, status, text_hash, terms, impacts)
    values ('{org}', {team}, {first}, 'curated', {digest}, array[7], format('{{7:1}}/%s', 536870912)::sparsevec)
    """,
    "insert into ibex_core.memory_embeddings values ('{org}', {team}, 'm', {first}, 0, true, '[1,2]')",
)
OF_TEAMS = (
    """
    insert into ibex_core.exports (org_id, team_id, repo_id, branch, blob, commit_sha, pr_number, entry_ids, origin_ids)
    values ('{org}', {team}, {team}, 'b', repeat('a', 40), repeat('b', 40), 1, '{{}}', '{{}}')
    """,
    "insert into ibex_core.embedding_models values ('{org}', 'm', 'a', true, now(), now(), 'p')",
    "insert into ibex_core.team_members values ('{org}', {team}, 'p-{org}', 'member')",
    """
    insert into ibex_core.access_tokens (org_id, token_hash, agent_id, person_id, scopes)
    values ('{org}', {digest}, {agent}, null, array['read']), ('{org}', {other_digest}, null, 'p-{org}', array['read'])
    """,
    """
    insert into ibex_core.legal_holds (org_id, team_id, agent_id, reason, placed_by)
    values ('{org}', {team}, {agent}, 'r', 'p')
    """,
    "insert into ibex_core.vector_indexes values ('{org}', {team}, 'm', 2)",
    """
    insert into ibex_core.memory_events
    values ('{org}', {team}, 1, {first}, 'added', null, 'a', '{operation}', now(), {digest}, {digest}, {digest})
    """,
    "insert into ibex_core.memory_tombstones values ('{org}', {team}, {digest}, {first})",
    "insert into ibex_core.memory_reasons values ('{org}', {team}, {first}, 'r')",
    "insert into ibex_core.memory_receipts values ('{org}', {team}, {first}, now(), array['l'])",
    "insert into ibex_core.held_memories values ('{org}', {team}, {first}, null, now(), '{{}}')",
    "insert into ibex_core.ledger_checkpoints values ('{org}', {team}, 1, 1, {digest}, now(), {other_digest})",
    """
    insert into ibex_core.operations
        (org_id, operation_id, team_id, source, name, request_digest, state, workflow_id)
    values ('{org}', '{operation}', {team}, 's', 'add', {digest}, 'running', 'w')
    """,
    "insert into ibex_core.imports values ('{org}', {team}, '{operation}', 's', 1)",
    """
    insert into ibex_core.import_lines (org_id, team_id, import_id, line, digest, name, state, entry_id)
    values ('{org}', {team}, '{operation}', 1, {digest}, 'n', 'created', {first})
    """,
)


async def _fill_people(owner: Any, values: Values) -> tuple[int, int]:
    for statement in PEOPLE:
        await owner.execute(statement.format(**vars(values)))
    values.team = await owner.fetchval(TEAM.format(**vars(values)))
    return values.team, await owner.fetchval(AGENT.format(**vars(values)))


async def _fill_entries(owner: Any, values: Values) -> tuple[int, int]:
    first, second = await owner.fetch(ENTRY.format(**vars(values)))
    return first["id"], second["id"]


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
    """Return an org's row as text by column, with values in the named ones; generated columns are left out."""
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
