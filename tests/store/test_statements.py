"""The store's statements: valid on the migrated schema, written as constants, and bound to their tenant."""

import ast
import re

import asyncpg
import pytest

from kapelle.store.pool import open_pool
from tests.stack import Database
from tests.store.statements import module_names, queries, statements

ALL = statements()
# A table with its alias: `ibex_core.teams as t`, `ibex_core.teams`.
_TABLE = re.compile(r"ibex_core\.(\w+)(?!\w|\()(?:\s+as\s+(\w+))?")
SCOPES = """
select c.relname::text as name,
       bool_or(a.attname = 'org_id') as has_org, bool_or(a.attname = 'team_id') as has_team
from pg_class as c
join pg_namespace as n on n.oid = c.relnamespace
join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
where n.nspname = 'ibex_core' and c.relkind = 'r'
group by c.relname
"""
# Maintenance by the schema's owner: an index has a name, which cannot be a parameter. It is made of digits and a hash.
PUT_TOGETHER = {
    "kapelle.store.search_vectors": [
        "f'drop index concurrently if exists ibex_core.{name}'",
        "await owner.fetchval(BUILD, name, team.dimensions, team.org_id, team.team_id, team.model)",
        "f'drop index concurrently if exists ibex_core.{_name(team)}'",
    ],
}
# Statements that name a tenant's table without its org, each with its reason.
WITHOUT_ORG = {"entries.DRAW_IDS": "draws from the sequence that all orgs share, and sees no row"}
# Statements that read or write a team's table without naming the team, each with its reason.
WITHOUT_TEAM = {
    "bootstrap.ADD_TEAM": "makes the team",
    "teams.CREATE": "makes the team",
    "teams.FIND": "finds the team by its slug, which is unique in the org",
    "operations.RECORDED": "an operation's id is unique in the org; the caller's team is compared by who answers",
    "operations.TELL": "an operation's id is unique in the org, and known to nobody else while it runs",
    "teams.LINKED_BY": "looks for another team than the one it names",
    "entries.DRAW_IDS": "draws from the sequence that all orgs share, and sees no row",
    "models.COVERAGE": "how much a model covers is told for the org as a whole, as a switch is for all of its teams",
    "holds.LIFT": "a hold has an id in its org, and may cover all of it",
}


def test_the_statements_are_found() -> None:
    assert {"entries.INSERT", "ledger.HEADS", "search.FIND", "pool.SET_ORG", "tokens.INSERT_FOR_AGENT"} <= {
        statement.name for statement in ALL
    }


async def test_every_statement_is_valid_on_the_migrated_schema(filled: Database) -> None:
    pool = await open_pool(filled.product_dsn, 1)
    invalid: list[str] = []
    async with pool.acquire() as connection:
        for statement in ALL:
            try:
                await connection.prepare(statement.text)
            except asyncpg.PostgresError as error:
                invalid.append(f"{statement.name}: {error}")
    await pool.close()

    assert invalid == []


@pytest.mark.parametrize("module", module_names())
def test_statements_are_constants_that_are_never_put_together(module: str) -> None:
    loose = [
        ast.unparse(query) for query in queries(module) if not (isinstance(query, ast.Name) and query.id.isupper())
    ]

    assert loose == PUT_TOGETHER.get(module, [])


async def test_every_statement_on_a_tenants_table_names_the_org(filled: Database) -> None:
    scopes = await _scopes(filled)
    unbound = {
        statement.name
        for statement in ALL
        for table, alias in _TABLE.findall(statement.text)
        if table in scopes and scopes[table]["has_org"] and not _binds(statement.text, alias, "org_id")
    }

    assert unbound == WITHOUT_ORG.keys()


async def test_every_statement_on_a_teams_table_names_the_team(filled: Database) -> None:
    scopes = await _scopes(filled)
    unbound = {
        statement.name
        for statement in ALL
        for table, alias in _TABLE.findall(statement.text)
        if table in scopes and scopes[table]["has_team"] and not _binds(statement.text, alias, "team_id")
    }

    assert unbound == WITHOUT_TEAM.keys()


async def test_every_table_belongs_to_a_tenant(filled: Database) -> None:
    scopes = await _scopes(filled)

    assert [name for name, scope in scopes.items() if not scope["has_org"]] == []


def test_a_statement_without_its_org_would_be_found() -> None:
    assert not _binds("select t.id from ibex_core.memories as t where t.id = $1", "t", "org_id")
    assert not _binds("select t.org_id from ibex_core.memories as t", "t", "org_id")
    assert not _binds("select 1 from ibex_core.memories as m, ibex_core.teams as t where m.org_id = $1", "t", "org_id")
    assert not _binds("delete from ibex_core.memories where id = $1", "", "org_id")
    assert _binds("delete from ibex_core.memories where id = $1 and org_id = $2", "", "org_id")


def _binds(statement: str, alias: str, column: str) -> bool:
    """Tell whether a statement compares the column of the table that goes by this alias, or inserts it."""
    if re.search(rf"insert into ibex_core\.\w+(?: as {alias or 'none'})?\s*\([^)]*\b{column}\b", statement):
        return True
    own = rf"{alias}\.{column}" if alias else rf"(?<![\w.]){column}"
    return re.search(rf"{own} = |= {own}\b", statement) is not None


async def _scopes(filled: Database) -> dict[str, asyncpg.Record]:
    owner = await asyncpg.connect(filled.owner_dsn)
    scopes = {row["name"]: row for row in await owner.fetch(SCOPES)}
    await owner.close()
    return scopes
