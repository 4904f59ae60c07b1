"""Time: what holds when, what was known when, and that nothing has to run for either."""

from datetime import UTC, datetime
from typing import Any

from tests.memory import AGENT, Memory

NOON = ("fact", "Deploys", "Deploys run at noon.")
LATER = ("fact", "Deploys", "Deploys run at 14:00.")


async def now(memory: Memory) -> str:
    (row,) = await memory.rows("select clock_timestamp() as now")
    moment: datetime = row["now"]
    return moment.astimezone(UTC).isoformat()


def bodies(reply: dict[str, Any]) -> list[str]:
    return [entry.partition("\n")[2] for entry in reply["entries"]]


async def test_the_past_is_told_as_it_was_known_then(memory: Memory) -> None:
    before = await now(memory)
    await memory.ask("propose", *NOON, source=AGENT)
    proposed = await now(memory)
    await memory.ask("accept", "1")
    accepted = await now(memory)
    await memory.ask("edit", "1", *LATER)

    for args in (("list",), ("search", "deploys run"), ("search", "")):
        assert (await memory.ask(*args, as_of=before))["entries"] == []
        assert (await memory.ask(*args, as_of=proposed))["entries"] == [f"[proposed] fact: {NOON[1]}\n{NOON[2]}"]
        assert (await memory.ask(*args, as_of=accepted))["entries"] == [f"[curated] fact: {NOON[1]}\n{NOON[2]}"]
        assert bodies(await memory.ask(*args)) == [LATER[2]]
        assert bodies(await memory.ask(*args, as_of=await now(memory))) == [LATER[2]]
    assert (await memory.ask("get", "1", as_of=proposed))["text"].startswith("[proposed]")
    assert (await memory.ask("get", "2", as_of=accepted))["error"] == "there is no entry 2 in this team at that time"


async def test_what_was_forgotten_is_gone_from_the_past_too(memory: Memory) -> None:
    await memory.ask("add", *NOON)
    known = await now(memory)
    await memory.ask("forget", "1")

    assert (await memory.ask("list", as_of=known))["text"] == "0 entries"
    assert (await memory.ask("search", "deploys", as_of=known))["text"] == "0 entries found"


async def test_what_was_quarantined_then_is_not_in_the_past(memory: Memory) -> None:
    await memory.team("personal-data", "demo", "quarantine")
    await memory.ask("propose", "fact", "On call", "Write to zed.kowalski@acme-payments.io at night.", source=AGENT)
    held_back = await now(memory)
    await memory.ask("accept", "1")

    assert (await memory.ask("list", as_of=held_back))["text"] == "0 entries"
    assert (await memory.ask("list", as_of=await now(memory)))["text"] == "1 entry"


async def test_what_does_not_hold_now_is_in_no_answer_about_now(memory: Memory) -> None:
    await memory.ask("add", *NOON, valid_from="2999-01-01T00:00:00Z")
    await memory.ask("add", *LATER, valid_from="2026-01-01T00:00:00Z", valid_until="2026-02-01T00:00:00+01:00")

    for args in (("list",), ("search", "deploys run"), ("export",), ("hot",)):
        assert (await memory.ask(*args))["entries"] == [], args
    # It was written later than it holds, so that the team did not know it then.
    assert (await memory.ask("list", as_of="2026-01-15T00:00:00Z"))["entries"] == []


async def test_a_text_that_expired_can_be_said_again(memory: Memory) -> None:
    await memory.ask("add", *NOON, valid_from="2026-01-01T00:00:00Z", valid_until="2026-02-01T00:00:00Z")

    again = await memory.ask("propose", *NOON, source=AGENT)

    assert again["text"] == "Entry 2 proposed."
    assert bodies(await memory.ask("list")) == [NOON[2]]
    assert (await memory.ask("history", "1"))["entries"][-1].endswith("superseded by agent:demo/coder (entry 2)")
    assert (await memory.ask("verify"))["ok"]


async def test_times_need_an_offset_and_intervals_a_moment(memory: Memory) -> None:
    for moment in ("2026-03-03", "2026-03-03T12:00:00", "yesterday", 3):
        reply = await memory.ask("list", as_of=moment)
        assert not reply["ok"]
        assert "as_of" in reply["error"]
    empty = {"valid_from": "2026-03-03T12:00:00Z", "valid_until": "2026-03-03T13:00:00+01:00"}
    assert (await memory.ask("add", *NOON, **empty))["error"] == "valid_until must be after valid_from"
