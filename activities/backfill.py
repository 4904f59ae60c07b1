"""The steps of a backfill of embeddings."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from temporalio import activity

from kapelle.contracts import backfill
from kapelle.contracts.backfill import Order, Page, Paged, Survey
from kapelle.domain.backfill import Tally
from kapelle.domain.outcomes import Code, Outcome
from kapelle.providers import embed_parts
from kapelle.providers.embeddings import EmbeddingFailed, Vector, embed_entries
from kapelle.spaces import Space, Spaces
from kapelle.store import embeddings, models, operations
from kapelle.store.embeddings import Missing, VectorRow
from kapelle.store.pool import Connection, Pool, tenant

log = logging.getLogger(__name__)

# Seconds of one page: short, so that a pause takes effect soon and a worker can stop in good order.
PAGE_SECONDS = 5.0
# Entries and parts of one batch, which is one transaction: what a crash makes somebody embed once more.
BATCH_ENTRIES = 32
BATCH_PARTS = 64
# While another backfill of the org is at work.
TURN_SECONDS = 5.0
BEAT_SECONDS = 1.0
SURVEY_SECONDS = 15.0
# Refused entries in a row, none accepted, after which the fault is not the entries'.
HOPELESS = 8


class BackfillActivities(backfill.BackfillActivities):
    """The steps on a real store. `per_minute` bounds the entries that one worker embeds."""

    def __init__(self, pool: Pool, spaces: Spaces, *, per_minute: int) -> None:
        self._pool = pool
        self._spaces = spaces
        self._per_minute = per_minute

    @activity.defn(name="backfill.survey")
    async def survey(self, order: Order) -> Survey:
        try:
            model = await self._spaces.introduce()
        except EmbeddingFailed as failed:
            if failed.permanent:
                return Survey(stopped=failed.message)
            return Survey(wait_seconds=failed.retry_after or SURVEY_SECONDS)
        async with tenant(self._pool, order.org_id) as conn:
            lack = await models.lack(conn, org_id=order.org_id, team_id=order.team_id, model=model.model)
            teams = await models.incomplete_teams(conn, org_id=order.org_id, team_id=order.team_id, model=model.model)
        return Survey(model=model.model, alias=model.alias, entries=lack.entries, missing=lack.missing, teams=teams)

    @activity.defn(name="backfill.page")
    async def page(self, page: Page) -> Paged:
        space = self._spaces.wanted
        if space is None or not space.is_of(page.model):
            return Paged(after=page.after, stopped="another model is wanted by now")
        async with _beating():
            return await _Run(self._pool, space, page, self._per_minute).go()

    @activity.defn(name="backfill.settle")
    async def settle(self, order: Order) -> bool:
        async with tenant(self._pool, order.org_id) as conn:
            return await models.activate_if_complete(
                conn, org_id=order.org_id, model=order.tally.model, by="the backfill"
            )

    @activity.defn(name="backfill.record")
    async def record(self, order: Order) -> Outcome:
        tally = await self._recounted(order)
        outcome = Outcome(code=Code.TOLD, reason=tally.describe())
        log.info("backfill ended", extra={"embedded": tally.embedded, "passed_over": tally.passed_over})
        if not order.operation_id:
            return outcome
        begun = operations.Begun(
            operation_id=order.operation_id,
            team_id=order.team_id,
            source=order.source,
            name="backfill",
            digest=bytes.fromhex(order.request_digest),
        )
        async with tenant(self._pool, order.org_id) as conn:
            await operations.finish(
                conn, org_id=order.org_id, finished=[(begun, outcome)], workflow_id=activity.info().workflow_id or ""
            )
        return outcome

    async def _recounted(self, order: Order) -> Tally:
        """Return the tally with what was embedded counted in the store: a worker that dies cannot tell."""
        if not order.tally.model:
            return order.tally
        async with tenant(self._pool, order.org_id) as conn:
            lack = await models.lack(conn, org_id=order.org_id, team_id=order.team_id, model=order.tally.model)
        return replace(order.tally, embedded=max(order.tally.embedded, order.tally.missing - lack.missing))


@dataclass(slots=True, kw_only=True)
class _Count:
    """What a page has done so far."""

    after: int
    embedded: int = 0
    passed_over: int = 0
    refused_in_row: int = 0
    # What the model last said to an entry that it refused.
    refusal: str = ""

    def paged(self, *, finished: bool = False, wait: float = 0.0, failing: str = "", stopped: str = "") -> Paged:
        return Paged(
            after=self.after,
            embedded=self.embedded,
            passed_over=self.passed_over,
            refusal=self.refusal,
            finished=finished,
            wait_seconds=wait,
            failing=failing,
            stopped=stopped,
        )


class _Run:
    """One page: batches until its time is up, the team is done, or the provider wants a pause."""

    def __init__(self, pool: Pool, space: Space, page: Page, per_minute: int) -> None:
        self._pool = pool
        self._embedder = space.patient
        self._page = page
        self._seconds_each = 60.0 / per_minute
        self._count = _Count(after=page.after)

    async def go(self) -> Paged:
        loop = asyncio.get_running_loop()
        ends = loop.time() + PAGE_SECONDS
        while loop.time() < ends:
            began, before = loop.time(), self._count.embedded
            ended = await self._batch()
            if ended is not None:
                return ended
            due = (self._count.embedded - before) * self._seconds_each - (loop.time() - began)
            await asyncio.sleep(max(0.0, due))
        return self._count.paged()

    async def _batch(self) -> Paged | None:
        """Embed some entries and store their vectors, all in one transaction; None if there may be more."""
        page, count = self._page, self._count
        async with tenant(self._pool, page.org_id) as conn:
            if not await models.take_backfill_turn(conn, org_id=page.org_id):
                return count.paged(wait=TURN_SECONDS)
            found = await embeddings.missing(
                conn,
                org_id=page.org_id,
                team_id=page.team_id,
                model=page.model,
                after=count.after,
                limit=BATCH_ENTRIES,
            )
            batch = _fitting(found, self._embedder.window)
            if not batch:
                return count.paged(finished=True)
            # What has its vectors when the provider fails is kept.
            failed = await self._embed(conn, batch)
        return None if failed is None else self._given_up(failed)

    async def _embed(self, conn: Connection, batch: Sequence[Missing]) -> EmbeddingFailed | None:
        """Embed a batch, or its entries one by one where the model refuses it as a whole; return why it ended early."""
        try:
            await self._store(conn, batch)
        except EmbeddingFailed as failed:
            if not failed.permanent:
                return failed
            if len(batch) == 1:
                return self._pass_over(batch[0], failed)
        else:
            return None
        for single in batch:
            if ended := await self._embed(conn, (single,)):
                return ended
        return None

    def _pass_over(self, entry: Missing, failed: EmbeddingFailed) -> EmbeddingFailed | None:
        self._count.after = entry.memory_id
        self._count.passed_over += 1
        self._count.refusal = failed.message
        self._count.refused_in_row += 1
        return failed if self._count.refused_in_row >= HOPELESS else None

    def _given_up(self, failed: EmbeddingFailed) -> Paged:
        log.warning("backfill interrupted", extra={"reason": failed.message})
        if failed.permanent:
            return self._count.paged(stopped=failed.message)
        return self._count.paged(wait=failed.retry_after or 0.0, failing=failed.message)

    async def _store(self, conn: Connection, batch: Sequence[Missing]) -> None:
        page = self._page
        vectors = await embed_entries(self._embedder, [(entry.title, entry.body) for entry in batch])
        if self._embedder.model != page.model:
            raise EmbeddingFailed("the embedder answers in another model by now", permanent=True)
        await embeddings.store(conn, org_id=page.org_id, rows=_rows(page, batch, vectors))
        self._count.embedded += len(batch)
        self._count.after = batch[-1].memory_id
        self._count.refused_in_row = 0


def _fitting(found: Sequence[Missing], window: int) -> Sequence[Missing]:
    """Return as many entries as fit a batch, the first one in any case."""
    parts = 0
    for place, entry in enumerate(found):
        parts += len(embed_parts.split(entry.title, entry.body, window))
        if place and parts > BATCH_PARTS:
            return found[:place]
    return found


def _rows(page: Page, batch: Sequence[Missing], vectors: Sequence[Sequence[Vector]]) -> list[VectorRow]:
    return [
        VectorRow(team_id=page.team_id, memory_id=entry.memory_id, model=page.model, part=part, vector=vector)
        for entry, parts in zip(batch, vectors, strict=True)
        for part, vector in enumerate(parts)
    ]


@contextlib.asynccontextmanager
async def _beating() -> AsyncIterator[None]:
    """Tell the server that this page is alive, so that another worker takes over soon when it is not."""

    async def beat() -> None:
        while True:
            activity.heartbeat()
            await asyncio.sleep(BEAT_SECONDS)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
