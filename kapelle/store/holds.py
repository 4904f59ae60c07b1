"""Legal holds: what they cover is hidden when it is forgotten, and kept where only the database's owner can read it."""

from dataclasses import dataclass
from datetime import datetime

from kapelle.store.pool import Connection, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A hold on an org, on a team, or on what an agent wrote. `team` and `agent` are empty where it is wider."""

    id: int
    team: str
    agent: str
    reason: str
    placed_by: str
    placed_at: datetime

    @property
    def on(self) -> str:
        """Return what it covers, in words."""
        if self.agent:
            return f"agent {self.team}/{self.agent}"
        return f"team {self.team}" if self.team else "the organization"


def _hold(row: Row) -> Hold:
    return Hold(
        id=row["hold_id"],
        team=row["slug"] or "",
        agent=row["name"] or "",
        reason=row["reason"],
        placed_by=row["placed_by"],
        placed_at=row["placed_at"],
    )


# Of an org ($2 null), of a team ($3 null), or of what one source wrote: each with the wider ones that cover it. With
# $4, those that are narrower count too, since they stand in the way of removing everything.
COVERING = """
select h.hold_id, t.slug, a.name, h.reason, h.placed_by, h.placed_at
from ibex_core.legal_holds as h
left join ibex_core.teams as t on t.org_id = h.org_id and t.team_id = h.team_id
left join ibex_core.agents as a on a.org_id = h.org_id and a.team_id = h.team_id and a.agent_id = h.agent_id
where h.org_id = $1 and h.lifted_at is null
  and (h.team_id is null or h.team_id = $2 or $4 and $2::bigint is null)
  and (h.agent_id is null or 'agent:' || t.slug || '/' || a.name = $3 or $4 and $3::text is null)
order by h.hold_id
"""


async def covering(
    conn: Connection, *, org_id: str, team_id: int | None, source: str | None, narrower: bool = False
) -> tuple[Hold, ...]:
    """Return the holds that cover what a source wrote in a team, the whole team, or the whole org."""
    return tuple(map(_hold, await conn.fetch(COVERING, org_id, team_id, source, narrower)))


PLACE = """
insert into ibex_core.legal_holds (org_id, team_id, agent_id, reason, placed_by) values ($1, $2, $3, $4, $5)
returning hold_id
"""


async def place(
    conn: Connection, *, org_id: str, team_id: int | None, agent_id: int | None, reason: str, by: str
) -> int:
    """Place a hold and return its id."""
    hold_id: int = await conn.fetchval(PLACE, org_id, team_id, agent_id, reason, by)
    return hold_id


LIFT = """
update ibex_core.legal_holds as h set lifted_at = now()
where h.org_id = $1 and h.hold_id = $2 and h.lifted_at is null
"""


async def lift(conn: Connection, *, org_id: str, hold_id: int) -> bool:
    """Lift a hold; False if there is none with this id, or it is lifted."""
    lifted: str = await conn.execute(LIFT, org_id, hold_id)
    return lifted == "UPDATE 1"


AGENT = "select agent_id from ibex_core.agents where org_id = $1 and team_id = $2 and name = $3"


async def agent_id(conn: Connection, *, org_id: str, team_id: int, name: str) -> int | None:
    """Return the id of a team's agent."""
    found: int | None = await conn.fetchval(AGENT, org_id, team_id, name)
    return found


KEEP = """
insert into ibex_core.held_memories (org_id, team_id, memory_id, agent, document)
select m.org_id, m.team_id, m.id, case when starts_with(m.source, 'agent:') then m.source end, to_jsonb(m)
from ibex_core.memories as m where m.org_id = $1 and m.team_id = $2 and m.id = $3
on conflict (org_id, team_id, memory_id) do nothing
"""


async def keep(conn: Connection, *, org_id: str, team_id: int, entry_id: int) -> None:
    """Keep an entry that is about to be removed, out of everybody's reach."""
    await conn.execute(KEEP, org_id, team_id, entry_id)


RELEASE = """
delete from ibex_core.held_memories as k
where k.org_id = $1 and not exists (
    select from ibex_core.legal_holds as h
    left join ibex_core.teams as t on t.org_id = h.org_id and t.team_id = h.team_id
    left join ibex_core.agents as a on a.org_id = h.org_id and a.team_id = h.team_id and a.agent_id = h.agent_id
    where h.org_id = k.org_id and h.lifted_at is null and (h.team_id is null or h.team_id = k.team_id)
      and (h.agent_id is null or 'agent:' || t.slug || '/' || a.name = k.agent)
)
"""


async def release(conn: Connection, *, org_id: str) -> int:
    """Remove what no hold covers any more, and return how many entries that were."""
    removed: str = await conn.execute(RELEASE, org_id)
    return int(removed.removeprefix("DELETE "))
