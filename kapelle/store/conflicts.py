"""Pairs of entries that may contradict or repeat each other, for a person to decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from kapelle.domain.dedup import ConflictKind
from kapelle.domain.entries import Entry
from kapelle.store.entries import entry_of
from kapelle.store.pool import Connection, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConflict:
    """A pair to record. The order of the two entries does not matter."""

    team_id: int
    entry_id: int
    other_id: int
    kind: ConflictKind
    score: float
    # Names of rules; never text.
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A recorded pair, the older entry first."""

    id: int
    first_id: int
    second_id: int
    kind: ConflictKind
    score: float
    reasons: tuple[str, ...]
    resolution: str | None
    resolved_by: str | None


# Of one kind and one older entry. Notes of one template would otherwise all be held against the first of them.
MOST_OPEN = 10

RECORD = """
insert into ibex_core.memory_conflicts (org_id, team_id, first_id, second_id, kind, score, reasons)
select $1, r.team_id, least(r.entry_id, r.other_id), greatest(r.entry_id, r.other_id), r.kind, r.score,
    string_to_array(r.reasons, ',')
from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::real[], $7::text[])
    as r (team_id, entry_id, other_id, kind, score, reasons)
where exists (select from ibex_core.memories as m where m.org_id = $1 and m.team_id = r.team_id and m.id = r.other_id)
    and (
        select count(*) from (
            select c.kind, c.resolution from ibex_core.memory_conflicts as c
            where c.org_id = $1 and c.team_id = r.team_id and c.first_id = r.other_id
            union all
            select c.kind, c.resolution from ibex_core.memory_conflicts as c
            where c.org_id = $1 and c.team_id = r.team_id and c.second_id = r.other_id
        ) as open
        where open.resolution is null and open.kind = r.kind
    ) < $8
on conflict (org_id, first_id, second_id) do nothing
"""


async def record(conn: Connection, *, org_id: str, conflicts: Sequence[NewConflict]) -> None:
    """Record pairs, in the transaction that stores their newer entry.

    Pairs with an entry that is gone are left out, and with one that has as many open pairs of the kind as may be.
    """
    await conn.execute(
        RECORD,
        org_id,
        [new.team_id for new in conflicts],
        [new.entry_id for new in conflicts],
        [new.other_id for new in conflicts],
        [str(new.kind) for new in conflicts],
        [new.score for new in conflicts],
        [",".join(new.reasons) for new in conflicts],
        MOST_OPEN,
    )


# Open while a current entry of the pair is in doubt: a historical one may take part, not two. What is quarantined is
# shown to nobody.
OPEN = """
select c.conflict_id, c.first_id, c.second_id, c.kind, c.score, c.reasons, c.resolution, c.resolved_by
from ibex_core.memory_conflicts as c
where c.org_id = $1 and c.team_id = $2 and c.resolution is null
  and ($3::bigint is null or $3 in (c.first_id, c.second_id))
  and exists (
      select from ibex_core.memory_search as s
      where s.org_id = c.org_id and s.team_id = c.team_id and s.memory_id in (c.first_id, c.second_id) and s.current
  )
  and not exists (
      select from ibex_core.memory_search as q
      where q.org_id = c.org_id and q.team_id = c.team_id and q.memory_id in (c.first_id, c.second_id)
        and q.status = 'quarantined'
  )
order by c.score desc, c.conflict_id
"""


def _conflict(row: Row) -> Conflict:
    return Conflict(
        id=row["conflict_id"],
        first_id=row["first_id"],
        second_id=row["second_id"],
        kind=ConflictKind(row["kind"]),
        score=row["score"],
        reasons=tuple(row["reasons"]),
        resolution=row["resolution"],
        resolved_by=row["resolved_by"],
    )


async def open_conflicts(
    conn: Connection, *, org_id: str, team_id: int, entry_id: int | None = None
) -> tuple[Conflict, ...]:
    """Return a team's open conflicts, or one entry's, the most pressing first."""
    return tuple(map(_conflict, await conn.fetch(OPEN, org_id, team_id, entry_id)))


GET = """
select c.conflict_id, c.first_id, c.second_id, c.kind, c.score, c.reasons, c.resolution, c.resolved_by
from ibex_core.memory_conflicts as c
where c.org_id = $1 and c.team_id = $2 and c.conflict_id = $3
"""


async def get(conn: Connection, *, org_id: str, team_id: int, conflict_id: int) -> Conflict | None:
    row = await conn.fetchrow(GET, org_id, team_id, conflict_id)
    return None if row is None else _conflict(row)


RESOLVE = """
update ibex_core.memory_conflicts set resolution = $4, resolved_by = $5, resolved_at = $6
where org_id = $1 and team_id = $2 and conflict_id = $3 and resolution is null
"""


async def resolve(
    conn: Connection, *, org_id: str, team_id: int, conflict_id: int, resolution: str, by: str, at: datetime
) -> None:
    await conn.execute(RESOLVE, org_id, team_id, conflict_id, resolution, by, at)


PAIRS = """
select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at
from ibex_core.memories as m where m.org_id = $1 and m.team_id = $2 and m.id = any($3::bigint[])
"""


async def entries_of(conn: Connection, *, org_id: str, team_id: int, conflicts: Sequence[Conflict]) -> dict[int, Entry]:
    """Return the entries that take part in these conflicts, by id."""
    ids = {entry_id for conflict in conflicts for entry_id in (conflict.first_id, conflict.second_id)}
    rows = await conn.fetch(PAIRS, org_id, team_id, sorted(ids))
    return {row["id"]: entry_of(row) for row in rows}


RELATE = """
insert into ibex_core.memory_relationships (org_id, kind, from_id, to_id, created_at)
values ($1, 'relates_to', $2, $3, $4)
on conflict (org_id, from_id, to_id, kind) do nothing
"""


async def relate(conn: Connection, *, org_id: str, from_id: int, to_id: int, at: datetime) -> None:
    """Link two entries that stand beside each other, since `at`."""
    await conn.execute(RELATE, org_id, from_id, to_id, at)
