"""Group commit: what arrives while a team's batch runs shares the next one. A lone item is never delayed."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Result = TypeVar("Result")
Item = TypeVar("Item")

# A team's second batch starts beside its first one when it is at least as large, and has as many items as this.
LEAST_BESIDE = 8


@dataclass(slots=True, kw_only=True, eq=False)
class Ticket(Generic[Item, Result]):
    """One item on its way."""

    item: Item
    team_id: int
    size: int
    answer: "asyncio.Future[Result]"
    # Done once its batch has durably begun, with the name under which that runs.
    begun: "asyncio.Future[str]"
    # Callers that wait for the answer.
    waiting: int = 0


@dataclass(slots=True, kw_only=True)
class Limits:
    """Bounds of the batches: how many run at once, and how many items and bytes one holds."""

    batches: int
    items: int
    size: int


@dataclass(slots=True, kw_only=True)
class GroupCommit(Generic[Item, Result]):
    """Gathers items into batches, taking turns between teams.

    Two batches of one team overlap only when both are large: one is compared and embedded while the other is stored.
    """

    run: Callable[[Sequence[Ticket[Item, Result]]], Awaitable[Sequence[Result]]]
    limits: Limits
    _waiting: "OrderedDict[int, deque[Ticket[Item, Result]]]" = field(default_factory=OrderedDict)
    # By team: the items of its batches that run, and how many batches those are.
    _underway: Counter[int] = field(default_factory=Counter)
    _batches: Counter[int] = field(default_factory=Counter)
    _running: "set[asyncio.Task[None]]" = field(default_factory=set)

    def add(self, item: Item, *, team_id: int, size: int) -> Ticket[Item, Result]:
        """Put an item in the queue; the ticket's answer is its result."""
        ticket: Ticket[Item, Result] = Ticket(
            item=item,
            team_id=team_id,
            size=size,
            answer=asyncio.get_running_loop().create_future(),
            begun=asyncio.get_running_loop().create_future(),
        )
        # A caller may have gone when the answer comes.
        ticket.answer.add_done_callback(_seen)
        self._waiting.setdefault(team_id, deque()).append(ticket)
        self._dispatch()
        return ticket

    def withdraw(self, ticket: Ticket[Item, Result]) -> bool:
        """Take back an item that is not on its way yet; False if it is."""
        queue = self._waiting.get(ticket.team_id)
        if queue is None or ticket not in queue:
            return False
        queue.remove(ticket)
        if not queue:
            del self._waiting[ticket.team_id]
        return True

    async def drain(self) -> None:
        """Wait until nothing is on its way."""
        while self._running:
            await asyncio.wait(self._running)

    def _dispatch(self) -> None:
        while len(self._running) < self.limits.batches and (batch := self._take()):
            self._underway.update(ticket.team_id for ticket in batch)
            self._batches.update({ticket.team_id for ticket in batch})
            task = asyncio.create_task(self._run(batch))
            self._running.add(task)
            task.add_done_callback(self._finished)

    def _take(self) -> "list[Ticket[Item, Result]]":
        """Take one item a team in turns, of teams that may start a batch, until a limit is reached."""
        batch: list[Ticket[Item, Result]] = []
        size = 0
        ready = deque(team_id for team_id, queue in self._waiting.items() if self._may_start(team_id, len(queue)))
        while ready and len(batch) < self.limits.items:
            team_id = ready.popleft()
            queue = self._waiting[team_id]
            if batch and size + queue[0].size > self.limits.size:
                break
            size += queue[0].size
            batch.append(queue.popleft())
            if queue:
                ready.append(team_id)
                self._waiting.move_to_end(team_id)
            else:
                del self._waiting[team_id]
        return batch

    def _may_start(self, team_id: int, waiting: int) -> bool:
        if not self._batches[team_id]:
            return True
        return self._batches[team_id] == 1 and waiting >= max(self._underway[team_id], LEAST_BESIDE)

    async def _run(self, batch: "list[Ticket[Item, Result]]") -> None:
        try:
            results = await self.run(batch)
            for ticket, result in zip(batch, results, strict=True):
                if not ticket.answer.done():
                    ticket.answer.set_result(result)
        except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to those who wait.
            for ticket in batch:
                if not ticket.answer.done():
                    ticket.answer.set_exception(error)
        finally:
            self._underway -= Counter(ticket.team_id for ticket in batch)
            self._batches -= Counter({ticket.team_id for ticket in batch})

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        self._dispatch()


def _seen(answer: "asyncio.Future[Result]") -> None:
    if not answer.cancelled():
        answer.exception()
