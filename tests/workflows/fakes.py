"""Activities that keep the contracts and do what a test tells them to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from kapelle.contracts import backfill, curate, export, imports, write
from kapelle.contracts.backfill import Order, Page, Paged, Survey
from kapelle.contracts.curate import Change
from kapelle.contracts.export import Due, Ended, Export, Pushed, Rendered, Request, Task
from kapelle.contracts.imports import Import, Lines, Progress
from kapelle.contracts.write import Batch, Embedded, Prepared, Resemblance, Screened, Vectors
from kapelle.domain.outcomes import NOT_STORED, Code, Outcome, refused


def screen_nothing(batch: Batch) -> tuple[Screened, ...]:
    return tuple(Screened() for _ in batch.writes)


def embed_each(batch: Batch) -> Embedded:
    """Answer for each write a vector that can be told from the others."""
    return Embedded(model="fake", vectors=tuple(Vectors(parts=(single.draft.body,)) for single in batch.writes))


def resemble_nothing(prepared: Prepared) -> tuple[Resemblance, ...]:
    return tuple(Resemblance() for _ in prepared.batch.writes)


def store_all(prepared: Prepared) -> tuple[Outcome, ...]:
    return tuple(
        refused(refusal) if refusal else Outcome(code=Code.PROPOSED, entry_id=number)
        for number, refusal in enumerate(prepared.refusals, start=1)
    )


@dataclass(kw_only=True)
class FakeWriteActivities(write.WriteActivities):
    """Answers as it was told, and remembers what it was asked."""

    on_scan: Callable[[Batch], tuple[Screened, ...]] = screen_nothing
    on_embed: Callable[[Batch], Embedded] = embed_each
    on_dedup: Callable[[Prepared], tuple[Resemblance, ...]] = resemble_nothing
    on_persist: Callable[[Prepared], tuple[Outcome, ...]] = store_all
    calls: list[tuple[str, Any]] = field(default_factory=list)

    @activity.defn(name="write.scan")
    async def scan(self, batch: Batch) -> tuple[Screened, ...]:
        self.calls.append(("scan", batch))
        return self.on_scan(batch)

    @activity.defn(name="write.embed")
    async def embed(self, batch: Batch) -> Embedded:
        self.calls.append(("embed", batch))
        return self.on_embed(batch)

    @activity.defn(name="write.dedup")
    async def dedup(self, prepared: Prepared) -> tuple[Resemblance, ...]:
        self.calls.append(("dedup", prepared))
        return self.on_dedup(prepared)

    @activity.defn(name="write.persist")
    async def persist(self, prepared: Prepared) -> tuple[Outcome, ...]:
        self.calls.append(("persist", prepared))
        return self.on_persist(prepared)

    @activity.defn(name="write.fail")
    async def fail(self, batch: Batch) -> tuple[Outcome, ...]:
        self.calls.append(("fail", batch))
        return tuple(Outcome(code=Code.FAILED, reason=NOT_STORED) for _ in batch.writes)

    def steps(self) -> list[str]:
        return [name for name, _ in self.calls]

    def persisted(self) -> list[Prepared]:
        return [argument for name, argument in self.calls if name == "persist"]

    def registered(self) -> Sequence[Callable[..., Any]]:
        return (self.scan, self.embed, self.dedup, self.persist, self.fail)


@dataclass(kw_only=True)
class FakeCurateActivities(curate.CurateActivities):
    """Answers each decision with its outcome, and remembers what it was asked."""

    calls: list[tuple[str, Change]] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    # How many histories cannot be deleted yet, for each time that clearing is asked for; none after that.
    running: list[int] = field(default_factory=list)

    @activity.defn(name="curate.accept")
    async def accept(self, change: Change) -> Outcome:
        return self._answer("accept", change, Code.ACCEPTED)

    @activity.defn(name="curate.forget")
    async def forget(self, change: Change) -> Outcome:
        return self._answer("forget", change, Code.FORGOTTEN)

    @activity.defn(name="curate.reject")
    async def reject(self, change: Change) -> Outcome:
        return self._answer("reject", change, Code.REJECTED)

    @activity.defn(name="curate.clear")
    async def clear(self, change: Change) -> int:
        self.calls.append(("clear", change))
        return self.running.pop() if self.running else 0

    def _answer(self, name: str, change: Change, code: Code) -> Outcome:
        self.calls.append((name, change))
        if self.failures:
            raise self.failures.pop()
        return Outcome(code=code, entry_id=change.entry_id)

    def registered(self) -> Sequence[Callable[..., Any]]:
        return (self.accept, self.reject, self.forget, self.clear)


@dataclass(kw_only=True)
class FakeBackfillActivities(backfill.BackfillActivities):
    """Answers surveys and pages in the order that it was given them, and remembers what it was asked."""

    surveys: list[Survey] = field(default_factory=list)
    pages: list[Paged] = field(default_factory=list)
    switches: bool = False
    calls: list[tuple[str, Any]] = field(default_factory=list)
    on_page: Callable[[], None] = lambda: None

    @activity.defn(name="backfill.survey")
    async def survey(self, order: Order) -> Survey:
        self.calls.append(("survey", order))
        return self.surveys.pop(0)

    @activity.defn(name="backfill.page")
    async def page(self, page: Page) -> Paged:
        self.calls.append(("page", page))
        self.on_page()
        return self.pages.pop(0)

    @activity.defn(name="backfill.settle")
    async def settle(self, order: Order) -> bool:
        self.calls.append(("settle", order))
        switches, self.switches = self.switches, False
        return switches

    @activity.defn(name="backfill.record")
    async def record(self, order: Order) -> Outcome:
        self.calls.append(("record", order))
        return Outcome(code=Code.TOLD, reason=order.tally.describe())

    def asked(self, name: str) -> list[Any]:
        return [argument for step, argument in self.calls if step == name]

    def registered(self) -> Sequence[Callable[..., Any]]:
        return (self.survey, self.page, self.settle, self.record)


@dataclass(kw_only=True)
class FakeImportActivities(imports.ImportActivities):
    """Holds lines that wait, a batch of two at a time, and remembers which were stored and which failed."""

    waiting: list[int]
    total: int
    # A batch with one of these fails for good.
    poison: frozenset[int] = frozenset()
    stored: list[tuple[int, ...]] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)

    @activity.defn(name="import.next")
    async def next(self, one: Import) -> Lines:
        return Lines(of=one, numbers=tuple(self.waiting[:2]))

    @activity.defn(name="import.store")
    async def store(self, lines: Lines) -> Progress:
        if self.poison.intersection(lines.numbers):
            raise ApplicationError("internal error", type="internal", non_retryable=True)
        self.stored.append(lines.numbers)
        return self._progress(lines)

    @activity.defn(name="import.fail")
    async def fail(self, lines: Lines) -> Progress:
        self.failed += lines.numbers
        return self._progress(lines)

    def _progress(self, lines: Lines) -> Progress:
        self.waiting = [number for number in self.waiting if number not in lines.numbers]
        created = sum(map(len, self.stored))
        return Progress(lines=self.total, waiting=len(self.waiting), created=created, failed=len(self.failed))

    def registered(self) -> Sequence[Callable[..., Any]]:
        return (self.next, self.store, self.fail)


@dataclass(kw_only=True)
class FakeExportActivities(export.ExportActivities):
    """Pushes and opens as it was told, fails as often as there are failures, and remembers what it was asked."""

    rendered: Rendered = Rendered(blob="a" * 40, size=1, items=())  # noqa: RUF009 - frozen
    pushes: list[Pushed] = field(default_factory=list)
    opens: list[Pushed] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    calls: list[tuple[str, Any]] = field(default_factory=list)

    @activity.defn(name="export.render")
    async def render(self, export: Export) -> Rendered:
        self.calls.append(("render", export))
        return self.rendered

    @activity.defn(name="export.push")
    async def push(self, task: Task) -> Pushed:
        self.calls.append(("push", task))
        if self.failures:
            raise self.failures.pop(0)
        return self.pushes.pop(0)

    @activity.defn(name="export.open")
    async def open(self, request: Request) -> Pushed:
        self.calls.append(("open", request))
        return self.opens.pop(0)

    @activity.defn(name="export.finish")
    async def finish(self, ended: Ended) -> Outcome:
        self.calls.append(("finish", ended))
        return Outcome(code=Code.EXPORTED if ended.pushed.fate else Code.NO_PULL_REQUEST, reason=ended.obstacle)

    @activity.defn(name="export.due")
    async def due(self, wanted: Due) -> Export | None:
        self.calls.append(("due", wanted))
        return None

    def steps(self) -> list[str]:
        return [name for name, _ in self.calls]

    def registered(self) -> Sequence[Callable[..., Any]]:
        return (self.render, self.push, self.open, self.finish, self.due)
