"""What is close to a new text, superseded and expired entries included: for the write path, never for a door."""

from collections.abc import Sequence
from dataclasses import dataclass

from kapelle.domain.entries import Entry, Status
from kapelle.store import search_history
from kapelle.store.entries import entry_of
from kapelle.store.pool import Connection
from kapelle.store.search import SearchRequest

# The rarest words of a beginning this long find every near copy; a longer query only costs more.
QUERY_CHARACTERS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An entry near a text. `cosine` is None where there are no vectors to compare."""

    entry: Entry
    current: bool
    cosine: float | None


async def near(
    conn: Connection,
    *,
    org_id: str,
    team_id: int,
    text: str,
    vector: Sequence[float] | None,
    model: str,
    limit: int = 10,
) -> tuple[Neighbour, ...]:
    """Return the team's entries that are most like a text, whether current or historical."""
    hits = await search_history.find_with_history(
        conn,
        SearchRequest(
            org_id=org_id,
            team_id=team_id,
            query=text[:QUERY_CHARACTERS],
            vector=vector,
            model=model,
            limit=limit,
            min_score=0.0,
        ),
    )
    return tuple(Neighbour(entry=hit.entry, current=hit.current, cosine=hit.why.cosine) for hit in hits)


LATEST = "select coalesce(max(id), 0) from ibex_core.memories where org_id = $1 and team_id = $2"


async def latest(conn: Connection, *, org_id: str, team_id: int) -> int:
    """Return the id of a team's newest entry; ids of a team grow in the order in which its entries are committed."""
    entry_id: int = await conn.fetchval(LATEST, org_id, team_id)
    return entry_id


NEWER = """
select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at
from ibex_core.memories as m
join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
where m.org_id = $1 and m.team_id = $2 and m.id > $3 and s.current and m.visibility = 'team'
order by m.id
"""


async def newer(conn: Connection, *, org_id: str, team_id: int, than: int) -> tuple[Entry, ...]:
    """Return the current entries that a team got since its newest one was `than`."""
    return tuple(map(entry_of, await conn.fetch(NEWER, org_id, team_id, than)))


LIVE = """
select s.memory_id, s.status from ibex_core.memory_search as s
where s.org_id = $1 and s.team_id = any($2::bigint[]) and s.memory_id = any($3::bigint[]) and s.current
"""


async def still_current(
    conn: Connection, *, org_id: str, team_ids: Sequence[int], entry_ids: Sequence[int]
) -> dict[int, Status]:
    """Return the status of those of these entries that are current."""
    rows = await conn.fetch(LIVE, org_id, list(team_ids), list(entry_ids))
    return {row["memory_id"]: Status(row["status"]) for row in rows}
