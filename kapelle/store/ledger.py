"""The append-only record of what happened to which entry."""

from collections.abc import Sequence

from kapelle.domain.ledger import Event, Link, chain
from kapelle.store.pool import Connection, Row

HEADS = """
select t.team_id, t.ledger_seq as seq, t.ledger_hash as hash
from ibex_core.teams as t where t.org_id = $1 and t.team_id = any($2::bigint[])
"""

HEAD = "select t.ledger_seq, t.ledger_hash from ibex_core.teams as t where t.org_id = $1 and t.team_id = $2"


async def head(conn: Connection, *, org_id: str, team_id: int) -> tuple[int, bytes]:
    """Return the number and hash of the last event of a team that exists."""
    row = await conn.fetchrow(HEAD, org_id, team_id)
    assert row is not None, "the team is locked by the caller"
    return row["ledger_seq"], row["ledger_hash"]


# The revision moves with the chain: whatever happens to a memory is an event, and makes every cache of it stale.
APPEND = """
with appended as (
insert into ibex_core.memory_events
    (org_id, team_id, seq, memory_id, event, other_id, actor, operation_id, happened_at, text_digest,
     previous_hash, hash)
select $1, r.* from unnest(
    $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::uuid[], $9::timestamptz[],
    $10::bytea[], $11::bytea[], $12::bytea[]
) as r
)
update ibex_core.teams as t set revision = t.revision + 1, ledger_seq = h.seq, ledger_hash = h.hash
from unnest($13::bigint[], $14::bigint[], $15::bytea[]) as h (team_id, seq, hash)
where t.org_id = $1 and t.team_id = h.team_id
"""


async def append(conn: Connection, *, org_id: str, events: Sequence[tuple[int, Event]]) -> None:
    """Append events, each with its team's id, to their teams' chains, and move the teams' revisions.

    The teams' locks must be held.
    """
    if not events:
        return
    rows = await conn.fetch(HEADS, org_id, sorted({team_id for team_id, _ in events}))
    links: list[tuple[int, Link]] = []
    heads: list[tuple[int, Link]] = []
    for row in rows:
        team_id = row["team_id"]
        own = tuple(event for owner, event in events if owner == team_id)
        linked = chain(org_id, team_id, seq=row["seq"], head=row["hash"], events=own)
        links += [(team_id, link) for link in linked]
        heads.append((team_id, linked[-1]))
    await conn.execute(
        APPEND,
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
        [team_id for team_id, _ in heads],
        [link.seq for _, link in heads],
        [link.hash for _, link in heads],
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


GONE = """
select e.event, e.actor from ibex_core.memory_events as e
where e.org_id = $1 and e.team_id = $2 and e.memory_id = $3 and e.event in ('forgotten', 'rejected')
order by e.seq desc limit 1
"""


async def gone(conn: Connection, *, org_id: str, team_id: int, entry_id: int) -> tuple[str, str] | None:
    """Return how an entry went, `forgotten` or `rejected`, and who did it; None if it did not."""
    row = await conn.fetchrow(GONE, org_id, team_id, entry_id)
    return None if row is None else (row["event"], row["actor"])


CURATOR = """
select e.actor from ibex_core.memory_events as e
where e.org_id = $1 and e.team_id = $2 and e.memory_id = $3 and e.event in ('added', 'accepted', 'released')
order by e.seq desc limit 1
"""


async def curator(conn: Connection, *, org_id: str, team_id: int, entry_id: int) -> str:
    """Return who made an entry curated; empty if nobody did."""
    actor: str | None = await conn.fetchval(CURATOR, org_id, team_id, entry_id)
    return actor or ""
