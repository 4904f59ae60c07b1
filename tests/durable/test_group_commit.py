"""Group commit, driven by events alone: each batch ends when the test says so."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from kapelle.durable.group_commit import LEAST_BESIDE, GroupCommit, Limits, Ticket

ROOMY = Limits(batches=4, items=100, size=1_000_000)


@dataclass(slots=True, eq=False)
class Batch:
    """One batch on its way, which the test ends."""

    items: list[str]
    teams: set[int]
    end: "asyncio.Future[list[str]]"

    def succeed(self) -> None:
        self.end.set_result([item.upper() for item in self.items])

    def fail(self, error: Exception) -> None:
        self.end.set_exception(error)


@dataclass(slots=True)
class Lane:
    """A group commit whose batches wait for the test."""

    limits: Limits = field(default_factory=lambda: ROOMY)
    started: "asyncio.Queue[Batch]" = field(default_factory=asyncio.Queue)
    group: GroupCommit[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.group = GroupCommit(run=self._run, limits=self.limits)

    async def _run(self, tickets: Sequence[Ticket[str, str]]) -> Sequence[str]:
        batch = Batch(
            items=[ticket.item for ticket in tickets],
            teams={ticket.team_id for ticket in tickets},
            end=asyncio.get_running_loop().create_future(),
        )
        await self.started.put(batch)
        return await batch.end

    def add(self, item: str, team: int = 1, size: int = 1) -> Ticket[str, str]:
        return self.group.add(item, team_id=team, size=size)

    async def next(self) -> Batch:
        """Return the next batch that starts."""
        async with asyncio.timeout(5):
            return await self.started.get()

    async def settled(self) -> None:
        """Let everything run that can: each turn of the loop runs what the one before it made ready."""
        for _ in range(20):
            turn = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(turn.set_result, None)
            await turn

    async def quiet(self) -> bool:
        """Tell whether no batch starts, however long one waits."""
        await self.settled()
        return self.started.empty()


async def test_a_lone_item_starts_at_once_and_gets_its_own_answer() -> None:
    lane = Lane()
    ticket = lane.add("a")

    batch = await lane.next()
    assert batch.items == ["a"]
    batch.succeed()
    assert await ticket.answer == "A"


async def test_what_arrives_meanwhile_shares_the_next_batch() -> None:
    lane = Lane()
    first = lane.add("a")
    running = await lane.next()
    later = [lane.add(item) for item in "bcd"]
    assert await lane.quiet()

    running.succeed()
    shared = await lane.next()
    shared.succeed()

    assert shared.items == ["b", "c", "d"]
    assert [await ticket.answer for ticket in (first, *later)] == ["A", "B", "C", "D"]


async def test_a_batch_holds_at_most_its_limit_of_items() -> None:
    lane = Lane(limits=Limits(batches=1, items=2, size=1_000))
    lane.add("a")
    running = await lane.next()
    for item in "bcd":
        lane.add(item)

    running.succeed()
    second = await lane.next()
    second.succeed()
    third = await lane.next()

    assert (second.items, third.items) == (["b", "c"], ["d"])


async def test_a_batch_holds_at_most_its_limit_of_bytes() -> None:
    lane = Lane(limits=Limits(batches=1, items=100, size=10))
    lane.add("a")
    running = await lane.next()
    for item, size in (("b", 6), ("c", 4), ("d", 1)):
        lane.add(item, size=size)

    running.succeed()
    second = await lane.next()
    second.succeed()
    third = await lane.next()

    assert (second.items, third.items) == (["b", "c"], ["d"])


async def test_an_item_that_is_over_the_limit_of_bytes_by_itself_goes_alone() -> None:
    lane = Lane(limits=Limits(batches=1, items=100, size=10))
    lane.add("a")
    running = await lane.next()
    lane.add("b", size=50)
    lane.add("c", size=1)

    running.succeed()
    second = await lane.next()
    second.succeed()
    third = await lane.next()

    assert (second.items, third.items) == (["b"], ["c"])


async def test_teams_take_turns_so_that_a_busy_one_cannot_keep_others_out() -> None:
    lane = Lane(limits=Limits(batches=1, items=3, size=1_000))
    lane.add("start", team=9)
    running = await lane.next()
    for item in ("a1", "a2", "a3", "a4"):
        lane.add(item, team=1)
    lane.add("b1", team=2)

    running.succeed()
    second = await lane.next()
    second.succeed()
    third = await lane.next()

    assert second.items == ["a1", "b1", "a2"]
    assert third.items == ["a3", "a4"]


async def test_a_batch_that_is_full_does_not_always_leave_out_the_same_team() -> None:
    lane = Lane(limits=Limits(batches=1, items=1, size=1_000))
    lane.add("start", team=9)
    running = await lane.next()
    for item in ("a1", "a2"):
        lane.add(item, team=1)
    for item in ("b1", "b2"):
        lane.add(item, team=2)

    order: list[str] = []
    for _ in range(4):
        running.succeed()
        running = await lane.next()
        order += running.items

    assert order == ["a1", "b1", "a2", "b2"]


async def test_items_of_one_team_keep_their_order() -> None:
    lane = Lane(limits=Limits(batches=1, items=2, size=1_000))
    tickets = [lane.add(item) for item in "abcde"]
    order: list[str] = []
    while len(order) < len(tickets):
        batch = await lane.next()
        order += batch.items
        batch.succeed()

    assert order == list("abcde")


async def test_a_second_batch_of_a_team_starts_beside_the_first_once_as_many_wait() -> None:
    lane = Lane(limits=ROOMY)
    lane.add("start")
    starting = await lane.next()
    first_items = [f"a{place}" for place in range(LEAST_BESIDE + 2)]
    for item in first_items[:-1]:
        lane.add(item)
    beside = await lane.next()
    assert beside.items == first_items[:LEAST_BESIDE]
    starting.succeed()
    assert await lane.quiet()
    beside.succeed()
    assert (await lane.next()).items == first_items[LEAST_BESIDE:-1]


async def test_a_second_batch_waits_until_it_is_as_large_as_the_first() -> None:
    lane = Lane(limits=Limits(batches=1, items=100, size=1_000_000))
    lane.add("start")
    starting = await lane.next()
    for place in range(LEAST_BESIDE + 5):
        lane.add(f"a{place}")
    lane.group.limits.batches = 2
    starting.succeed()
    first = await lane.next()
    for place in range(len(first.items) - 1):
        lane.add(f"b{place}")
    assert await lane.quiet()

    lane.add("last")
    second = await lane.next()

    assert len(second.items) == len(first.items) == LEAST_BESIDE + 5
    assert second.items[-1] == "last"


async def test_a_third_batch_of_one_team_never_runs_beside_two() -> None:
    lane = Lane()
    lane.add("start")
    running = await lane.next()
    for place in range(LEAST_BESIDE):
        lane.add(f"a{place}")
    beside = await lane.next()
    for place in range(3 * LEAST_BESIDE):
        lane.add(f"b{place}")
    assert await lane.quiet()

    beside.succeed()
    assert len((await lane.next()).items) == 3 * LEAST_BESIDE
    running.succeed()


async def test_a_small_second_batch_of_one_team_waits_but_other_teams_go_on() -> None:
    lane = Lane()
    lane.add("a1", team=1)
    first = await lane.next()
    lane.add("a2", team=1)
    assert await lane.quiet()

    lane.add("b1", team=2)
    second = await lane.next()
    assert second.items == ["b1"]

    second.succeed()
    assert await lane.quiet()
    first.succeed()
    assert (await lane.next()).items == ["a2"]


async def test_no_more_batches_run_at_once_than_allowed() -> None:
    lane = Lane(limits=Limits(batches=2, items=100, size=1_000))
    for team in (1, 2, 3):
        lane.add(f"t{team}", team=team)
    first, second = await lane.next(), await lane.next()
    assert await lane.quiet()

    first.succeed()
    assert (await lane.next()).items == ["t3"]
    second.succeed()


async def test_a_failing_batch_fails_its_own_callers_only() -> None:
    lane = Lane()
    doomed = [lane.add("a", team=1)]
    first = await lane.next()
    waiting = lane.add("b", team=1)
    other = lane.add("c", team=2)
    second = await lane.next()

    first.fail(LookupError("gone"))
    third = await lane.next()
    second.succeed()
    third.succeed()

    for ticket in doomed:
        with pytest.raises(LookupError):
            await ticket.answer
    assert (await waiting.answer, await other.answer) == ("B", "C")


async def test_every_caller_of_a_failing_batch_is_told() -> None:
    lane = Lane()
    lane.add("start")
    running = await lane.next()
    tickets = [lane.add(item) for item in "ab"]
    running.succeed()
    shared = await lane.next()
    shared.fail(LookupError("gone"))

    for ticket in tickets:
        with pytest.raises(LookupError):
            await ticket.answer


async def test_too_few_results_are_a_failure_and_no_caller_waits_for_ever() -> None:
    async def forgetful(tickets: Sequence[Ticket[str, str]]) -> Sequence[str]:
        return [ticket.item for ticket in tickets][1:]

    group: GroupCommit[str, str] = GroupCommit(run=forgetful, limits=ROOMY)
    ticket = group.add("a", team_id=1, size=1)

    with pytest.raises(ValueError, match="zip"):
        async with asyncio.timeout(5):
            await ticket.answer


async def test_an_item_that_waits_can_be_withdrawn_and_is_never_run() -> None:
    lane = Lane()
    lane.add("a")
    running = await lane.next()
    second, third = lane.add("b"), lane.add("c")

    assert lane.group.withdraw(second)
    assert not lane.group.withdraw(second)
    running.succeed()
    assert (await lane.next()).items == ["c"]
    assert not lane.group.withdraw(third)


async def test_withdrawing_the_last_item_of_a_team_leaves_nothing_to_run() -> None:
    lane = Lane()
    lane.add("a")
    running = await lane.next()
    assert lane.group.withdraw(lane.add("b"))

    running.succeed()
    assert await lane.quiet()
    await lane.group.drain()


async def test_a_caller_that_gave_up_takes_nobody_with_it() -> None:
    lane = Lane()
    lane.add("start")
    running = await lane.next()
    gone, stays = lane.add("a"), lane.add("b")
    running.succeed()
    shared = await lane.next()
    gone.answer.cancel()
    shared.succeed()

    assert await stays.answer == "B"


async def test_drain_waits_for_what_runs_and_for_what_waits_behind_it() -> None:
    lane = Lane()
    first = lane.add("a")
    running = await lane.next()
    second = lane.add("b")
    draining = asyncio.create_task(lane.group.drain())

    running.succeed()
    behind = await lane.next()
    await lane.settled()
    assert first.answer.done()
    assert not draining.done()
    behind.succeed()

    async with asyncio.timeout(5):
        await draining
    assert second.answer.done()


async def test_draining_with_nothing_on_its_way_ends_at_once() -> None:
    async with asyncio.timeout(5):
        await Lane().group.drain()
