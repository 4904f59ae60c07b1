"""Teams, their members and agents, and the lock that orders a team's writes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from kapelle.domain.callers import Role
from kapelle.domain.errors import Conflict
from kapelle.store.pool import Connection, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A team with what it decides for its memory. `personal_data` is None where the deployment decides."""

    team_id: int
    slug: str
    name: str
    repo_url: str | None
    link_hosts: tuple[str, ...]
    personal_data: str | None
    # Moves with every change of the team's memory.
    revision: int
    # The number of the last event in its ledger.
    ledger_seq: int
    # When this was read, by the database's clock.
    read_at: datetime
    # The repository's id at its host, once it was seen there.
    repo_id: int | None = None
    export_schedule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A team as one person stands in it. `role` is NONE for strangers, ADMIN for the org's admins."""

    team: Team
    role: Role


def _team(row: Row) -> Team:
    return Team(
        team_id=row["team_id"],
        slug=row["slug"],
        name=row["name"],
        repo_url=row["repo_url"],
        link_hosts=tuple(row["link_hosts"]),
        personal_data=row["personal_data"],
        repo_id=row["repo_id"],
        export_schedule=row["export_schedule"],
        revision=row["revision"],
        ledger_seq=row["ledger_seq"],
        read_at=row["read_at"],
    )


FIND = """
select t.team_id, t.slug, t.name, t.repo_url, t.link_hosts, t.personal_data, t.repo_id, t.export_schedule,
    t.revision, t.ledger_seq, statement_timestamp() as read_at
from ibex_core.teams as t where t.org_id = $1 and t.slug = $2
"""


async def find(conn: Connection, *, org_id: str, slug: str) -> Team | None:
    """Return the team with this slug."""
    row = await conn.fetchrow(FIND, org_id, slug)
    return None if row is None else _team(row)


STANDING = """
select t.team_id, t.slug, t.name, t.repo_url, t.link_hosts, t.personal_data, t.repo_id, t.export_schedule,
    t.revision, t.ledger_seq, statement_timestamp() as read_at,
    m.role, coalesce(p.is_admin, false) as is_admin
from ibex_core.teams as t
left join ibex_core.persons as p on p.org_id = t.org_id and p.person_id = $3
left join ibex_core.team_members as m
    on m.org_id = t.org_id and m.team_id = t.team_id and m.person_id = p.person_id
where t.org_id = $1 and t.slug = $2
"""


async def standing(conn: Connection, *, org_id: str, slug: str, person_id: str) -> Standing | None:
    """Return how a person stands in a team, None if there is no such team."""
    row = await conn.fetchrow(STANDING, org_id, slug, person_id)
    if row is None:
        return None
    role = Role.ADMIN if row["is_admin"] else Role.named(row["role"]) if row["role"] else Role.NONE
    return Standing(team=_team(row), role=role)


IS_ADMIN = "select coalesce((select is_admin from ibex_core.persons where org_id = $1 and person_id = $2), false)"


async def is_admin(conn: Connection, *, org_id: str, person_id: str) -> bool:
    admin: bool = await conn.fetchval(IS_ADMIN, org_id, person_id)
    return admin


KNOWS = "select exists (select from ibex_core.persons as p where p.org_id = $1 and p.person_id = $2)"


async def knows(conn: Connection, *, org_id: str, person_id: str) -> bool:
    known: bool = await conn.fetchval(KNOWS, org_id, person_id)
    return known


LOCK = """
select team_id, clock_timestamp() as now
from ibex_core.teams
where org_id = $1 and team_id = any($2::bigint[])
order by team_id
for no key update
"""


async def lock(conn: Connection, *, org_id: str, team_ids: Iterable[int]) -> dict[int, datetime]:
    """Wait for the locks of these teams, in a fixed order, and return the database's time by team.

    The lock ends with the transaction. A team that is gone has no key in the answer.
    """
    rows = await conn.fetch(LOCK, org_id, sorted(set(team_ids)))
    return {row["team_id"]: row["now"] for row in rows}


MOVE = "update ibex_core.teams set revision = revision + 1 where org_id = $1 and team_id = any($2::bigint[])"


async def move_revision(conn: Connection, *, org_id: str, team_ids: Iterable[int]) -> None:
    """Mark the memory of these teams as changed."""
    await conn.execute(MOVE, org_id, sorted(set(team_ids)))


CREATE = """
insert into ibex_core.teams (org_id, slug, name) values ($1, $2, $3)
on conflict (org_id, slug) do nothing
returning team_id
"""


async def create(conn: Connection, *, org_id: str, slug: str, name: str) -> int | None:
    """Create a team; None if the slug is taken."""
    team_id: int | None = await conn.fetchval(CREATE, org_id, slug, name)
    return team_id


LIST = """
select t.team_id, t.slug, t.name, t.repo_url, t.link_hosts, t.personal_data, t.repo_id, t.export_schedule,
    t.revision, t.ledger_seq, statement_timestamp() as read_at
from ibex_core.teams as t
where t.org_id = $1
  and ($2::text is null or exists (
      select from ibex_core.team_members as m
      where m.org_id = t.org_id and m.team_id = t.team_id and m.person_id = $2
  ))
order by t.slug
"""


async def listing(conn: Connection, *, org_id: str, person_id: str | None) -> tuple[Team, ...]:
    """Return the org's teams, or only those that a person belongs to."""
    return tuple(map(_team, await conn.fetch(LIST, org_id, person_id)))


MEMBERS = """
select m.person_id, m.role from ibex_core.team_members as m
where m.org_id = $1 and m.team_id = $2 order by m.person_id
"""


async def members(conn: Connection, *, org_id: str, team_id: int) -> tuple[tuple[str, str], ...]:
    """Return each member's id and role."""
    rows = await conn.fetch(MEMBERS, org_id, team_id)
    return tuple((row["person_id"], row["role"]) for row in rows)


AGENTS = "select name from ibex_core.agents where org_id = $1 and team_id = $2 order by name"


async def agents(conn: Connection, *, org_id: str, team_id: int) -> tuple[str, ...]:
    return tuple(row["name"] for row in await conn.fetch(AGENTS, org_id, team_id))


LINKED_BY = """
select t.slug from ibex_core.teams as t
where t.org_id = $1 and t.team_id <> $2 and (lower(t.repo_url) = lower($3) or t.repo_id = $4)
limit 1
"""
LINK = """
update ibex_core.teams
set repo_id = coalesce($4, case when lower(repo_url) = lower($3) then repo_id end), repo_url = $3
where org_id = $1 and team_id = $2
"""


async def linked_by(conn: Connection, *, org_id: str, team_id: int, url: str, repo_id: int | None) -> str | None:
    """Return the other team that a repository belongs to, by its address or its id."""
    slug: str | None = await conn.fetchval(LINKED_BY, org_id, team_id, url, repo_id)
    return slug


async def link_repository(conn: Connection, *, org_id: str, team_id: int, url: str, repo_id: int | None) -> None:
    """Link a repository; without an id, the known one is kept for as long as the address stays.

    Raises:
        Conflict: another team was linked to it in this moment.
    """
    try:
        await conn.execute(LINK, org_id, team_id, url, repo_id)
    except asyncpg.UniqueViolationError:
        raise Conflict("another team has been linked to this repository in this moment") from None


SET_SCHEDULE = "update ibex_core.teams set export_schedule = $3 where org_id = $1 and team_id = $2"


async def set_export_schedule(conn: Connection, *, org_id: str, team_id: int, every: str | None) -> None:
    """Keep how often the team's memory is exported by itself; None for never."""
    await conn.execute(SET_SCHEDULE, org_id, team_id, every)


ALLOW_HOST = """
update ibex_core.teams set link_hosts = array(select distinct unnest(link_hosts || $3::text) order by 1)
where org_id = $1 and team_id = $2
"""


async def allow_host(conn: Connection, *, org_id: str, team_id: int, host: str) -> None:
    """Let the team's entries link to a host."""
    await conn.execute(ALLOW_HOST, org_id, team_id, host)


DISALLOW_HOST = """
update ibex_core.teams set link_hosts = array_remove(link_hosts, $3)
where org_id = $1 and team_id = $2 and $3 = any(link_hosts)
"""


async def disallow_host(conn: Connection, *, org_id: str, team_id: int, host: str) -> bool:
    """Take a host from those that the team allowed; False if it is not among them."""
    changed: str = await conn.execute(DISALLOW_HOST, org_id, team_id, host)
    return changed == "UPDATE 1"


SET_PERSONAL_DATA = "update ibex_core.teams set personal_data = $3 where org_id = $1 and team_id = $2"


async def set_personal_data(conn: Connection, *, org_id: str, team_id: int, policy: str | None) -> None:
    """Decide what happens to personal data in the team's entries; None leaves it to the deployment."""
    await conn.execute(SET_PERSONAL_DATA, org_id, team_id, policy)


ADD_PERSON = "insert into ibex_core.persons (org_id, person_id) values ($1, $2) on conflict do nothing"
ADD_MEMBER = """
insert into ibex_core.team_members (org_id, team_id, person_id, role) values ($1, $2, $3, $4)
on conflict (org_id, team_id, person_id) do update set role = excluded.role
"""


async def add_member(conn: Connection, *, org_id: str, team_id: int, person_id: str, role: Role) -> None:
    """Add a person to a team, or change the role of one who is there. The org gets to know new persons by it."""
    await conn.execute(ADD_PERSON, org_id, person_id)
    await conn.execute(ADD_MEMBER, org_id, team_id, person_id, role.name.lower())


REMOVE_MEMBER = "delete from ibex_core.team_members where org_id = $1 and team_id = $2 and person_id = $3"


async def remove_member(conn: Connection, *, org_id: str, team_id: int, person_id: str) -> bool:
    """Remove a person from a team; False if they were not in it."""
    removed: str = await conn.execute(REMOVE_MEMBER, org_id, team_id, person_id)
    return removed == "DELETE 1"


AGENT_ID = "select agent_id from ibex_core.agents where org_id = $1 and team_id = $2 and name = $3"


async def agent_id(conn: Connection, *, org_id: str, team_id: int, name: str) -> int | None:
    """Return the id of a team's agent, None if there is none of this name."""
    found: int | None = await conn.fetchval(AGENT_ID, org_id, team_id, name)
    return found


ADD_AGENT = """
insert into ibex_core.agents (org_id, team_id, name) values ($1, $2, $3)
on conflict (org_id, team_id, name) do nothing
returning agent_id
"""


async def add_agent(conn: Connection, *, org_id: str, team_id: int, name: str) -> int | None:
    """Register an agent; None if the team has one of this name."""
    agent_id: int | None = await conn.fetchval(ADD_AGENT, org_id, team_id, name)
    return agent_id


REMOVE_AGENT = """
delete from ibex_core.agents as a
where a.org_id = $1 and a.team_id = $2 and a.name = $3
  and not exists (
      select from ibex_core.memories as m where m.org_id = $1 and m.team_id = $2 and m.agent_id = a.agent_id
  )
  and not exists (
      select from ibex_core.legal_holds as h
      where h.org_id = $1 and (h.team_id is null or h.team_id = $2) and h.agent_id = a.agent_id
  )
"""


async def remove_agent(conn: Connection, *, org_id: str, team_id: int, name: str) -> bool:
    """Remove an agent and its tokens; False if there is none, or if it has entries of its own or a legal hold."""
    removed: str = await conn.execute(REMOVE_AGENT, org_id, team_id, name)
    return removed == "DELETE 1"
