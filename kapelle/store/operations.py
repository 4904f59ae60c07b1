"""The idempotency ledger: what became of each write, kept in the transaction of its effect."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from kapelle.domain.errors import Unavailable
from kapelle.domain.outcomes import Code, Outcome
from kapelle.store.pool import Connection, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A write that was handed over. `digest` is the keyed digest of its request."""

    operation_id: str
    # None for a command that is about the org, or about a team itself.
    team_id: int | None
    source: str
    name: str
    digest: bytes
    # Digest of the tombstone that the request's text would get; None where it carries none.
    tombstone: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A row of the ledger. `outcome` is None while it runs."""

    operation_id: str
    team_id: int | None
    source: str
    name: str
    digest: bytes
    # queued, running, succeeded, failed or cancelled.
    state: str
    workflow_id: str
    started_at: datetime
    finished_at: datetime | None
    outcome: Outcome | None
    steps: tuple[str, ...] = ()


def _recorded(row: Row) -> Recorded:
    outcome = row["outcome"]
    return Recorded(
        operation_id=str(row["operation_id"]),
        team_id=row["team_id"],
        source=row["source"],
        name=row["name"],
        digest=row["request_digest"],
        state=row["state"],
        workflow_id=row["workflow_id"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        outcome=None if outcome is None else Outcome(**{**outcome, "code": Code(outcome["code"])}),
        steps=tuple(row["steps"]),
    )


def _compact(outcome: Outcome) -> dict[str, Any]:
    return {key: value for key, value in asdict(outcome).items() if value}


BEGIN = """
insert into ibex_core.operations (org_id, operation_id, team_id, source, name, request_digest, state, workflow_id,
    tombstone)
select $1, r.operation_id, r.team_id, r.source, r.name, r.digest, 'running', $7, r.tombstone
from unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::bytea[], $8::bytea[])
    as r (operation_id, team_id, source, name, digest, tombstone)
on conflict (org_id, operation_id) do nothing
"""


async def begin(conn: Connection, *, org_id: str, begun: Sequence[Begun], workflow_id: str) -> None:
    """Show writes as running. Their end is recorded by `finish`, whichever comes first."""
    await conn.execute(
        BEGIN,
        org_id,
        [row.operation_id for row in begun],
        [row.team_id for row in begun],
        [row.source for row in begun],
        [row.name for row in begun],
        [row.digest for row in begun],
        workflow_id,
        [row.tombstone for row in begun],
    )


RECORDED = """
select operation_id, team_id, source, name, request_digest, state, outcome, workflow_id, steps, started_at, finished_at
from ibex_core.operations where org_id = $1 and operation_id = any($2::uuid[])
"""


async def recorded(conn: Connection, *, org_id: str, operation_ids: Sequence[str]) -> dict[str, Recorded]:
    """Return the rows of these operations, by id."""
    rows = await conn.fetch(RECORDED, org_id, list(operation_ids))
    return {str(row["operation_id"]): _recorded(row) for row in rows}


REPEATED = """
select o.operation_id, o.team_id, o.source, o.name, o.request_digest, o.state, o.outcome, o.workflow_id, o.steps,
    o.started_at, o.finished_at
from ibex_core.operations as o
join ibex_core.memory_search as s
    on s.org_id = o.org_id and s.team_id = o.team_id and s.memory_id = (o.outcome ->> 'entry_id')::bigint
where o.org_id = $1 and o.team_id = $2 and o.source = $3 and o.request_digest = $4
    and o.state = 'succeeded' and o.finished_at > now() - make_interval(secs => $5) and not s.current
order by o.finished_at desc
limit 1
"""


async def repeated(
    conn: Connection, *, org_id: str, team_id: int, source: str, digest: bytes, seconds: float
) -> Recorded | None:
    """Return the same caller's same request of the last seconds, if what it stored was replaced since.

    What it stored and is still current needs no look: an equal text is found by its hash. What was forgotten is gone.
    """
    row = await conn.fetchrow(REPEATED, org_id, team_id, source, digest, seconds)
    return _recorded(row) if row else None


TELL = """
update ibex_core.operations set steps = steps || $3::text
where org_id = $1 and operation_id = $2 and not steps @> array[$3::text]
"""


async def tell(conn: Connection, *, org_id: str, operation_id: str, step: str) -> None:
    """Add what an operation has done to its steps, once."""
    await conn.execute(TELL, org_id, operation_id, step)


FINISH = """
insert into ibex_core.operations
    (org_id, operation_id, team_id, source, name, request_digest, state, outcome, workflow_id, finished_at,
     tombstone)
select $1, r.operation_id, r.team_id, r.source, r.name, r.digest, r.state, r.outcome, $9, now(), r.tombstone
from unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::jsonb[], $10::bytea[])
    as r (operation_id, team_id, source, name, digest, state, outcome, tombstone)
on conflict (org_id, operation_id) do update
    set state = excluded.state, outcome = excluded.outcome, workflow_id = excluded.workflow_id,
        finished_at = excluded.finished_at, tombstone = coalesce(excluded.tombstone, operations.tombstone)
    -- Who cancelled it was told that nothing will be stored.
    where operations.state <> 'cancelled'
"""


async def finish(conn: Connection, *, org_id: str, finished: Sequence[tuple[Begun, Outcome]], workflow_id: str) -> None:
    """Record how writes ended, in the transaction of their effect.

    Raises:
        Unavailable: one of them was cancelled meanwhile, so that the transaction must not stand; safe to repeat.
    """
    written = await conn.execute(
        FINISH,
        org_id,
        [row.operation_id for row, _ in finished],
        [row.team_id for row, _ in finished],
        [row.source for row, _ in finished],
        [row.name for row, _ in finished],
        [row.digest for row, _ in finished],
        ["succeeded" if outcome.ok else "failed" for _, outcome in finished],
        [_compact(outcome) for _, outcome in finished],
        workflow_id,
        [row.tombstone for row, _ in finished],
    )
    if written != f"INSERT 0 {len(finished)}":
        raise Unavailable("an operation was cancelled while it was carried out")


CANCEL = """
update ibex_core.operations set state = 'cancelled', outcome = $4, finished_at = now()
where org_id = $1 and team_id = $2 and operation_id = $3 and finished_at is null
"""


async def cancel(conn: Connection, *, org_id: str, team_id: int, operation_id: str) -> bool:
    """Take back an operation that has not ended; False if it has. What runs finds it, and stores nothing."""
    outcome = _compact(Outcome(code=Code.CANCELLED))
    changed: str = await conn.execute(CANCEL, org_id, team_id, operation_id, outcome)
    return changed == "UPDATE 1"


UNFINISHED = """
select operation_id, team_id, source, name, request_digest, state, outcome, workflow_id, steps, started_at, finished_at
from ibex_core.operations
where org_id = $1 and team_id = $2 and finished_at is null and started_at < now() - make_interval(secs => $3)
order by started_at
limit 200
"""


async def unfinished(conn: Connection, *, org_id: str, team_id: int, older_than: float) -> tuple[Recorded, ...]:
    """Return a team's operations that have not ended after so many seconds, the oldest first, at most 200."""
    return tuple(map(_recorded, await conn.fetch(UNFINISHED, org_id, team_id, older_than)))
