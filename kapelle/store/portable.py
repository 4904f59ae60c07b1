"""A team's entries with all that is known of each, in pages by id."""

import json

from kapelle.domain.entries import Draft, Kind, Restored, Status
from kapelle.domain.portable import Record, Reference
from kapelle.store.pool import Connection, Row

# Reals are read as their shortest decimal, which is the same real again when it is written.
PAGE = """
select m.id, m.kind, m.title, m.body, m.tags, m.status, m.source, m.created_at, m.accepted_at, m.accepted_by,
    m.valid_from, m.valid_until, m.confidence::text::float8 as confidence, m.pinned, m.metadata, s.current,
    (
        select jsonb_object_agg(l.label, l.confidence::text::float8) from ibex_core.memory_labels as l
        where l.org_id = m.org_id and l.memory_id = m.id
    ) as labels,
    (
        select jsonb_agg(jsonb_build_object('kind', r.kind, 'to', r.to_id::text) order by r.to_id, r.kind)
        from ibex_core.memory_relationships as r
        join ibex_core.memories as o on o.org_id = r.org_id and o.team_id = m.team_id and o.id = r.to_id
        where r.org_id = m.org_id and r.from_id = m.id
          and o.visibility = 'team' and o.status in ('proposed', 'curated')
    ) as links
from ibex_core.memories as m
join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
where m.org_id = $1 and m.team_id = $2 and m.id > $3 and m.visibility = 'team' and m.status in ('proposed', 'curated')
order by m.id
limit $4
"""


async def page(conn: Connection, *, org_id: str, team_id: int, after: int, limit: int) -> tuple[Record, ...]:
    """Return the team's entries whose ids come after `after`, superseded and expired ones included.

    What is quarantined is shown to nobody, and an agent's own entries are its own.
    """
    return tuple(map(_record, await conn.fetch(PAGE, org_id, team_id, after, limit)))


def _record(row: Row) -> Record:
    return Record(
        name=str(row["id"]),
        draft=Draft(kind=Kind(row["kind"]), title=row["title"], body=row["body"], tags=tuple(row["tags"])),
        restored=Restored(
            status=Status(row["status"]),
            source=row["source"],
            created_at=row["created_at"],
            accepted_at=row["accepted_at"],
            accepted_by=row["accepted_by"],
            valid_from=row["valid_from"],
            valid_until=row["valid_until"],
            confidence=row["confidence"],
            labels=tuple((Kind(label), share) for label, share in (row["labels"] or {}).items()),
            pinned=row["pinned"],
            metadata=json.dumps(row["metadata"], ensure_ascii=False, separators=(",", ":")),
            current=row["current"],
        ),
        links=tuple(Reference(kind=link["kind"], to=link["to"]) for link in row["links"] or ()),
    )
