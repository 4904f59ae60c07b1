"""Votes on entries: one a principal, which can be changed."""

from dataclasses import dataclass

import asyncpg

from kapelle.domain.errors import NotFound
from kapelle.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    helpful: int
    unhelpful: int


VOTE = """
insert into ibex_core.memory_feedback (org_id, memory_id, principal, helpful) values ($1, $2, $3, $4)
on conflict (org_id, memory_id, principal) do update set helpful = excluded.helpful, given_at = now()
"""
COUNT = """
select count(*) filter (where f.helpful) as helpful, count(*) filter (where not f.helpful) as unhelpful
from ibex_core.memory_feedback as f where f.org_id = $1 and f.memory_id = $2
"""


async def vote(conn: Connection, *, org_id: str, entry_id: int, principal: str, helpful: bool) -> Votes:
    """Record a principal's vote on an entry of the caller's team, and return all votes on it.

    Raises:
        NotFound: the entry was forgotten in the meantime.
    """
    try:
        await conn.execute(VOTE, org_id, entry_id, principal, helpful)
    except asyncpg.ForeignKeyViolationError:
        raise NotFound(f"there is no entry {entry_id} in this team") from None
    row = await conn.fetchrow(COUNT, org_id, entry_id)
    assert row is not None, "an aggregate always has a row"
    return Votes(helpful=row["helpful"], unhelpful=row["unhelpful"])
