"""Whom an agent's token stands for."""

from dataclasses import dataclass

from kapelle.store.pool import Connection

AGENT_OF = """
select w.slug as team, a.name, t.scopes
from ibex_core.access_tokens as t
join ibex_core.agents as a on a.org_id = t.org_id and a.agent_id = t.agent_id
join ibex_core.teams as w on w.org_id = a.org_id and w.team_id = a.team_id
where t.org_id = $1 and t.token_hash = $2 and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentToken:
    """The agent behind a token, its team, and what the token is good for."""

    team: str
    name: str
    scopes: tuple[str, ...]


async def agent_of(conn: Connection, *, org_id: str, digest: bytes) -> AgentToken | None:
    """Return the agent of a token by its SHA-256; None if it is unknown, expired, revoked, or a person's.

    Nothing is remembered between two calls, so that a token that is revoked is so at once, in every process.
    """
    row = await conn.fetchrow(AGENT_OF, org_id, digest)
    return None if row is None else AgentToken(team=row["team"], name=row["name"], scopes=tuple(row["scopes"]))
