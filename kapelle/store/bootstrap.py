"""The first org with a team, a person who may do everything in it, and an agent: what a new home begins with."""

from dataclasses import dataclass

from kapelle.store.pool import SET_ORG, Connection
from kapelle.store.tokens import token_hash

ADMIN_SCOPES = ("read", "propose", "curate", "admin")
AGENT_SCOPES = ("read", "propose")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """Who and what is to be there. The tokens are stored hashed."""

    org: str
    team: str
    person: str
    agent: str
    admin_token: str
    agent_token: str

    def __repr__(self) -> str:
        return f"Beginning(org={self.org!r}, team={self.team!r})"


ADD_ORG = "insert into ibex_core.organizations (org_id, name) values ($1, $1) on conflict do nothing"
ADD_TEAM = "insert into ibex_core.teams (org_id, slug, name) values ($1, $2, $2) on conflict do nothing"
ADD_PERSON = """
insert into ibex_core.persons (org_id, person_id, is_admin) values ($1, $2, true) on conflict do nothing
"""
ADD_MAINTAINER = """
insert into ibex_core.team_members (org_id, team_id, person_id, role)
select t.org_id, t.team_id, $3, 'maintainer' from ibex_core.teams as t where t.org_id = $1 and t.slug = $2
on conflict do nothing
"""
ADD_AGENT = """
insert into ibex_core.agents (org_id, team_id, name)
select t.org_id, t.team_id, $3 from ibex_core.teams as t where t.org_id = $1 and t.slug = $2
on conflict do nothing
"""
ADD_PERSON_TOKEN = """
insert into ibex_core.access_tokens (org_id, person_id, token_hash, scopes) values ($1, $2, $3, $4)
on conflict do nothing
"""
ADD_AGENT_TOKEN = """
insert into ibex_core.access_tokens (org_id, agent_id, token_hash, scopes)
select a.org_id, a.agent_id, $4, $5
from ibex_core.agents as a
join ibex_core.teams as t on t.team_id = a.team_id and t.org_id = a.org_id
where a.org_id = $1 and t.slug = $2 and a.name = $3
on conflict do nothing
"""


async def begin(conn: Connection, beginning: Beginning) -> None:
    """Add what is missing, in one transaction of the product's role; what is there stays as people made it."""
    org, team, person, agent = beginning.org, beginning.team, beginning.person, beginning.agent
    async with conn.transaction():
        await conn.execute(SET_ORG, org)
        await conn.execute(ADD_ORG, org)
        await conn.execute(ADD_TEAM, org, team)
        await conn.execute(ADD_PERSON, org, person)
        await conn.execute(ADD_MAINTAINER, org, team, person)
        await conn.execute(ADD_AGENT, org, team, agent)
        await conn.execute(ADD_PERSON_TOKEN, org, person, token_hash(beginning.admin_token), list(ADMIN_SCOPES))
        await conn.execute(ADD_AGENT_TOKEN, org, team, agent, token_hash(beginning.agent_token), list(AGENT_SCOPES))
