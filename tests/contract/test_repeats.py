"""Request ids: the same request again gets the same answer, another one with the same id is refused."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import asyncpg
import pytest

from tests.contract.holding import held
from tests.contract.table import make_team
from tests.memory import Memory

REUSED = {"ok": False, "error": "this request id was used for another request; choose a new one"}
NOTE = ("fact", "Title", "Body", "a,b")
LONG = "request_id is over the limit of 200 characters"


@pytest.fixture
async def slug(shared: Memory) -> str:
    return (await make_team(shared))["team"]


async def test_the_same_proposal_again_is_the_same_entry_by_name(shared: Memory, slug: str) -> None:
    first = await shared.ask("propose", *NOTE, team=slug, request_id="r1")
    assert first["text"].endswith(" proposed.")
    for _ in range(3):
        assert await shared.ask("propose", *NOTE, team=slug, request_id="r1") == first
    assert (await shared.ask("list", team=slug))["text"] == "1 entry"


async def test_every_kind_of_write_is_answered_as_before(shared: Memory, slug: str) -> None:
    added = await shared.ask("add", *NOTE, team=slug, request_id="add")
    entry = added["text"].split()[1]
    accepted = await shared.ask("accept", entry, team=slug, request_id="accept")
    edited = await shared.ask("edit", entry, "fact", "Title", "Better", team=slug, request_id="edit")
    forgotten = await shared.ask("forget", entry, team=slug, request_id="forget")

    assert await shared.ask("add", *NOTE, team=slug, request_id="add") == added
    assert await shared.ask("accept", entry, team=slug, request_id="accept") == accepted
    assert await shared.ask("edit", entry, "fact", "Title", "Better", team=slug, request_id="edit") == edited
    assert await shared.ask("forget", entry, team=slug, request_id="forget") == forgotten
    assert (await shared.ask("list", team=slug))["text"] == "1 entry"


async def test_a_refusal_is_repeated_as_well(shared: Memory, slug: str) -> None:
    refused = await shared.ask("accept", "999999", team=slug, request_id="r1")
    assert not refused["ok"]
    assert await shared.ask("accept", "999999", team=slug, request_id="r1") == refused


OTHERS = {
    "another kind": ("propose", "event", "Title", "Body", "a,b"),
    "another title": ("propose", "fact", "Other", "Body", "a,b"),
    "another body": ("propose", "fact", "Title", "Body.", "a,b"),
    "other tags": ("propose", "fact", "Title", "Body", "a"),
    "another operation": ("add", "fact", "Title", "Body", "a,b"),
    "accept": ("accept", "1"),
    "forget": ("forget", "1"),
    "an edit": ("edit", "1", "fact", "Title", "Body", "a,b"),
}


@pytest.mark.parametrize("args", OTHERS.values(), ids=OTHERS)
async def test_another_request_with_the_same_id_is_refused(args: tuple[str, ...], shared: Memory, slug: str) -> None:
    await shared.ask("propose", *NOTE, team=slug, request_id="r1")
    assert await shared.ask(*args, team=slug, request_id="r1") == REUSED
    assert (await shared.ask("list", team=slug))["entries"] == ["[proposed] fact: Title\nBody"]


async def test_the_header_does_what_the_field_does(shared: Memory, slug: str) -> None:
    async def send(headers: Mapping[str, str], body: str = "Body", **fields: object) -> dict[str, Any]:
        request = {"command": "memory", "team": slug, "args": ["propose", "fact", "T", body], "user": "ada", **fields}
        return await shared.send(json.dumps(request).encode(), dict(headers))

    first = await send({"Nats-Msg-Id": "h1"})
    assert await send({"Nats-Msg-Id": "h1"}) == first
    assert await send({}, request_id="h1") == first
    assert await send({"Nats-Msg-Id": "h1"}, "Other") == REUSED
    assert await send({"Nats-Msg-Id": "other"}, request_id="h1") == first


async def test_the_order_of_keys_and_the_form_of_characters_do_not_matter(shared: Memory, slug: str) -> None:
    request = {
        "command": "memory",
        "team": slug,
        "args": ["add", "fact", "Größe", "B"],
        "user": "ada",
        "request_id": "r1",
    }
    first = await shared.send(json.dumps(request).encode())
    turned = dict(reversed(request.items()))
    assert await shared.send(json.dumps(turned, ensure_ascii=False, indent=2).encode()) == first


async def test_what_a_default_says_is_the_same_request(shared: Memory, slug: str) -> None:
    first = await shared.ask("propose", "fact", "T", "B", team=slug, request_id="r1")
    assert await shared.ask("propose", "fact", "T", "B", "", team=slug, request_id="r1") == first


async def test_an_id_belongs_to_its_caller_and_team(shared: Memory, slug: str) -> None:
    other = (await make_team(shared))["team"]
    mine = await shared.ask("add", "fact", "T", "mine", team=slug, request_id="r1")
    theirs = await shared.ask("add", "fact", "T", "theirs", team=slug, source="gateway", request_id="r1")
    elsewhere = await shared.ask("add", "fact", "T", "elsewhere", team=other, request_id="r1")
    assert len({reply["text"] for reply in (mine, theirs, elsewhere)}) == 3
    assert all(reply["text"].endswith(" added.") for reply in (mine, theirs, elsewhere))


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (12, "request_id must be a string"),
        (["r1"], "request_id must be a string"),
        ("r" * 201, LONG),
        ("a\0b", "request_id holds a NUL character, which cannot be stored"),
        ("\ud83d", "request_id holds half a surrogate pair, which is not valid text"),
    ],
)
async def test_an_id_that_is_none_is_refused(value: object, error: str, shared: Memory) -> None:
    assert await shared.ask("list", request_id=value) == {"ok": False, "error": error}


async def test_an_id_at_the_limit_is_taken(shared: Memory, slug: str) -> None:
    first = await shared.ask("add", *NOTE, team=slug, request_id="ä" * 200)
    assert await shared.ask("add", *NOTE, team=slug, request_id="ä" * 200) == first


async def test_a_repeat_while_the_first_still_runs_shares_its_answer(shared: Memory, slug: str) -> None:
    async with held(shared, slug) as lock:
        first = asyncio.create_task(shared.ask("add", *NOTE, team=slug, request_id="r1"))
        await lock.waited_for()
        second = asyncio.create_task(shared.ask("add", *NOTE, team=slug, request_id="r1"))
        assert await shared.ask("add", "fact", "Other", "Body", team=slug, request_id="r1") == REUSED
    assert await first == await second
    assert (await first)["text"].endswith(" added.")
    assert (await shared.ask("list", team=slug))["text"] == "1 entry"


@pytest.mark.parametrize("operation", ["accept", "forget"])
async def test_another_decision_with_the_same_id_is_refused_while_the_first_still_runs(
    operation: str, shared: Memory, slug: str
) -> None:
    one = (await shared.ask("propose", "fact", "One", "first", team=slug))["text"].split()[1]
    two = (await shared.ask("propose", "fact", "Two", "second", team=slug))["text"].split()[1]
    async with held(shared, slug) as lock:
        first = asyncio.create_task(shared.ask(operation, one, team=slug, request_id="r1"))
        await lock.waited_for()
        second = asyncio.create_task(shared.ask(operation, two, team=slug, request_id="r1"))
        await shared.nats.flush()
        await shared.ask("list", team=slug)
    assert (await first)["ok"]
    assert await second == REUSED


async def test_a_vote_with_a_used_id_is_refused(shared: Memory, slug: str) -> None:
    entry = (await shared.ask("add", *NOTE, team=slug))["text"].split()[1]
    first = await shared.ask("feedback", entry, "helpful", team=slug, request_id="r1")
    assert await shared.ask("feedback", entry, "helpful", team=slug, request_id="r1") == first
    assert await shared.ask("feedback", entry, "unhelpful", team=slug, request_id="r1") == REUSED


async def test_a_team_that_is_created_again_by_the_same_request_is_created(shared: Memory, slug: str) -> None:
    first = await shared.team("create", f"{slug}-new", request_id="r1")
    assert await shared.team("create", f"{slug}-new", request_id="r1") == first


AGENTS = "gateway"


@pytest.mark.parametrize("operation", ["propose", "add"])
async def test_a_retry_without_an_id_is_no_second_write(operation: str, shared: Memory, slug: str) -> None:
    first = await shared.ask(operation, *NOTE, team=slug, source=AGENTS)
    entry = first["text"].split()[1]
    again = await shared.ask(operation, *NOTE, team=slug, source=AGENTS)
    assert again == {"ok": True, "text": f"Entry {entry} already says this."}
    assert (await shared.ask("list", team=slug))["text"] == "1 entry"


async def test_a_retry_while_the_first_is_on_its_way_names_its_entry(shared: Memory, slug: str) -> None:
    async with held(shared, slug) as lock:
        first = asyncio.create_task(shared.ask("propose", *NOTE, team=slug, source=AGENTS))
        await lock.waited_for()
        second = asyncio.create_task(shared.ask("propose", *NOTE, team=slug, source=AGENTS))
        await shared.nats.flush()
        await shared.ask("list", team=slug)
    entry = (await first)["text"].split()[1]
    assert await second == {"ok": True, "text": f"Entry {entry} already says this."}
    assert (await shared.ask("list", team=slug))["text"] == "1 entry"


async def test_a_retry_without_an_id_does_not_bring_back_what_was_replaced_meanwhile(shared: Memory, slug: str) -> None:
    first = await shared.ask("propose", *NOTE, team=slug, source=AGENTS)
    entry = first["text"].split()[1]
    await shared.ask("accept", entry, team=slug)
    await shared.ask("edit", entry, "fact", "Title", "Something better", team=slug)

    assert await shared.ask("propose", *NOTE, team=slug, source=AGENTS) == first
    assert (await shared.ask("list", team=slug))["text"] == "1 entry"
    other = await shared.ask("propose", *NOTE[:3], "other", team=slug, source=AGENTS)
    assert other["text"] != first["text"]


async def test_a_retry_long_after_is_a_new_request(shared: Memory, slug: str) -> None:
    first = await shared.ask("propose", *NOTE, team=slug, source=AGENTS)
    entry = first["text"].split()[1]
    await shared.ask("edit", entry, "fact", "Title", "Something better", team=slug)
    owner = await asyncpg.connect(shared.database.owner_dsn)
    await owner.execute("update ibex_core.operations set finished_at = finished_at - interval '1 hour'")
    await owner.close()

    assert (await shared.ask("propose", *NOTE, team=slug, source=AGENTS))["text"] != first["text"]


async def test_a_person_brings_back_what_was_replaced(shared: Memory, slug: str) -> None:
    entry = (await shared.ask("add", *NOTE, team=slug))["text"].split()[1]
    await shared.ask("edit", entry, "fact", "Title", "Something better", team=slug)

    again = await shared.ask("add", *NOTE, team=slug)
    assert again["text"].endswith(" added.")
    assert again["text"].split()[1] != entry


async def test_a_retried_edit_without_an_id_is_answered_as_before(shared: Memory, slug: str) -> None:
    entry = (await shared.ask("add", *NOTE, team=slug))["text"].split()[1]
    first = await shared.ask("edit", entry, "fact", "Title", "Better", team=slug)
    assert await shared.ask("edit", entry, "fact", "Title", "Better", team=slug) == first
    assert (await shared.ask("list", team=slug))["text"] == "1 entry"
