"""The append-only record of what happened to which entry."""

from collections.abc import Iterable, Sequence

from kapelle.domain.ledger import GENESIS, Event, Link, chain
from kapelle.store.pool import Connection, Row

HEADS = """
select t.team_id, coalesce(e.seq, 0) as seq, e.hash
from unnest($2::bigint[]) as t (team_id)
left join lateral (
    select seq, hash from ibex_core.memory_events
    where org_id = $1 and team_id = t.team_id order by seq desc limit 1
) as e on true
"""

INSERT = """
insert into ibex_core.memory_events
    (org_id, team_id, seq, memory_id, event, other_id, actor, operation_id, happened_at, text_digest,
     previous_hash, hash)
select $1, r.* from unnest(
    $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::uuid[], $9::timestamptz[],
    $10::bytea[], $11::bytea[], $12::bytea[]
) as r
"""


async def append(conn: Connection, *, org_id: str, events: Sequence[tuple[int, Event]]) -> None:
    """Append events, each with its team's id, to their teams' chains. The teams' locks must be held."""
    if not events:
        return
    rows = await conn.fetch(HEADS, org_id, sorted({team_id for team_id, _ in events}))
    links: list[tuple[int, Link]] = []
    for row in rows:
        team_id = row["team_id"]
        own = tuple(event for owner, event in events if owner == team_id)
        linked = chain(org_id, team_id, seq=row["seq"], head=row["hash"] or GENESIS, events=own)
        links += [(team_id, link) for link in linked]
    await conn.execute(
        INSERT,
        org_id,
        [team_id for team_id, _ in links],
        [link.seq for _, link in links],
        [link.event.memory_id for _, link in links],
        [link.event.event for _, link in links],
        [link.event.other_id for _, link in links],
        [link.event.actor for _, link in links],
        [link.event.operation_id for _, link in links],
        [link.event.happened_at for _, link in links],
        [link.event.text_digest for _, link in links],
        [link.previous_hash for _, link in links],
        [link.hash for _, link in links],
    )


HISTORY = """
select memory_id, event, other_id, actor, operation_id, happened_at, text_digest
from ibex_core.memory_events where org_id = $1 and team_id = $2 and memory_id = $3 order by seq
"""


def _event(row: Row) -> Event:
    return Event(
        memory_id=row["memory_id"],
        event=row["event"],
        other_id=row["other_id"],
        actor=row["actor"],
        operation_id=str(row["operation_id"]),
        happened_at=row["happened_at"],
        text_digest=row["text_digest"],
    )


async def history(conn: Connection, *, org_id: str, team_id: int, entry_id: int) -> tuple[Event, ...]:
    """Return an entry's events, oldest first, also after it was forgotten."""
    return tuple(map(_event, await conn.fetch(HISTORY, org_id, team_id, entry_id)))


CHAIN = """
select seq, memory_id, event, other_id, actor, operation_id, happened_at, text_digest, previous_hash, hash
from ibex_core.memory_events where org_id = $1 and team_id = $2 order by seq
"""


async def links(conn: Connection, *, org_id: str, team_id: int) -> tuple[Link, ...]:
    """Return a team's whole chain."""
    return tuple(
        Link(
            seq=row["seq"],
            previous_hash=row["previous_hash"],
            hash=row["hash"],
            event=_event(row),
        )
        for row in await conn.fetch(CHAIN, org_id, team_id)
    )


FORGOTTEN = """
select exists (
    select from ibex_core.memory_events
    where org_id = $1 and team_id = $2 and memory_id = $3 and event = 'forgotten'
)
"""


async def was_forgotten(conn: Connection, *, org_id: str, team_id: int, entry_id: int) -> bool:
    forgotten: bool = await conn.fetchval(FORGOTTEN, org_id, team_id, entry_id)
    return forgotten


PRESENT_TOMBSTONES = """
select digest from ibex_core.memory_tombstones
where org_id = $1 and team_id = any($2::bigint[]) and digest = any($3::bytea[])
"""


async def tombstones(
    conn: Connection, *, org_id: str, team_ids: Iterable[int], digests: Iterable[bytes]
) -> frozenset[bytes]:
    """Return which of these keyed text digests are those of forgotten texts."""
    rows = await conn.fetch(PRESENT_TOMBSTONES, org_id, sorted(set(team_ids)), list(digests))
    return frozenset(row["digest"] for row in rows)


BURY = """
insert into ibex_core.memory_tombstones (org_id, team_id, digest, memory_id) values ($1, $2, $3, $4)
on conflict (org_id, team_id, digest) do update set memory_id = excluded.memory_id, forgotten_at = now()
"""


async def bury(conn: Connection, *, org_id: str, team_id: int, digest: bytes, entry_id: int) -> None:
    """Leave a tombstone for a forgotten text."""
    await conn.execute(BURY, org_id, team_id, digest, entry_id)


LIFT = """
delete from ibex_core.memory_tombstones
where org_id = $1 and team_id = any($2::bigint[]) and digest = any($3::bytea[])
"""


async def lift(conn: Connection, *, org_id: str, team_ids: Iterable[int], digests: Iterable[bytes]) -> None:
    """Remove tombstones, because a person said the texts again."""
    await conn.execute(LIFT, org_id, sorted(set(team_ids)), list(digests))
