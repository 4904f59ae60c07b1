"""Looks behind the answers: what the store, the operations and the hash chain say of a round's writes."""

from collections.abc import Sequence

import asyncpg

from kapelle.domain import ledger
from kapelle.domain.ledger import Event
from tests.durability.writes import Caller, Told, Write

EVENTS_A_WRITE = {
    "propose": ("proposed",),
    "add": ("added",),
    "edit": ("added", "superseded"),
    "accept": ("accepted",),
    "forget": ("forgotten",),
}
TITLES = "select m.id, m.status from ibex_core.memories as m where m.title = $1"
RUNNING = "select operation_id from ibex_core.operations where finished_at is null"
OPERATIONS = """
select o.operation_id from ibex_core.operations as o join ibex_core.teams as t using (team_id)
where t.slug = any($1::text[])
"""
TEAMS = "select team_id from ibex_core.teams where slug = any($1::text[])"
EVENTS = "select * from ibex_core.memory_events where team_id = $1 order by seq"


async def settled(caller: Caller, owner_dsn: str) -> None:
    """Wait until no operation runs; the round's time limit ends a wait in vain."""
    while True:
        connection = await asyncpg.connect(owner_dsn)
        try:
            running = await connection.fetch(RUNNING)
        finally:
            await connection.close()
        if not running:
            return
        await caller.pause()


async def faults(caller: Caller, owner_dsn: str, writes: Sequence[Write], told: Told) -> list[str]:
    """Return what is wrong after a round: lost, doubled, unrecorded or differently answered writes, broken chains."""
    wrong = [f"never answered: {write}" for write in writes if write.request_id not in told.answers]
    for write in writes:
        again = await caller.until_done(write, Told())
        if again != told.answers[write.request_id]:
            wrong.append(f"{write.args[0]} was answered {told.answers[write.request_id]!r}, then {again!r}")
    connection = await asyncpg.connect(owner_dsn)
    try:
        for write in writes:
            wrong += await _stored(connection, write, told.answers[write.request_id])
        teams = sorted({write.team for write in writes})
        for row in await connection.fetch(TEAMS, teams):
            wrong += await _chain(connection, row["team_id"])
    finally:
        await connection.close()
    return wrong


async def _stored(connection: "asyncpg.Connection[asyncpg.Record]", write: Write, answer: str) -> list[str]:
    """Compare one write with what is there: its entry once, its events once."""
    entry_id = int(answer.split()[1])
    wrong = []
    if write.marker:
        rows = await connection.fetch(TITLES, f"note {write.marker}")
        if [row["id"] for row in rows] != [entry_id]:
            wrong.append(f"{write.args[0]} answered {answer!r}, and the store has {[row['id'] for row in rows]}")
    subjects = [entry_id] if write.args[0] != "edit" else [entry_id, int(write.args[1])]
    for event, subject in zip(EVENTS_A_WRITE[write.args[0]], subjects, strict=True):
        count = await connection.fetchval(
            "select count(*) from ibex_core.memory_events where memory_id = $1 and event = $2", subject, event
        )
        if count != 1:
            wrong.append(f"{write.args[0]}: entry {subject} was {event} {count} times")
    return wrong


async def broken(connection: "asyncpg.Connection[asyncpg.Record]", team: str) -> list[str]:
    """Return what is wrong with a team's chain."""
    return await _chain(
        connection, await connection.fetchval("select team_id from ibex_core.teams where slug = $1", team)
    )


async def _chain(connection: "asyncpg.Connection[asyncpg.Record]", team_id: int) -> list[str]:
    """Compute the team's chain anew and name the first row that differs."""
    rows = await connection.fetch(EVENTS, team_id)
    events = tuple(
        Event(
            memory_id=row["memory_id"],
            event=row["event"],
            other_id=row["other_id"],
            actor=row["actor"],
            operation_id=str(row["operation_id"]),
            happened_at=row["happened_at"],
            text_digest=row["text_digest"],
        )
        for row in rows
    )
    links = ledger.chain("default", team_id, seq=0, head=ledger.GENESIS, events=events)
    for row, link in zip(rows, links, strict=True):
        if (row["seq"], row["previous_hash"], row["hash"]) != (link.seq, link.previous_hash, link.hash):
            return [f"the chain of team {team_id} breaks at {row['seq']}"]
    return []
