"""The migrated database: in step with the readable schema, closed to other tenants and to the product's own role."""

import asyncpg

from tests.stack import Database
from workers.stack import schema

TABLES = """
select c.relname, c.relrowsecurity, c.relforcerowsecurity
from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
where n.nspname = 'ibex_core' and c.relkind in ('r', 'p')
"""
OWNED = """
select count(*) from pg_shdepend as d join pg_roles as r on r.oid = d.refobjid
where d.deptype = 'o' and r.rolname in ('kapelle', 'kapelle_app')
"""
ATTRIBUTES = """
select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as privileged, rolcanlogin
from pg_roles where rolname in ('kapelle', 'kapelle_app') order by rolname
"""


async def test_schema_sql_is_what_the_migrations_make(database: Database) -> None:
    assert schema.SCHEMA.read_text(encoding="utf-8") == await schema.dump(database.owner_dsn)


async def test_every_table_forces_row_level_security(database: Database) -> None:
    owner = await asyncpg.connect(database.owner_dsn)
    tables = await owner.fetch(TABLES)
    await owner.close()
    assert len(tables) > 15
    open_tables = [row["relname"] for row in tables if not (row["relrowsecurity"] and row["relforcerowsecurity"])]
    assert open_tables == []


async def test_the_product_owns_nothing_and_has_no_privilege(database: Database) -> None:
    owner = await asyncpg.connect(database.owner_dsn)
    owned = await owner.fetchval(OWNED)
    attributes = [tuple(row) for row in await owner.fetch(ATTRIBUTES)]
    await owner.close()
    assert owned == 0
    assert attributes == [("kapelle", False, True), ("kapelle_app", False, False)]


async def test_without_an_org_the_product_sees_no_row_of_any_table(database: Database) -> None:
    owner = await asyncpg.connect(database.owner_dsn)
    tables = sorted(row["relname"] for row in await owner.fetch(TABLES))
    await owner.execute("insert into ibex_core.organizations (org_id, name) values ('other', 'Other')")
    await owner.close()
    product = await asyncpg.connect(database.product_dsn)
    visible = [
        table
        for table in tables
        if await product.fetchval("select has_table_privilege($1, 'select')", f"ibex_core.{table}")
        and await product.fetchval(f"select count(*) from ibex_core.{table}")
    ]
    await product.close()
    assert visible == []
