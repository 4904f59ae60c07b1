"""What an entry leaves in the store, counted before it goes, and the receipt that says what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from kapelle.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """How many rows are an entry's, by what they are."""

    labels: int
    links: int
    conflicts: int
    vectors: int
    votes: int


TRACES = """
select (select count(*) from ibex_core.memory_labels as l where l.org_id = $1 and l.memory_id = $3) as labels,
    (
        select count(*) from ibex_core.memory_relationships as r
        where r.org_id = $1 and (r.from_id = $3 or r.to_id = $3)
    ) as links,
    (
        select count(*) from ibex_core.memory_conflicts as c
        where c.org_id = $1 and c.team_id = $2 and (c.first_id = $3 or c.second_id = $3)
    ) as conflicts,
    (
        select count(*) from ibex_core.memory_embeddings as e
        where e.org_id = $1 and e.team_id = $2 and e.memory_id = $3
    ) as vectors,
    (select count(*) from ibex_core.memory_feedback as f where f.org_id = $1 and f.memory_id = $3) as votes
"""


async def traces(conn: Connection, *, org_id: str, team_id: int, entry_id: int) -> Traces:
    """Count what goes with an entry."""
    row = await conn.fetchrow(TRACES, org_id, team_id, entry_id)
    assert row is not None, "an aggregate always has a row"
    return Traces(**dict(row))


WRITE = """
insert into ibex_core.memory_receipts (org_id, team_id, memory_id, made_at, lines) values ($1, $2, $3, $4, $5)
on conflict (org_id, team_id, memory_id) do update set made_at = excluded.made_at, lines = excluded.lines
"""


async def write_receipt(
    conn: Connection, *, org_id: str, team_id: int, entry_id: int, at: datetime, lines: Sequence[str]
) -> None:
    """Keep what became of each store, in the transaction that removes the entry."""
    await conn.execute(WRITE, org_id, team_id, entry_id, at, list(lines))


AMEND = """
update ibex_core.memory_receipts
set lines = array(select l from unnest(lines) as l where not starts_with(l, $4)) || ($4 || $5::text)
where org_id = $1 and team_id = $2 and memory_id = $3
"""


async def amend_receipt(conn: Connection, *, org_id: str, team_id: int, entry_id: int, store: str, line: str) -> None:
    """Say of one more store what became of it, in place of what was said of it before."""
    await conn.execute(AMEND, org_id, team_id, entry_id, f"{store}: ", line)


RECEIPT = """
select made_at, lines from ibex_core.memory_receipts where org_id = $1 and team_id = $2 and memory_id = $3
"""


async def receipt(
    conn: Connection, *, org_id: str, team_id: int, entry_id: int
) -> tuple[datetime, tuple[str, ...]] | None:
    """Return when an entry was forgotten and what became of each store."""
    row = await conn.fetchrow(RECEIPT, org_id, team_id, entry_id)
    return None if row is None else (row["made_at"], tuple(row["lines"]))


CARRIERS = """
select distinct o.workflow_id
from ibex_core.operations as o
join ibex_core.memory_tombstones as t on t.org_id = o.org_id and t.team_id = o.team_id and t.digest = o.tombstone
where o.org_id = $1 and o.team_id = $2 and t.memory_id = coalesce($3::bigint, t.memory_id)
  and o.finished_at is not null and o.workflow_id not in ('', $4)
order by 1 limit 500
"""


async def carriers(
    conn: Connection, *, org_id: str, team_id: int, entry_id: int | None = None, own: str = ""
) -> tuple[str, ...]:
    """Return the ids of finished workflows that carried the text of a forgotten entry, or of any of the team's."""
    return tuple(row["workflow_id"] for row in await conn.fetch(CARRIERS, org_id, team_id, entry_id, own))


CLEARED = """
update ibex_core.operations set tombstone = null
where org_id = $1 and team_id = $2 and workflow_id = any($3::text[]) and tombstone is not null
"""


async def cleared(conn: Connection, *, org_id: str, team_id: int, workflow_ids: Sequence[str]) -> None:
    """Note that these workflows carry no forgotten text any more: their histories are gone."""
    await conn.execute(CLEARED, org_id, team_id, list(workflow_ids))
