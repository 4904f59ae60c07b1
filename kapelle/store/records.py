"""Entries with all that is kept of them, for the doors that show it: by id, and page by page."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from kapelle.domain.entries import Details, Entry, Kind, Label, Record, Span, Status, Visibility
from kapelle.store.entries import entry_of
from kapelle.store.pool import Connection, Row

_COLUMNS: LiteralString = """
m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at, m.visibility, a.name as agent, m.metadata,
m.confidence, m.pinned, m.valid_from, m.valid_until, m.source_span, m.accepted_at, m.accepted_by,
s.current and m.valid_from <= now() and (m.valid_until is null or m.valid_until > now()) as current,
r.from_id as superseded_by, f.helpful, f.unhelpful, l.labels
"""
_TABLES: LiteralString = """
from ibex_core.memories as m
join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
left join ibex_core.agents as a on a.org_id = m.org_id and a.team_id = m.team_id and a.agent_id = m.agent_id
left join ibex_core.memory_relationships as r on r.org_id = m.org_id and r.to_id = m.id and r.kind = 'supersedes'
cross join lateral (
    select count(*) filter (where v.helpful) as helpful, count(*) filter (where not v.helpful) as unhelpful
    from ibex_core.memory_feedback as v where v.org_id = m.org_id and v.memory_id = m.id
) as f
cross join lateral (
    select jsonb_agg(jsonb_build_array(n.label, n.confidence) order by n.confidence desc, n.label) as labels
    from ibex_core.memory_labels as n where n.org_id = m.org_id and n.memory_id = m.id
) as l
"""

# An agent's own entries are there for that agent alone; a null agent has none.
BY_IDS: LiteralString = (
    "select "
    + _COLUMNS
    + _TABLES
    + """
where m.org_id = $1 and m.team_id = $2 and (m.visibility = 'team' or m.agent_id = $3) and m.status <> 'quarantined'
  and m.id = any($4::bigint[])
"""
)


def record_of(row: Row) -> Record:
    """Read a record from a row that has all its columns."""
    return Record(
        entry=entry_of(row),
        visibility=Visibility(row["visibility"]),
        agent=row["agent"],
        details=_details(row),
        valid_from=row["valid_from"],
        valid_until=row["valid_until"],
        current=row["current"],
        superseded_by=row["superseded_by"],
        accepted_at=row["accepted_at"],
        accepted_by=row["accepted_by"],
        helpful=row["helpful"],
        unhelpful=row["unhelpful"],
    )


def _details(row: Row) -> Details:
    span: dict[str, Any] | None = row["source_span"]
    return Details(
        labels=tuple(Label(kind=Kind(label), confidence=sure) for label, sure in row["labels"] or ()),
        metadata=json.dumps(row["metadata"], ensure_ascii=False) if row["metadata"] else "",
        confidence=row["confidence"],
        pinned=row["pinned"],
        span=None if span is None else Span(**span),
    )


async def by_ids(
    conn: Connection, *, org_id: str, team_id: int, agent_id: int | None, entry_ids: Sequence[int]
) -> dict[int, Record]:
    """Return those of these entries that the caller may see, superseded and expired ones included, by id."""
    rows = await conn.fetch(BY_IDS, org_id, team_id, agent_id, list(entry_ids))
    return {row["id"]: record_of(row) for row in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which entries to list. Empty filters let everything pass."""

    statuses: tuple[Status, ...] = ()
    kinds: tuple[Kind, ...] = ()
    # All of them.
    tags: tuple[str, ...] = ()

    def lets_pass(self, entry: Entry) -> bool:
        """Tell whether an entry is wanted."""
        return (
            (not self.statuses or entry.status in self.statuses)
            and (not self.kinds or entry.kind in self.kinds)
            and set(self.tags) <= set(entry.tags)
        )


PAGE: LiteralString = (
    "select "
    + _COLUMNS
    + _TABLES
    + """
where m.org_id = $1 and m.team_id = $2 and (m.visibility = 'team' or m.agent_id = $3) and m.status <> 'quarantined'
  and s.current and m.valid_from <= now() and (m.valid_until is null or m.valid_until > now())
  and ($4::text[] is null or m.status = any($4)) and ($5::text[] is null or m.kind = any($5))
  and ($6::text[] is null or m.tags @> $6) and ($7::bigint is null or m.id < $7)
order by m.id desc
limit $8
"""
)


async def page(
    conn: Connection,
    *,
    org_id: str,
    team_id: int,
    agent_id: int | None,
    wanted: Filter,
    before: int | None,
    limit: int,
) -> tuple[Record, ...]:
    """Return the newest current entries that the caller may see, of those before an id."""
    rows = await conn.fetch(
        PAGE,
        org_id,
        team_id,
        agent_id,
        list(map(str, wanted.statuses)) or None,
        list(map(str, wanted.kinds)) or None,
        list(wanted.tags) or None,
        before,
        limit,
    )
    return tuple(map(record_of, rows))
