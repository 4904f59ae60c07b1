"""Writes that take long: the caller hears the operation's id, the write goes on, and nobody else waits for it."""

import asyncio
import json
import re

import pytest

from tests.contract.holding import held
from tests.contract.table import make_team
from tests.memory import Memory

RUNNING = re.compile(r"Still running as operation ([0-9a-f-]{36})\.")
BUSY = "busy"
UNTIL_ANSWERED = 30
POISON = (
    """
create function ibex_core.refuse_poison() returns trigger language plpgsql as $$
begin
    if new.title = 'Poison' then
        perform pg_sleep(1);
        raise exception 'poison';
    end if;
    return new;
end
$$
""",
    """
create trigger refuse_poison before insert on ibex_core.memories
for each row execute function ibex_core.refuse_poison()
""",
)


@pytest.fixture
async def slug(hurried: Memory) -> str:
    return (await make_team(hurried))["team"]


def operation_of(reply: dict[str, str]) -> str:
    found = RUNNING.fullmatch(reply["text"])
    assert found is not None, reply
    return found[1]


async def finished(memory: Memory, slug: str, operation_id: str) -> str:
    """Ask for the operation until it runs no more."""
    async with asyncio.timeout(UNTIL_ANSWERED):
        while True:
            reply = await memory.ask("operation", operation_id, team=slug)
            assert reply["ok"], reply
            if not reply["text"].endswith(" running"):
                text: str = reply["text"]
                return text


async def entry(memory: Memory, slug: str, title: str) -> str:
    """Propose an entry and return its id, however long it takes."""
    reply = await memory.ask("propose", "fact", title, "Something to decide on.", team=slug)
    assert reply["ok"], reply
    text = await finished(memory, slug, operation_of(reply)) if RUNNING.fullmatch(reply["text"]) else reply["text"]
    found = re.search(r"Entry (\d+) proposed", text)
    assert found is not None, text
    return found[1]


async def test_a_write_that_takes_long_is_told_by_its_operation_and_goes_on(hurried: Memory, slug: str) -> None:
    async with held(hurried, slug):
        reply = await hurried.ask("propose", "fact", "Slow", "A body.", team=slug)
        operation_id = operation_of(reply)
        assert reply == {"ok": True, "text": f"Still running as operation {operation_id}."}
        running = await hurried.ask("operation", operation_id, team=slug)
        assert running == {"ok": True, "text": f"Operation {operation_id} running"}

    text = await finished(hurried, slug, operation_id)
    number = re.fullmatch(rf"Operation {operation_id} completed: Entry (\d+) proposed\.", text)
    assert number is not None, text
    assert (await hurried.ask("get", number[1], team=slug))["text"] == "[proposed] fact: Slow\nA body."


@pytest.mark.parametrize("operation", ["accept", "forget", "edit"])
async def test_a_decision_that_takes_long_is_told_by_its_operation(operation: str, hurried: Memory, slug: str) -> None:
    number = await entry(hurried, slug, "Old")
    text = ("fact", "New", "A better body.") if operation == "edit" else ()
    async with held(hurried, slug):
        operation_id = operation_of(await hurried.ask(operation, number, *text, team=slug))
    done = {
        "accept": f"Entry {number} accepted.",
        "forget": f"Entry {number} forgotten.",
        "edit": rf"Entry \d+ supersedes entry {number}.",
    }
    assert re.fullmatch(
        f"Operation {operation_id} completed: {done[operation]}", await finished(hurried, slug, operation_id)
    )


async def test_a_write_that_is_refused_late_is_found_as_failed(hurried: Memory, slug: str) -> None:
    number = await entry(hurried, slug, "Old")
    newer = (await hurried.ask("edit", number, "fact", "New", "A better body.", team=slug))["text"].split()[1]
    async with held(hurried, slug):
        operation_id = operation_of(await hurried.ask("accept", number, team=slug))
    failed = f"Operation {operation_id} failed: entry {number} is superseded by entry {newer} of person:ada"
    assert await finished(hurried, slug, operation_id) == failed


async def test_the_same_request_after_the_reply_limit_gets_the_final_answer(hurried: Memory, slug: str) -> None:
    async with held(hurried, slug):
        operation_id = operation_of(await hurried.ask("add", "fact", "Slow", "A body.", team=slug, request_id="r1"))
        again = await hurried.ask("add", "fact", "Slow", "A body.", team=slug, request_id="r1")
        assert operation_of(again) == operation_id
    text = await finished(hurried, slug, operation_id)
    final = await hurried.ask("add", "fact", "Slow", "A body.", team=slug, request_id="r1")
    assert text == f"Operation {operation_id} completed: {final['text']}"
    assert (await hurried.ask("list", team=slug))["text"] == "1 entry"


async def test_an_operation_can_be_asked_for_as_soon_as_its_id_was_told(hurried: Memory, slug: str) -> None:
    request = {"command": "memory", "team": slug, "args": ["propose", "fact", "Slow", "A body."], "user": "ada"}
    async with held(hurried, slug):
        # The caller waits for 350 ms only, and says so.
        operation_id = operation_of(await hurried.send(json.dumps(request).encode(), {"Kapelle-Timeout-Ms": "350"}))
        running = await hurried.ask("operation", operation_id, team=slug)
        assert running == {"ok": True, "text": f"Operation {operation_id} running"}


async def test_an_operation_is_not_shown_to_another_team(hurried: Memory, slug: str) -> None:
    other = (await make_team(hurried))["team"]
    async with held(hurried, slug):
        operation_id = operation_of(await hurried.ask("propose", "fact", "Slow", "A body.", team=slug))
        hidden = await hurried.ask("operation", operation_id, team=other)
        assert hidden == {"ok": False, "error": f"there is no operation {operation_id} in this team"}


async def test_reads_and_other_teams_go_on_while_a_team_is_slow(hurried: Memory, slug: str) -> None:
    other = (await make_team(hurried))["team"]
    number = await entry(hurried, slug, "Old")
    async with held(hurried, slug) as lock:
        slow = asyncio.create_task(hurried.ask("propose", "fact", "Slow", "A body.", team=slug))
        await lock.waited_for()
        # Each of these answers while the slow write waits for a lock that we give back only afterwards.
        assert (await hurried.ask("list", team=slug))["text"] == "1 entry"
        assert (await hurried.ask("search", "old", "", team=slug))["text"] == "1 entry found"
        assert (await hurried.ask("get", number, team=slug))["ok"]
        assert (await hurried.ask("add", "fact", "Quick", "A body.", team=other))["text"].endswith(" added.")
    assert (await slow)["ok"]


@pytest.mark.parametrize("operation", ["propose", "accept", "forget"])
async def test_as_many_slow_writes_as_are_let_in_do_not_keep_reads_out(
    operation: str, hurried: Memory, slug: str
) -> None:
    limit = hurried.services.settings.write_limit
    numbers = [await entry(hurried, slug, f"Old {number}") for number in range(limit)]
    requests = [
        ("propose", "fact", f"Slow {number}", "A body.") if operation == "propose" else (operation, number)
        for number in numbers
    ]
    async with held(hurried, slug) as lock:
        slow = [asyncio.create_task(hurried.ask(*request, team=slug)) for request in requests]
        await lock.waited_for()
        await asyncio.gather(*slow)
        # All of them still wait for the lock that we hold.
        listed = await hurried.ask("list", team=slug)
        found = await hurried.ask("search", "old", "", team=slug)
    assert listed.get("text") == f"{limit} entries", listed
    assert found["ok"], found


async def test_over_the_limit_of_writes_at_once_the_rest_is_refused_and_not_stored(hurried: Memory, slug: str) -> None:
    limit = hurried.services.settings.write_limit
    async with held(hurried, slug):
        tasks = [
            asyncio.create_task(hurried.ask("propose", "fact", f"Many {number}", "A body.", team=slug))
            for number in range(limit + 5)
        ]
        replies = await asyncio.gather(*tasks)
    refused = [number for number, reply in enumerate(replies) if not reply["ok"]]
    assert len(refused) >= 5
    for number in refused:
        assert BUSY in replies[number]["error"]
        assert "\n" not in replies[number]["error"]
    for reply in replies:
        if reply["ok"]:
            assert " proposed." in await finished(hurried, slug, operation_of(reply))
    stored = await hurried.rows(
        "select title from ibex_core.memories as m join ibex_core.teams using (team_id) where slug = $1", slug
    )
    expected = {f"Many {number}" for number in range(limit + 5)} - {f"Many {number}" for number in refused}
    assert {one["title"] for one in stored} == expected


async def test_what_was_told_to_be_running_is_never_dropped(hurried: Memory, slug: str) -> None:
    """Two callers wait for one write in the queue; the one with less patience must not take it away from the other."""
    request = {
        "command": "memory",
        "team": slug,
        "args": ["propose", "fact", "Queued", "A body."],
        "user": "ada",
        "request_id": "r1",
    }
    async with held(hurried, slug) as lock:
        first = asyncio.create_task(hurried.ask("propose", "fact", "First", "A body.", team=slug))
        await lock.waited_for()
        hasty = asyncio.create_task(hurried.send(json.dumps(request).encode(), {"Kapelle-Timeout-Ms": "700"}))
        patient = asyncio.create_task(hurried.send(json.dumps(request).encode()))
        replies = [await hasty, await patient, await first]
    for reply in replies:
        if reply["ok"]:
            assert " completed: " in await finished(hurried, slug, operation_of(reply))
        else:
            assert BUSY in reply["error"]


async def test_a_write_that_cannot_be_stored_ends_as_failed_and_takes_no_other_with_it(
    hurried: Memory, slug: str
) -> None:
    for statement in POISON:
        await hurried.rows(statement)
    try:
        async with held(hurried, slug) as lock:
            first = asyncio.create_task(hurried.ask("propose", "fact", "First", "A body.", team=slug))
            await lock.waited_for()
            rest = [
                asyncio.create_task(hurried.ask("propose", "fact", title, "A body.", team=slug, request_id=title))
                for title in ("Before", "Poison", "After")
            ]
            await hurried.ask("list", team=slug)
        replies = await asyncio.gather(first, *rest)
        assert all(BUSY in reply.get("error", "") or reply["ok"] for reply in replies), replies
        for reply in replies:
            if RUNNING.fullmatch(reply.get("text", "")):
                await finished(hurried, slug, operation_of(reply))
        single = await hurried.ask("propose", "fact", "Poison", "A body.", team=slug, request_id="alone")
        assert single["ok"] is False or "failed" in await finished(hurried, slug, operation_of(single))
    finally:
        await hurried.rows("drop function ibex_core.refuse_poison cascade")
    listed = await hurried.ask("list", team=slug)
    assert "[proposed] fact: Poison\nA body." not in listed["entries"]
    assert await hurried.rows("select name, workflow_id from ibex_core.operations where finished_at is null") == []
    # A failure is not an answer for good: the same request may be made again.
    assert (await hurried.ask("propose", "fact", "Poison", "A body.", team=slug, request_id="alone"))["ok"]
