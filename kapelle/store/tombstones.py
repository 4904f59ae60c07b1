"""Keyed hashes of texts that a team does not want back."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from kapelle.store.pool import Connection

Cause = Literal["forgotten", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What is left of a text. `seq` is the number of the event by which the text went."""

    memory_id: int
    cause: Cause
    seq: int


PRESENT = """
select t.digest, t.memory_id, t.cause, t.seq from ibex_core.memory_tombstones as t
where t.org_id = $1 and t.team_id = any($2::bigint[]) and t.digest = any($3::bytea[])
"""


async def present(
    conn: Connection, *, org_id: str, team_ids: Iterable[int], digests: Iterable[bytes]
) -> Mapping[bytes, Tombstone]:
    """Return the tombstones with these digests, by digest."""
    rows = await conn.fetch(PRESENT, org_id, sorted(set(team_ids)), list(digests))
    return {row["digest"]: Tombstone(memory_id=row["memory_id"], cause=row["cause"], seq=row["seq"]) for row in rows}


# The event is the next one of this transaction: a write that was asked for before it cannot have known.
BURY = """
insert into ibex_core.memory_tombstones (org_id, team_id, digest, memory_id, forgotten_at, cause, seq)
select t.org_id, t.team_id, $3, $4, $5, $6, t.ledger_seq + 1
from ibex_core.teams as t where t.org_id = $1 and t.team_id = $2
on conflict (org_id, team_id, digest) do update
    set memory_id = excluded.memory_id, forgotten_at = excluded.forgotten_at, cause = excluded.cause,
        seq = excluded.seq
"""


async def bury(
    conn: Connection, *, org_id: str, team_id: int, digest: bytes, entry_id: int, at: datetime, cause: Cause
) -> None:
    """Leave a tombstone for a text, in the transaction that removes it."""
    await conn.execute(BURY, org_id, team_id, digest, entry_id, at, cause)


LIFT = """
delete from ibex_core.memory_tombstones
where org_id = $1 and team_id = any($2::bigint[]) and digest = any($3::bytea[])
"""


async def lift(conn: Connection, *, org_id: str, team_ids: Iterable[int], digests: Iterable[bytes]) -> None:
    """Remove tombstones, because a person said the texts again."""
    await conn.execute(LIFT, org_id, sorted(set(team_ids)), list(digests))
