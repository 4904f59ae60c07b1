"""Access tokens: random, shown once, stored hashed, revocable."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from kapelle.store.pool import SET_ORG, Connection, Pool, Row, tenant

PREFIX = "kap_"


def new_token() -> str:
    return f"{PREFIX}{secrets.token_urlsafe(32)}"


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """Whom a token stands for: a person, or an agent of a team."""

    org_id: str
    token_id: int
    scopes: frozenset[str]
    person: str | None
    agent: str | None
    agent_id: int | None
    # The agent's team.
    team: str | None


ORG = "select ibex_core.org_of_token($1)"
BEARER = """
select t.token_id, t.scopes, t.person_id, t.agent_id, a.name as agent, w.slug as team
from ibex_core.access_tokens as t
left join ibex_core.agents as a on a.org_id = t.org_id and a.agent_id = t.agent_id
left join ibex_core.teams as w on w.org_id = a.org_id and w.team_id = a.team_id
where t.org_id = $1 and t.token_hash = $2 and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
"""


async def bearer(pool: Pool, token: str) -> Bearer | None:
    """Return whom a token stands for now; None for one that is unknown, expired or revoked.

    Nothing is remembered between two calls, so that a token that is revoked is so at once, in every process.
    """
    if not (token.startswith(PREFIX) and token.isascii()):
        return None
    digest = token_hash(token)
    async with tenant(pool, "") as conn:
        org_id = await conn.fetchval(ORG, digest)
        if org_id is None:
            return None
        await conn.execute(SET_ORG, org_id)
        row = await conn.fetchrow(BEARER, org_id, digest)
    return None if row is None else _bearer(org_id, row)


def _bearer(org_id: str, row: Row) -> Bearer:
    return Bearer(
        org_id=org_id,
        token_id=row["token_id"],
        scopes=frozenset(row["scopes"]),
        person=row["person_id"],
        agent=row["agent"],
        agent_id=row["agent_id"],
        team=row["team"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token to keep the hash of. It lasts until it is revoked where `expires_at` is None."""

    token: str
    scopes: Sequence[str]
    expires_at: datetime | None = None
    name: str = ""
    made_by: str = ""

    def __repr__(self) -> str:
        return f"NewToken(name={self.name!r})"


INSERT_FOR_AGENT = """
insert into ibex_core.access_tokens (org_id, token_hash, agent_id, scopes, expires_at, name, made_by)
values ($1, $2, $3, $4, $5, $6, $7)
returning token_id
"""
INSERT_FOR_PERSON = """
insert into ibex_core.access_tokens (org_id, token_hash, person_id, scopes, expires_at, name, made_by)
values ($1, $2, $3, $4, $5, $6, $7)
returning token_id
"""


async def add_for_agent(conn: Connection, *, org_id: str, agent_id: int, new: NewToken) -> int:
    """Keep a token of an agent, and return its id."""
    token_id: int = await conn.fetchval(INSERT_FOR_AGENT, *_values(org_id, agent_id, new))
    return token_id


async def add_for_person(conn: Connection, *, org_id: str, person_id: str, new: NewToken) -> int:
    """Keep a token of a person of the org, and return its id."""
    token_id: int = await conn.fetchval(INSERT_FOR_PERSON, *_values(org_id, person_id, new))
    return token_id


def _values(org_id: str, holder: int | str, new: NewToken) -> tuple[object, ...]:
    return (org_id, token_hash(new.token), holder, list(new.scopes), new.expires_at, new.name, new.made_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A token as it is kept: never the token itself. One of `person` and `agent` is set."""

    token_id: int
    person: str | None
    agent: str | None
    scopes: tuple[str, ...]
    name: str
    made_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


LIST = """
select t.token_id, t.person_id, a.name as agent, t.scopes, t.name, t.made_by, t.created_at, t.expires_at, t.revoked_at
from ibex_core.access_tokens as t
left join ibex_core.agents as a on a.org_id = t.org_id and a.agent_id = t.agent_id and a.team_id = $2
where t.org_id = $1
  and (a.agent_id is not null or exists (
      select from ibex_core.team_members as m where m.org_id = $1 and m.team_id = $2 and m.person_id = t.person_id
  ))
order by t.token_id
"""


async def listing(conn: Connection, *, org_id: str, team_id: int) -> tuple[Kept, ...]:
    """Return the tokens of a team's agents and of its members, in the order of their making."""
    return tuple(
        Kept(
            token_id=row["token_id"],
            person=row["person_id"],
            agent=row["agent"],
            scopes=tuple(row["scopes"]),
            name=row["name"],
            made_by=row["made_by"],
            created_at=row["created_at"],
            expires_at=row["expires_at"],
            revoked_at=row["revoked_at"],
        )
        for row in await conn.fetch(LIST, org_id, team_id)
    )


REVOKE = """
update ibex_core.access_tokens as t set revoked_at = coalesce(t.revoked_at, now())
where t.org_id = $1 and t.token_id = $2
"""


async def revoke(conn: Connection, *, org_id: str, token_id: int) -> None:
    """Let a token be good for nothing from now on; one that is revoked stays so."""
    await conn.execute(REVOKE, org_id, token_id)
