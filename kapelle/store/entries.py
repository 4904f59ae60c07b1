"""The entries themselves."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from kapelle.domain.entries import Draft, Entry, Kind, Restored, Status
from kapelle.domain.ledger import Stored
from kapelle.domain.scan import Finding
from kapelle.store.pool import Connection, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """A row to insert. Its id was drawn by `draw_ids`."""

    id: int
    team_id: int
    draft: Draft
    status: Status
    source: str
    operation_id: str
    salt: bytes
    created_at: datetime
    findings: tuple[Finding, ...] = ()
    # Whose own it is; None for the team's.
    agent_id: int | None = None
    restored: Restored | None = None

    @property
    def valid_from(self) -> datetime:
        restored = self.restored.valid_from if self.restored else None
        return restored or self.draft.valid_from or self.created_at

    @property
    def valid_until(self) -> datetime | None:
        restored = self.restored.valid_until if self.restored else None
        return restored or self.draft.valid_until

    def stored(self) -> Stored:
        """Return what the ledger's digest covers."""
        return Stored(
            title=self.draft.title,
            body=self.draft.body,
            tags=self.draft.tags,
            source=self.source,
            created_at=self.created_at,
            valid_from=self.valid_from,
            valid_until=self.valid_until,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An entry as a decision needs to know it."""

    entry: Entry
    team_id: int
    current: bool
    successor: int | None
    # The source of the successor.
    superseded_by: str | None
    text_hash: bytes
    # Whose own it is; None for the team's.
    agent_id: int | None = None


def entry_of(row: Row) -> Entry:
    """Read an entry from a row that has all its columns."""
    return Entry(
        id=row["id"],
        kind=Kind(row["kind"]),
        status=Status(row["status"]),
        title=row["title"],
        body=row["body"],
        tags=tuple(row["tags"]),
        source=row["source"],
        created_at=row["created_at"],
    )


DRAW_IDS = """
select nextval(pg_get_serial_sequence('ibex_core.memories', 'id')) as id from generate_series(1, $1::int)
"""


async def draw_ids(conn: Connection, count: int) -> tuple[int, ...]:
    """Draw ids for entries that are about to be inserted."""
    if count == 0:
        return ()
    return tuple(row["id"] for row in await conn.fetch(DRAW_IDS, count))


# Each entry's tags travel as one JSON text, since PostgreSQL knows no array of arrays of different lengths.
# What only an import sets travels in `more`, from which everything else takes its defaults.
INSERT = """
with r as materialized (
select * from unnest(
    $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::uuid[],
    $11::bytea[], $12::timestamptz[], $13::jsonb[]
) as n (id, team_id, kind, title, body, tags, status, source, operation_id, salt, created_at, more)
), inserted as (
insert into ibex_core.memories
    (id, org_id, team_id, kind, title, body, tags, status, source, operation_id, salt, created_at, valid_from,
     valid_until, accepted_at, accepted_by, confidence, pinned, metadata, findings, visibility, agent_id, source_span)
overriding system value
select r.id, $1, r.team_id, r.kind, r.title, r.body, array(select jsonb_array_elements_text(r.tags::jsonb)), r.status,
    r.source, r.operation_id, r.salt, r.created_at,
    coalesce((r.more ->> 'valid_from')::timestamptz, r.created_at), (r.more ->> 'valid_until')::timestamptz,
    case when r.status = 'curated' then coalesce((r.more ->> 'accepted_at')::timestamptz, r.created_at) end,
    case when r.status = 'curated' then coalesce(r.more ->> 'accepted_by', r.source) end,
    coalesce((r.more ->> 'confidence')::real, 1), coalesce((r.more ->> 'pinned')::boolean, false),
    coalesce(r.more -> 'metadata', '{}'), r.more -> 'findings',
    case when r.more ? 'agent_id' then 'agent' else 'team' end, (r.more ->> 'agent_id')::bigint, r.more -> 'span'
from r
returning id
)
insert into ibex_core.memory_labels (org_id, memory_id, label, confidence)
select $1, r.id, l.label, l.confidence::real
from inserted join r using (id)
cross join lateral jsonb_each_text(coalesce(r.more -> 'labels', jsonb_build_object(r.kind, 1))) as l (label, confidence)
"""


async def insert(conn: Connection, *, org_id: str, entries: Sequence[NewEntry]) -> None:
    """Insert entries, each with its labels, of which its kind is one."""
    await conn.execute(
        INSERT,
        org_id,
        [new.id for new in entries],
        [new.team_id for new in entries],
        [str(new.draft.kind) for new in entries],
        [new.draft.title for new in entries],
        [new.draft.body for new in entries],
        [json.dumps(new.draft.tags) for new in entries],
        [str(new.status) for new in entries],
        [new.source for new in entries],
        [new.operation_id for new in entries],
        [new.salt for new in entries],
        [new.created_at for new in entries],
        [_more(new) for new in entries],
    )


def _more(new: NewEntry) -> dict[str, Any]:
    """Return the columns that few entries set."""
    more: dict[str, Any] = {"findings": [asdict(finding) for finding in new.findings]}
    moments = {"valid_from": new.draft.valid_from, "valid_until": new.draft.valid_until}
    more |= {name: moment.isoformat() for name, moment in moments.items() if moment is not None}
    if new.agent_id is not None:
        more["agent_id"] = new.agent_id
    return more | (_details(new.draft) if new.restored is None else _restored(new.restored))


def _details(draft: Draft) -> dict[str, Any]:
    details = draft.details
    # The kind is sure unless the labels say how sure it is.
    labels = {draft.kind: 1.0, **{label.kind: label.confidence for label in details.labels}}
    more: dict[str, Any] = {"confidence": details.confidence, "pinned": details.pinned, "labels": labels}
    if details.metadata:
        more["metadata"] = json.loads(details.metadata)
    if details.span is not None:
        more["span"] = asdict(details.span)
    return more


def _restored(restored: Restored) -> dict[str, Any]:
    named = {name: getattr(restored, name) for name in _RESTORED}
    more = {name: value for name, value in named.items() if value is not None}
    for name in ("accepted_at", "valid_from", "valid_until"):
        if isinstance(more.get(name), datetime):
            more[name] = more[name].isoformat()
    if restored.labels:
        more["labels"] = dict(restored.labels)
    return more | {"metadata": json.loads(restored.metadata)}


_RESTORED = ("accepted_at", "accepted_by", "valid_from", "valid_until", "confidence", "pinned")


GET = """
select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at
from ibex_core.memories as m
where m.org_id = $1 and m.team_id = $2 and m.id = $3 and m.status <> 'quarantined'
  and (m.visibility = 'team' or m.agent_id = $4)
"""


async def get(
    conn: Connection, *, org_id: str, team_id: int, entry_id: int, agent_id: int | None = None
) -> Entry | None:
    """Return an entry by its id, superseded ones included. Of agents' own ones, those of `agent_id`."""
    row = await conn.fetchrow(GET, org_id, team_id, entry_id, agent_id)
    return None if row is None else entry_of(row)


LIST = """
select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at
from ibex_core.memories as m
join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
where m.org_id = $1 and m.team_id = $2 and s.current and m.visibility = 'team' and m.status = any($3::text[])
  and m.valid_from <= now() and (m.valid_until is null or m.valid_until > now())
order by m.status = 'proposed', m.id desc
"""


async def listing(conn: Connection, *, org_id: str, team_id: int, statuses: Iterable[Status]) -> tuple[Entry, ...]:
    """Return the current entries of these statuses, curated before proposed, newest first in each."""
    return tuple(map(entry_of, await conn.fetch(LIST, org_id, team_id, [str(status) for status in statuses])))


QUARANTINED = """
select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at
from ibex_core.memories as m
where m.org_id = $1 and m.team_id = $2 and m.status = 'quarantined' and m.visibility = 'team'
order by m.id
"""


async def quarantined(conn: Connection, *, org_id: str, team_id: int) -> tuple[Entry, ...]:
    """Return the entries that wait for a maintainer, oldest first; they are shown to nobody else."""
    return tuple(map(entry_of, await conn.fetch(QUARANTINED, org_id, team_id)))


STANDINGS = """
select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at, m.team_id, m.agent_id,
    s.current, s.text_hash, r.from_id as successor, n.source as superseded_by
from ibex_core.memories as m
join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
left join ibex_core.memory_relationships as r
    on r.org_id = m.org_id and r.to_id = m.id and r.kind = 'supersedes'
left join ibex_core.memories as n on n.org_id = m.org_id and n.team_id = m.team_id and n.id = r.from_id
where m.org_id = $1 and m.team_id = any($2::bigint[]) and m.id = any($3::bigint[])
  and (m.visibility = 'team' or m.agent_id = $4)
"""


async def standings(
    conn: Connection,
    *,
    org_id: str,
    team_ids: Iterable[int],
    entry_ids: Iterable[int],
    agent_id: int | None = None,
) -> dict[int, Standing]:
    """Return what decisions on these entries need to know, by entry id. Of agents' own ones, those of `agent_id`."""
    rows = await conn.fetch(STANDINGS, org_id, sorted(set(team_ids)), sorted(set(entry_ids)), agent_id)
    return {row["id"]: _standing(row) for row in rows}


def _standing(row: Row) -> Standing:
    return Standing(
        entry=entry_of(row),
        team_id=row["team_id"],
        current=row["current"],
        successor=row["successor"],
        superseded_by=row["superseded_by"],
        text_hash=row["text_hash"],
        agent_id=row["agent_id"],
    )


REMOVABLE = """
select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at, m.team_id, m.agent_id,
    false as current, s.text_hash, null::bigint as successor, null::text as superseded_by
from ibex_core.memories as m
join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
where m.org_id = $1 and m.team_id = $2 and m.id = any($3::bigint[])
order by m.id
"""


async def removable(conn: Connection, *, org_id: str, team_id: int, entry_ids: Iterable[int]) -> tuple[Standing, ...]:
    """Return what removing these entries needs to know, agents' own entries included."""
    return tuple(map(_standing, await conn.fetch(REMOVABLE, org_id, team_id, list(entry_ids))))


CURATE = """
update ibex_core.memories set status = 'curated', accepted_at = $4, accepted_by = $5
where org_id = $1 and team_id = $2 and id = $3
"""


async def curate(conn: Connection, *, org_id: str, team_id: int, entry_id: int, at: datetime, by: str) -> None:
    """Make an entry curated, accepted by `by` at `at`."""
    await conn.execute(CURATE, org_id, team_id, entry_id, at, by)


LINK = """
insert into ibex_core.memory_relationships (org_id, kind, from_id, to_id, created_at)
select $1, 'supersedes', r.successor, r.replaced, r.at
from unnest($2::bigint[], $3::bigint[], $4::timestamptz[]) as r (successor, replaced, at)
"""


async def link_successors(conn: Connection, *, org_id: str, pairs: Sequence[tuple[int, int, datetime]]) -> None:
    """Record supersessions as (successor, replaced, moment); the moments are those of their events."""
    await conn.execute(
        LINK, org_id, [pair[0] for pair in pairs], [pair[1] for pair in pairs], [pair[2] for pair in pairs]
    )


DELETE = "delete from ibex_core.memories where org_id = $1 and team_id = $2 and id = $3"


async def delete(conn: Connection, *, org_id: str, team_id: int, entry_id: int) -> None:
    """Delete an entry; labels, links, conflicts, vectors, votes and search rows go with it."""
    await conn.execute(DELETE, org_id, team_id, entry_id)


LIVE = """
select s.team_id, s.text_hash, s.memory_id, s.status, v.expired
from ibex_core.memory_search as s
cross join lateral (
    select coalesce(m.valid_until <= clock_timestamp(), false) as expired
    from ibex_core.memories as m where m.org_id = s.org_id and m.team_id = s.team_id and m.id = s.memory_id
) as v
where s.org_id = $1 and s.team_id = any($2::bigint[]) and s.text_hash = any($3::bytea[])
  and s.current and s.status <> 'active'
"""


async def live_texts(
    conn: Connection, *, org_id: str, team_ids: Iterable[int], text_hashes: Iterable[bytes]
) -> tuple[dict[tuple[int, bytes], tuple[int, Status]], dict[tuple[int, bytes], int]]:
    """Return which entries hold these texts, by team and hash: id and status of live ones, ids of expired ones."""
    rows = await conn.fetch(LIVE, org_id, sorted(set(team_ids)), list(set(text_hashes)))
    live = {
        (row["team_id"], row["text_hash"]): (row["memory_id"], Status(row["status"]))
        for row in rows
        if not row["expired"]
    }
    return live, {(row["team_id"], row["text_hash"]): row["memory_id"] for row in rows if row["expired"]}


OWN = """
select m.agent_id, s.text_hash, m.id
from ibex_core.memories as m
join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
where m.org_id = $1 and m.team_id = any($2::bigint[]) and m.agent_id = any($3::bigint[]) and m.visibility = 'agent'
  and s.text_hash = any($4::bytea[]) and s.current and (m.valid_until is null or m.valid_until > now())
"""


async def own_texts(
    conn: Connection,
    *,
    org_id: str,
    team_ids: Iterable[int],
    agent_ids: Iterable[int],
    text_hashes: Iterable[bytes],
) -> dict[tuple[int, bytes], int]:
    """Return which of these texts agents have as their own: by agent and hash, the entry's id."""
    rows = await conn.fetch(OWN, org_id, sorted(set(team_ids)), sorted(set(agent_ids)), list(set(text_hashes)))
    return {(row["agent_id"], row["text_hash"]): row["id"] for row in rows}


DERIVE = """
insert into ibex_core.memory_relationships (org_id, kind, from_id, to_id)
select $1, 'derived_from', r.entry, m.id
from unnest($2::bigint[], $3::bigint[]) as r (entry, origin)
join ibex_core.memories as m on m.org_id = $1 and m.id = r.origin and m.team_id = any($4::bigint[])
on conflict (org_id, from_id, to_id, kind) do nothing
"""


async def link_origins(
    conn: Connection, *, org_id: str, team_ids: Iterable[int], pairs: Sequence[tuple[int, int]]
) -> None:
    """Record what entries were made from, as (entry, origin). Origins that are gone are left out."""
    await conn.execute(DERIVE, org_id, [pair[0] for pair in pairs], [pair[1] for pair in pairs], sorted(set(team_ids)))
