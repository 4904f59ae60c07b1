"""What a purge reaches: the entries of an org, of a team, or that one source wrote in it."""

from kapelle.store.pool import Connection

COUNT = """
select t.slug, count(*) as entries
from ibex_core.memories as m
join ibex_core.teams as t on t.org_id = m.org_id and t.team_id = m.team_id
where m.org_id = $1 and m.team_id = coalesce($2::bigint, m.team_id) and m.source = coalesce($3::text, m.source)
group by t.slug order by t.slug
"""


async def count(
    conn: Connection, *, org_id: str, team_id: int | None, source: str | None
) -> tuple[tuple[str, int], ...]:
    """Return how many entries there are, by team."""
    return tuple((row["slug"], row["entries"]) for row in await conn.fetch(COUNT, org_id, team_id, source))


NEXT = """
select m.team_id, m.id
from ibex_core.memories as m
where m.org_id = $1 and m.team_id = coalesce($2::bigint, m.team_id) and m.source = coalesce($3::text, m.source)
order by m.id limit $4
"""


async def page(
    conn: Connection, *, org_id: str, team_id: int | None, source: str | None, limit: int
) -> tuple[tuple[int, int], ...]:
    """Return the first of them, as team and entry."""
    rows = await conn.fetch(NEXT, org_id, team_id, source, limit)
    return tuple((row["team_id"], row["id"]) for row in rows)


VOTES = """
delete from ibex_core.memory_feedback as f
using ibex_core.memories as m
where f.org_id = $1 and m.org_id = f.org_id and m.id = f.memory_id and m.team_id = coalesce($2::bigint, m.team_id)
  and f.principal = $3
"""


async def drop_votes(conn: Connection, *, org_id: str, team_id: int | None, principal: str) -> None:
    """Remove the votes of one principal."""
    await conn.execute(VOTES, org_id, team_id, principal)
