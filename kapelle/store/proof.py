"""Everything that must agree with a team's ledger, read in one snapshot, and the checkpoints that seal it."""

from kapelle.domain.entries import Kind, Status
from kapelle.domain.ledger import Checkpoint, Stored
from kapelle.domain.proof import Evidence, Grave, Held, Relation
from kapelle.store import ledger
from kapelle.store.pool import Connection, Row

HEAD = "select t.ledger_seq, t.ledger_hash from ibex_core.teams as t where t.org_id = $1 and t.team_id = $2"

ENTRIES = """
select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at, m.valid_from, m.valid_until, m.salt,
    m.operation_id, m.accepted_at, m.accepted_by, m.visibility = 'agent' as own,
    s.status as search_status, s.text_hash as search_hash, s.current,
    (
        select l.label from ibex_core.memory_labels as l where l.org_id = m.org_id and l.memory_id = m.id
        order by l.confidence desc, (l.label = m.kind) desc, l.label limit 1
    ) as surest
from ibex_core.memories as m
left join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
where m.org_id = $1 and m.team_id = $2
"""

RELATIONS = """
select r.kind, r.from_id, r.to_id, r.created_at
from ibex_core.memory_relationships as r
join ibex_core.memories as m on m.org_id = r.org_id and m.id = r.from_id
where r.org_id = $1 and m.team_id = $2 and r.kind in ('supersedes', 'relates_to')
"""

GRAVES = """
select t.digest, t.memory_id, t.cause, t.forgotten_at, t.seq
from ibex_core.memory_tombstones as t where t.org_id = $1 and t.team_id = $2
"""

CHECKPOINTS = """
select c.number, c.seq, c.hash, c.made_at, c.seal
from ibex_core.ledger_checkpoints as c where c.org_id = $1 and c.team_id = $2 order by c.number
"""


async def evidence(conn: Connection, *, org_id: str, team_id: int) -> Evidence | None:
    """Read a team's ledger and all that follows from it, in a snapshot; None if there is no such team."""
    head = await conn.fetchrow(HEAD, org_id, team_id)
    if head is None:
        return None
    return Evidence(
        org_id=org_id,
        team_id=team_id,
        seq=head["ledger_seq"],
        head=head["ledger_hash"],
        links=await ledger.links(conn, org_id=org_id, team_id=team_id),
        entries=tuple(map(_held, await conn.fetch(ENTRIES, org_id, team_id))),
        relations=tuple(Relation(**dict(row)) for row in await conn.fetch(RELATIONS, org_id, team_id)),
        graves=tuple(Grave(**dict(row)) for row in await conn.fetch(GRAVES, org_id, team_id)),
        checkpoints=await checkpoints(conn, org_id=org_id, team_id=team_id),
    )


def _held(row: Row) -> Held:
    return Held(
        id=row["id"],
        kind=Kind(row["kind"]),
        surest=row["surest"],
        status=Status(row["status"]),
        stored=Stored(
            title=row["title"],
            body=row["body"],
            tags=tuple(row["tags"]),
            source=row["source"],
            created_at=row["created_at"],
            valid_from=row["valid_from"],
            valid_until=row["valid_until"],
        ),
        salt=row["salt"],
        operation_id=str(row["operation_id"]),
        accepted_at=row["accepted_at"],
        accepted_by=row["accepted_by"],
        own=row["own"],
        search_status=row["search_status"],
        search_hash=row["search_hash"],
        current=row["current"],
    )


async def checkpoints(conn: Connection, *, org_id: str, team_id: int) -> tuple[Checkpoint, ...]:
    """Return a team's checkpoints in their order."""
    return tuple(Checkpoint(**dict(row)) for row in await conn.fetch(CHECKPOINTS, org_id, team_id))


SEAL = """
insert into ibex_core.ledger_checkpoints (org_id, team_id, number, seq, hash, made_at, seal)
values ($1, $2, $3, $4, $5, $6, $7)
"""


async def seal(conn: Connection, *, org_id: str, team_id: int, checkpoint: Checkpoint) -> None:
    """Keep a checkpoint, in the transaction that appends its event."""
    await conn.execute(
        SEAL,
        org_id,
        team_id,
        checkpoint.number,
        checkpoint.seq,
        checkpoint.hash,
        checkpoint.made_at,
        checkpoint.seal,
    )


UNSEALED = """
select t.team_id from ibex_core.teams as t
where t.org_id = $1 and t.ledger_seq > coalesce(
    (
        select max(c.seq) + 1 from ibex_core.ledger_checkpoints as c
        where c.org_id = t.org_id and c.team_id = t.team_id
    ), 0
)
order by t.team_id
"""


async def unsealed(conn: Connection, *, org_id: str) -> tuple[int, ...]:
    """Return the teams whose ledgers have events that no checkpoint seals."""
    return tuple(row["team_id"] for row in await conn.fetch(UNSEALED, org_id))
