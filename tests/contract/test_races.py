"""Many at once: equal writes meet in one entry, and so do they in two processes' adapters."""

import asyncio
import re
from collections import Counter
from contextlib import AsyncExitStack

import pytest

from kapelle.adapters.nats.server import CommandServer, connect
from kapelle.services import open_services
from tests.contract.table import make_team
from tests.memory import Memory
from workers.memory_worker import memory_worker

NOTE = ("fact", "Title", "The body.")
# One fact with other case, punctuation, mark-up, order and words; each pair of them is the same.
SAME_FACT = (
    "Restart the payments worker after every schema migration.",
    "restart the payments worker after every schema migration",
    "RESTART the payments worker after every schema migration",
    "Restart the payments worker after every schema migration!",
    '"Restart the payments worker after every schema migration."',
    "- Restart the payments worker after every schema migration",
    "**Restart** the payments worker after every schema migration.",
    "Restart the payments worker, after every schema migration.",
    "Always restart the payments worker after each schema migration.",
    "After each schema migration, restart the payments worker.",
    "The payments worker is to be restarted after every schema migration.",
)


@pytest.fixture
async def slug(shared: Memory) -> str:
    return (await make_team(shared))["team"]


def ids(replies: list[dict[str, str]]) -> set[str]:
    return {reply["text"].split()[1] for reply in replies}


async def stored(memory: Memory, slug: str) -> list[tuple[int, str]]:
    rows = await memory.rows(
        "select id, status from ibex_core.memories join ibex_core.teams using (team_id) where slug = $1 order by id",
        slug,
    )
    return [(row["id"], row["status"]) for row in rows]


@pytest.mark.parametrize("keys", [None, "each", "one"])
async def test_twenty_equal_proposals_make_one_entry(keys: str | None, shared: Memory, slug: str) -> None:
    def key(number: int) -> dict[str, str]:
        return {} if keys is None else {"request_id": "r" if keys == "one" else f"r{number}"}

    replies = await asyncio.gather(*(shared.ask("propose", *NOTE, team=slug, **key(number)) for number in range(20)))
    entry = ids(replies)
    assert len(entry) == 1, replies
    said = Counter(reply["text"].partition(" already")[1] for reply in replies)
    assert said == ({"": 20} if keys == "one" else {"": 1, " already": 19})
    assert len(await stored(shared, slug)) == 1


@pytest.mark.parametrize("keys", [None, "each"])
@pytest.mark.parametrize("operation", ["propose", "add"])
async def test_twenty_near_identical_writes_make_one_entry(
    operation: str, keys: str | None, shared: Memory, slug: str
) -> None:
    def key(number: int) -> dict[str, str]:
        return {"request_id": f"r{number}"} if keys else {}

    bodies = (SAME_FACT * 2)[:20]
    replies = await asyncio.gather(
        *(
            shared.ask(operation, "fact", "Payments worker", body, team=slug, **key(number))
            for number, body in enumerate(bodies)
        )
    )

    assert len(ids(replies)) == 1, replies
    assert Counter(" already says this" in reply["text"] for reply in replies) == {False: 1, True: 19}
    assert len(await stored(shared, slug)) == 1


async def test_equal_writes_by_all_paths_make_one_curated_entry(shared: Memory, slug: str) -> None:
    old = (await shared.ask("add", "fact", "Other", "An older body.", team=slug))["text"].split()[1]
    replies = await asyncio.gather(
        *(shared.ask(("propose", "add")[number % 2], *NOTE, team=slug) for number in range(20)),
        shared.ask("edit", old, *NOTE, team=slug),
    )
    assert all(reply["ok"] for reply in replies), replies
    live = [entry for entry, status in await stored(shared, slug) if entry != int(old)]
    assert len(live) == 1
    assert ids(replies) == {str(live[0])}
    assert dict(await stored(shared, slug))[live[0]] == "curated"


async def test_of_twenty_edits_at_once_one_succeeds_and_the_rest_are_told_so(shared: Memory, slug: str) -> None:
    old = (await shared.ask("add", *NOTE, team=slug))["text"].split()[1]
    replies = await asyncio.gather(
        *(shared.ask("edit", old, "fact", "Title", f"Body number {number}.", team=slug) for number in range(20))
    )
    won = [reply for reply in replies if reply["ok"]]
    assert len(won) == 1, replies
    successor = re.fullmatch(rf"Entry (\d+) supersedes entry {old}\.", won[0]["text"])
    assert successor is not None
    told = f"entry {old} was superseded by entry {successor[1]}; edit that one"
    assert [reply["error"] for reply in replies if not reply["ok"]] == [told] * 19
    assert [entry for entry, _ in await stored(shared, slug)] == [int(old), int(successor[1])]


async def test_equal_edits_at_once_get_one_answer(shared: Memory, slug: str) -> None:
    old = (await shared.ask("add", *NOTE, team=slug))["text"].split()[1]
    replies = await asyncio.gather(*(shared.ask("edit", old, "fact", "Title", "Better.", team=slug) for _ in range(20)))
    assert len({reply["text"] for reply in replies}) == 1
    assert len(await stored(shared, slug)) == 2


async def test_accept_and_forget_at_once_end_in_one_order(shared: Memory, slug: str) -> None:
    entries = [
        (await shared.ask("propose", "fact", f"T {n}", f"B {n}", team=slug))["text"].split()[1] for n in range(10)
    ]
    replies = await asyncio.gather(
        *(shared.ask(operation, entry, team=slug) for entry in entries for operation in ("accept", "forget"))
    )
    for entry, accepted, forgotten in zip(entries, replies[::2], replies[1::2], strict=True):
        assert forgotten == {"ok": True, "text": f"Entry {entry} forgotten."}
        assert accepted in (
            {"ok": True, "text": f"Entry {entry} accepted."},
            {"ok": False, "error": f"entry {entry} was forgotten"},
        )
        events = (await shared.ask("history", entry, team=slug))["entries"]
        happened = [event.split()[1] for event in events]
        assert happened == (["proposed", "accepted", "forgotten"] if accepted["ok"] else ["proposed", "forgotten"])
    assert await stored(shared, slug) == []


async def test_of_twenty_times_forget_one_forgets(shared: Memory, slug: str) -> None:
    entry = (await shared.ask("add", *NOTE, team=slug))["text"].split()[1]
    replies = await asyncio.gather(*(shared.ask("forget", entry, team=slug) for _ in range(20)))
    assert sum(reply["ok"] for reply in replies) == 1
    assert {reply["error"] for reply in replies if not reply["ok"]} == {f"entry {entry} was forgotten"}


async def test_different_writes_at_once_are_all_there(shared: Memory, slug: str) -> None:
    replies = await asyncio.gather(*(shared.ask("propose", "fact", f"T {n}", f"B {n}", team=slug) for n in range(100)))
    assert len(ids(replies)) == 100
    assert all(reply["text"].endswith(" proposed.") for reply in replies)
    assert len(await stored(shared, slug)) == 100
    assert (await shared.ask("list", team=slug))["text"] == "100 entries"


async def test_a_burst_is_answered_one_reply_each(shared: Memory) -> None:
    replies = await asyncio.gather(*(shared.send(b"x" * (number % 7)) for number in range(5_000)))
    assert len(replies) == 5_000
    assert not any(reply["ok"] for reply in replies)


async def test_two_adapters_share_the_requests_and_agree(shared: Memory, slug: str) -> None:
    env = {"TEMPORAL_ADDRESS": shared.services.temporal.service_client.config.target_host}
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(open_services(shared.services.settings, env, identity="test-second"))
        client = await connect(services.settings.nats_url.value, name="test-second")
        stack.push_async_callback(client.close)
        await stack.enter_async_context(memory_worker(services))
        second = CommandServer(client, services)
        await second.start()
        stack.push_async_callback(second.close)

        before = client.stats["in_msgs"]
        equal = await asyncio.gather(*(shared.ask("propose", *NOTE, team=slug) for _ in range(40)))
        keyed = await asyncio.gather(
            *(shared.ask("add", "fact", "Keyed", "B", team=slug, request_id="r1") for _ in range(40))
        )
        taken = client.stats["in_msgs"] - before

        assert 0 < taken < 80
        assert len(ids(equal)) == 1
        assert len({reply["text"] for reply in keyed}) == 1, keyed
        assert len(await stored(shared, slug)) == 2


async def test_one_id_for_two_requests_in_two_adapters_is_answered_to_one_only(shared: Memory, slug: str) -> None:
    env = {"TEMPORAL_ADDRESS": shared.services.temporal.service_client.config.target_host}
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(open_services(shared.services.settings, env, identity="test-second"))
        client = await connect(services.settings.nats_url.value, name="test-second")
        stack.push_async_callback(client.close)
        await stack.enter_async_context(memory_worker(services))
        second = CommandServer(client, services)
        await second.start()
        stack.push_async_callback(second.close)

        for number in range(10):
            replies = await asyncio.gather(
                *(
                    shared.ask("add", "fact", f"T {number} {side}", "B", team=slug, request_id=f"r{number}")
                    for side in "abcdef"
                )
            )
            assert sum(reply["ok"] for reply in replies) == 1, replies
        assert len(await stored(shared, slug)) == 10
