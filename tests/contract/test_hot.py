"""The hot entries: never behind an acknowledged change, in any process, and gone from memory when they change."""

import asyncio
import random
from collections.abc import AsyncIterator

import asyncpg
import pytest

from kapelle.domain.callers import Claim
from kapelle.operations import Call, find, perform
from kapelle.operations.results import Listed
from kapelle.services import Services, open_services
from tests.memory import AGENT, Memory
from tests.stack import Temporal

# A thousand were run once, and took minutes on a loaded machine.
INTERLEAVINGS = 150
MOST_ENTRIES = 12


@pytest.fixture
async def other(memory: Memory, temporal: Temporal) -> AsyncIterator[Services]:
    """The services of a second process, with a cache of its own."""
    env = {"TEMPORAL_ADDRESS": temporal.address, "TEMPORAL_NAMESPACE": temporal.namespace}
    async with open_services(memory.services.settings, env, identity="other") as services:
        yield services


async def ask(services: Services, *args: str, agent: bool = False) -> object:
    claim = Claim(source=AGENT) if agent else Claim(person="ada")
    call = Call(operation=find("memory", args[0]), arguments=args[1:], claim=claim, team="demo", patience=30)
    return await perform(call, services)


async def hot(services: Services) -> frozenset[str]:
    found = await ask(services, "hot", agent=True)
    assert isinstance(found, Listed)
    return frozenset(entry.body for entry in found.entries)


async def test_no_read_is_behind_an_acknowledged_change_in_many_interleavings(memory: Memory, other: Services) -> None:
    chance = random.Random(4)  # noqa: S311 - repeatable
    processes = (memory.services, other)
    story = Story(chance)
    reads = changes = 0
    for _ in range(INTERLEAVINGS):
        if chance.random() < 0.7:
            reads += 1
            assert await hot(chance.choice(processes)) == story.bodies
            continue
        changes += 1
        before = story.bodies
        args = story.next()
        # A read beside the change sees the memory before it or after it, and one that comes later only after it.
        _, beside = await asyncio.gather(ask(chance.choice(processes), *args), hot(chance.choice(processes)))
        assert beside in {before, story.bodies}
        assert [await hot(process) for process in processes] == [story.bodies] * 2

    assert reads > INTERLEAVINGS // 2
    assert changes > INTERLEAVINGS // 5


class Story:
    """What is written, superseded and forgotten, and what the memory must hold after it."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._entries: dict[int, str] = {}
        self._ids = 0

    @property
    def bodies(self) -> frozenset[str]:
        return frozenset(self._entries.values())

    def next(self) -> tuple[str, ...]:
        """Return the next change, as if it were made."""
        full = len(self._entries) >= MOST_ENTRIES
        change = self._chance.choice(("add", "edit", "forget") if self._entries and not full else ("add",))
        if full:
            change = "forget"
        if change == "forget":
            entry_id = self._chance.choice(sorted(self._entries))
            del self._entries[entry_id]
            return ("forget", str(entry_id))
        self._ids += 1
        body = f"Queue {self._ids} is drained at {self._ids} o'clock by worker {self._ids}."
        text = ("fact", f"Queue {self._ids}", body)
        if change == "add":
            self._entries[self._ids] = body
            return ("add", *text)
        replaced = self._chance.choice(sorted(self._entries))
        del self._entries[replaced]
        self._entries[self._ids] = body
        return ("edit", str(replaced), *text)


async def test_a_change_makes_other_processes_let_go_of_the_text_without_being_asked(
    memory: Memory, other: Services
) -> None:
    await memory.ask("add", "fact", "Note", "The index is rebuilt at midnight.")
    await hot(other)
    (team,) = await memory.rows("select team_id from ibex_core.teams")
    watcher = await asyncpg.connect(memory.database.owner_dsn)
    assert other.hot.holds(team["team_id"])

    await memory.ask("forget", "1")

    async with asyncio.timeout(10):
        while other.hot.holds(team["team_id"]):
            await watcher.execute("select pg_sleep(0.02)")
    await watcher.close()


async def test_what_is_pinned_comes_first_and_then_what_helped(memory: Memory) -> None:
    for number in range(1, 4):
        await memory.ask("add", "fact", f"Queue {number}", f"Queue {number} is drained by worker {number}.")
    await memory.ask("feedback", "2", "helpful")
    await memory.rows("update ibex_core.memories set pinned = true where id = 1 returning id")
    await memory.ask("feedback", "3", "unhelpful")

    assert (await memory.ask("hot", ids=True, source=AGENT))["ids"] == [1, 2, 3]


async def test_what_expires_leaves_without_any_change(memory: Memory) -> None:
    await memory.ask("add", "fact", "Note", "The freeze lasts a moment.", valid_until="2999-01-01T00:00:00Z")
    assert (await memory.ask("hot"))["text"] == "1 entry"
    # As time would do it: no event, and no new revision.
    await memory.rows(
        "update ibex_core.memories set valid_from = now() - interval '1 day', valid_until = now() returning id"
    )
    memory.services.hot.drop_all()

    assert (await memory.ask("hot"))["text"] == "0 entries"
    assert (await memory.ask("list"))["text"] == "0 entries"
