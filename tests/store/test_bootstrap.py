"""The beginning of a home: made once, and what people changed since then stays."""

import asyncpg

from kapelle.store import bootstrap
from kapelle.store.tokens import token_hash
from tests.stack import Database

BEGINNING = bootstrap.Beginning(
    org="default", team="demo", person="admin", agent="coder", admin_token="kap_person", agent_token="kap_agent"
)
STATE = """
select p.is_admin, m.role, t.slug, a.name
from ibex_core.persons as p
join ibex_core.team_members as m using (org_id, person_id)
join ibex_core.teams as t on t.team_id = m.team_id
join ibex_core.agents as a on a.team_id = t.team_id
"""
TOKENS = "select token_hash, person_id, scopes, revoked_at is not null from ibex_core.access_tokens order by token_id"


async def test_beginning_twice_makes_one_of_each(database: Database) -> None:
    product = await asyncpg.connect(database.product_dsn)
    await bootstrap.begin(product, BEGINNING)
    await bootstrap.begin(product, BEGINNING)
    await product.close()
    owner = await asyncpg.connect(database.owner_dsn)
    assert [tuple(row) for row in await owner.fetch(STATE)] == [(True, "maintainer", "demo", "coder")]
    assert [tuple(row) for row in await owner.fetch(TOKENS)] == [
        (token_hash("kap_person"), "admin", ["read", "propose", "curate", "admin"], False),
        (token_hash("kap_agent"), None, ["read", "propose"], False),
    ]
    await owner.close()


async def test_a_revoked_token_stays_revoked(database: Database) -> None:
    product = await asyncpg.connect(database.product_dsn)
    await bootstrap.begin(product, BEGINNING)
    owner = await asyncpg.connect(database.owner_dsn)
    await owner.execute("update ibex_core.access_tokens set revoked_at = now() where person_id = 'admin'")
    await bootstrap.begin(product, BEGINNING)
    assert [row[3] for row in await owner.fetch(TOKENS)] == [True, False]
    await product.close()
    await owner.close()
