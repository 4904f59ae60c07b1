"""The ledger: every change is in it, and whatever is changed past the product is found and named."""

import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import asyncpg

from kapelle.contracts import upkeep
from kapelle.contracts.upkeep import KeepLedger, Upkeep
from kapelle.domain.ledger import GENESIS, chain
from kapelle.durable import rounds
from kapelle.store import ledger, teams
from kapelle.store.pool import snapshot
from tests.memory import AGENT, Memory

TAMPERINGS = 100
# What of each table somebody with the owner's rights changes, as SQL on the row's old value. None removes the row.
CHANGES: dict[str, tuple[tuple[str, str] | None, ...]] = {
    "memory_events": (
        None,
        ("actor", "actor || 'x'"),
        ("event", "case event when 'added' then 'proposed' else 'added' end"),
        ("memory_id", "memory_id + 1"),
        ("happened_at", "happened_at - interval '1 day'"),
        ("hash", "sha256(hash)"),
        ("text_digest", "sha256(coalesce(text_digest, hash))"),
        ("other_id", "coalesce(other_id, 0) + 1"),
    ),
    "memories": (
        None,
        ("body", "body || '.'"),
        ("title", "reverse(title || 'a')"),
        ("status", "case status when 'curated' then 'proposed' else 'curated' end"),
        ("tags", "tags || array['x']"),
        ("source", "source || 'x'"),
        ("valid_until", "now() + interval '1 day'"),
        ("accepted_by", "coalesce(accepted_by, 'person:mallory') || 'x'"),
        ("kind", "case kind when 'fact' then 'event' else 'fact' end"),
    ),
    "memory_relationships": (
        None,
        ("kind", "'refines'"),
        ("created_at", "created_at - interval '1 day'"),
    ),
    "memory_tombstones": (
        None,
        ("digest", "sha256(digest)"),
        ("memory_id", "memory_id + 1000"),
        ("cause", "case cause when 'forgotten' then 'rejected' else 'forgotten' end"),
        ("seq", "seq + 1"),
        ("forgotten_at", "forgotten_at - interval '1 day'"),
    ),
    "ledger_checkpoints": (
        None,
        ("seal", "sha256(seal)"),
        ("hash", "sha256(hash)"),
        ("seq", "seq - 1"),
        ("made_at", "made_at - interval '1 day'"),
    ),
}
NOTES = (
    "The payments webhook retries 3 times with a delay of 10 seconds.",
    "Staging is restored from production every Monday.",
    "Invoices are numbered by the billing service alone.",
    "The search index is rebuilt at midnight.",
    "Tokens of the gateway last for one hour.",
    "The mobile app caches images for a week.",
)


async def verify(memory: Memory) -> dict[str, Any]:
    return await memory.ask("verify")


async def a_story(memory: Memory) -> None:
    """Let everything happen that makes an event, with two checkpoints in between."""
    for number, note in enumerate(NOTES):
        await memory.ask("propose" if number % 2 else "add", "fact", f"Note {number}", note, "a,b", source=AGENT)
    await memory.ask("accept", "2")
    await run_upkeep(memory)
    await memory.ask("edit", "1", "fact", "Note 0", "The payments webhook retries with a growing delay.")
    await memory.ask("feedback", "3", "helpful", source=AGENT)
    await memory.ask("propose", "fact", "Note 3", "The search index is rebuilt at 11.", source=AGENT)
    await memory.ask("propose", "fact", "Note 3", "The search index is rebuilt at 12.", source=AGENT)
    for conflict, decision in (("1", "keep-second"), ("2", "keep-both"), ("3", "keep-both")):
        await memory.ask("resolve", conflict, decision)
    await memory.ask("reject", "6", "Not so.")
    await memory.ask("forget", "5")
    await run_upkeep(memory)


async def run_upkeep(memory: Memory) -> upkeep.Kept:
    services = memory.services
    return await services.temporal.execute_workflow(
        KeepLedger.run,
        Upkeep(org_id=services.org_id),
        id=f"test-upkeep/{random.random()}",  # noqa: S311 - a name
        task_queue=services.settings.task_queue,
    )


async def test_each_of_100_tamperings_with_a_single_row_is_found_and_named(memory: Memory) -> None:
    await a_story(memory)
    assert (await verify(memory))["ok"], await verify(memory)
    chance = random.Random(6)  # noqa: S311 - repeatable
    owner = await asyncpg.connect(memory.database.owner_dsn)
    # Neither triggers nor keys stand in an owner's way.
    await owner.execute("set session_replication_role = replica")
    missed: list[object] = []
    for _ in range(TAMPERINGS):
        table = chance.choice(sorted(CHANGES))
        change = chance.choice(CHANGES[table])
        async with tampered(owner, table, change, chance) as row:
            reply = await verify(memory)
            if reply["ok"] or not names(reply["error"], table, row):
                missed.append((table, change, row, reply))
    await owner.close()

    assert missed == []
    assert (await verify(memory))["ok"]


@asynccontextmanager
async def tampered(
    owner: Any, table: str, change: tuple[str, str] | None, chance: random.Random
) -> AsyncIterator[dict[str, Any]]:
    """Change or remove one row, and put it back at the end."""
    places = [row["ctid"] for row in await owner.fetch(f"select ctid from ibex_core.{table} order by ctid")]
    place = chance.choice(places)
    before = await owner.fetchval(f"select to_jsonb(t)::text from ibex_core.{table} as t where ctid = $1", place)
    if change is None:
        await owner.execute(f"delete from ibex_core.{table} where ctid = $1", place)
    else:
        place = await owner.fetchval(
            f"update ibex_core.{table} set {change[0]} = {change[1]} where ctid = $1 returning ctid", place
        )
    yield json.loads(before)
    await owner.execute(f"delete from ibex_core.{table} where ctid = $1", place) if change else None
    await owner.execute(
        f"insert into ibex_core.{table} overriding system value "
        f"select * from jsonb_populate_record(null::ibex_core.{table}, $1::text::jsonb)",
        before,
    )


def names(error: str, table: str, row: dict[str, Any]) -> bool:
    """Tell whether a message names the table and the row."""
    match table:
        case "memory_events":
            place = f"memory_events row {row['seq']}:"
        case "memories":
            place = f"memories row {row['id']}:"
        case "memory_relationships":
            place = f"memory_relationships row {row['from_id']} "
        case "memory_tombstones":
            place = "memory_tombstones row of entry "
        case _:
            place = f"ledger_checkpoints row {row['number']}:"
    return place in error


async def test_a_chain_that_was_written_anew_from_one_row_on_does_not_fit_its_checkpoint(memory: Memory) -> None:
    await a_story(memory)
    org_id = memory.services.org_id
    async with snapshot(memory.services.pool, org_id) as conn:
        team_id = (await teams.listing(conn, org_id=org_id, person_id=None))[0].team_id
        links = await ledger.links(conn, org_id=org_id, team_id=team_id)
    events = tuple(replace(link.event, actor="person:mallory") if link.seq == 1 else link.event for link in links)
    forged = chain(org_id, team_id, seq=0, head=GENESIS, events=events)
    owner = await asyncpg.connect(memory.database.owner_dsn)
    await owner.execute("set session_replication_role = replica")
    for link in forged:
        await owner.execute(
            "update ibex_core.memory_events set actor = $2, previous_hash = $3, hash = $4 where seq = $1",
            *(link.seq, link.event.actor, link.previous_hash, link.hash),
        )
    await owner.execute("update ibex_core.teams set ledger_hash = $1", forged[-1].hash)
    await owner.close()

    error = (await verify(memory))["error"]

    assert "memory_events" not in error
    assert "ledger_checkpoints row 1: row 7 of the ledger is not the one that it sealed" in error


async def test_a_round_seals_what_is_new_and_nothing_twice(memory: Memory) -> None:
    await memory.ask("add", "fact", "Note", NOTES[0])

    assert (await run_upkeep(memory)).sealed == 1
    assert (await run_upkeep(memory)).sealed == 0
    assert [row["seq"] for row in await memory.rows("select seq from ibex_core.ledger_checkpoints")] == [1]
    assert "events: 2, of which 1 are sealed by checkpoints" in (await verify(memory))["entries"]


async def test_a_ledger_that_does_not_hold_is_named_and_not_sealed(memory: Memory) -> None:
    await memory.ask("add", "fact", "Note", NOTES[0])
    await memory.rows("update ibex_core.memories set body = 'Another.' returning id")

    kept = await run_upkeep(memory)

    assert (kept.sealed, len(kept.broken)) == (0, 1)
    assert await memory.rows("select seq from ibex_core.ledger_checkpoints") == []


async def test_the_schedule_is_made_once_and_stays_paused_when_people_paused_it(memory: Memory) -> None:
    services = memory.services
    await rounds.keep_upkeep(services.temporal, services.settings)
    handle = services.temporal.get_schedule_handle(upkeep.schedule_id(services.org_id))
    await handle.pause()

    await rounds.keep_upkeep(services.temporal, services.settings)

    found = (await handle.describe()).schedule
    await handle.delete()
    assert found.state.paused
    assert found.spec.intervals[0].every == rounds.EVERY
