"""The durable backfill: survey, page after page, settle."""

import asyncio
from dataclasses import replace

from temporalio import workflow

from kapelle.contracts import backfill
from kapelle.contracts.backfill import Order, Page, Paged, Survey
from kapelle.domain.backfill import Tally
from kapelle.domain.outcomes import Outcome
from workflows import policies

# A page leaves about ten events; the server would rather not keep more than some thousand in one history.
PAGES_OF_A_RUN = 100
# Pauses after transient failures in a row, in seconds: doubled up to the longest.
FIRST_PAUSE = 2.0
LONGEST_PAUSE = 300.0
# What was written while the change of models went round has the old model's vectors only.
CHANGE_SECONDS = 5.0


@workflow.defn(name="BackfillEmbeddings")
class BackfillEmbeddings(backfill.BackfillEmbeddings):
    """Goes through the teams that lack vectors, and again while that finds any, since entries may come meanwhile."""

    @workflow.init
    def __init__(self, order: Order) -> None:
        self._order = order

    @workflow.run
    async def run(self, order: Order) -> Outcome:  # noqa: ARG002 - taken by the constructor, before any signal.
        await self._embed_all()
        if not self._order.tally.stopped and await self._settle():
            self._order = replace(self._order, tally=replace(self._order.tally, switched=True), lacking=-1)
            await self._wait(CHANGE_SECONDS, "the other processes hear of the new model")
            await self._embed_all()
        return await self._record()

    @workflow.signal
    async def pause(self) -> None:
        self._order = replace(self._order, paused=True)
        self._show()

    @workflow.signal
    async def resume(self) -> None:
        self._order = replace(self._order, paused=False)
        self._show()

    @workflow.query
    def progress(self) -> str:
        return self._described()

    async def _embed_all(self) -> None:
        while not self._order.tally.stopped:
            if not self._order.teams and not await self._begin_pass():
                return
            await self._pass()

    async def _begin_pass(self) -> bool:
        """Look for teams that lack vectors; False if none does, or if the last pass gained nothing."""
        survey = await self._survey()
        order = self._order
        gained = order.lacking < 0 or survey.missing < order.lacking
        teams = survey.teams if gained and not survey.stopped else ()
        self._order = replace(
            order, tally=_counted(order.tally, survey, again=bool(teams)), teams=teams, after=0, lacking=survey.missing
        )
        self._show()
        return bool(teams) and not self._order.tally.stopped

    async def _survey(self) -> Survey:
        while True:
            survey: Survey = await workflow.execute_activity_method(
                backfill.BackfillActivities.survey, replace(self._order, tally=Tally(), teams=()), **policies.STORE_STEP
            )
            if not survey.wait_seconds:
                return survey
            await self._wait(survey.wait_seconds, "the embedder does not answer")

    async def _pass(self) -> None:
        pages = 0
        while self._order.teams and not self._order.tally.stopped:
            await workflow.wait_condition(lambda: not self._order.paused)
            if pages == PAGES_OF_A_RUN or workflow.info().is_continue_as_new_suggested():
                await workflow.wait_condition(workflow.all_handlers_finished)
                workflow.continue_as_new(self._order)
            await self._take(await self._page())
            pages += 1

    async def _page(self) -> Paged:
        page = Page(
            org_id=self._order.org_id,
            team_id=self._order.teams[0],
            model=self._order.tally.model,
            after=self._order.after,
        )
        return await workflow.execute_activity_method(backfill.BackfillActivities.page, page, **policies.PAGE)

    async def _take(self, paged: Paged) -> None:
        """Add what a page did, and wait if its provider needs a pause."""
        order = self._order
        self._order = replace(
            order,
            tally=replace(
                order.tally,
                embedded=order.tally.embedded + paged.embedded,
                passed_over=order.tally.passed_over + paged.passed_over,
                refusal=paged.refusal or order.tally.refusal,
                stopped=paged.stopped,
            ),
            teams=order.teams[1:] if paged.finished else order.teams,
            after=0 if paged.finished else paged.after,
            failures=order.failures + 1 if paged.failing else 0,
        )
        self._show()
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(order.failures, 10)) if paged.failing else 0.0
        if pause or paged.wait_seconds:
            await self._wait(paged.wait_seconds or pause, paged.failing)

    async def _wait(self, seconds: float, why: str) -> None:
        if why:
            workflow.set_current_details(f"{self._described()}; waiting {seconds:g} s: {why}")
        await asyncio.sleep(seconds)
        self._show()

    async def _settle(self) -> bool:
        return await workflow.execute_activity_method(
            backfill.BackfillActivities.settle, self._order, **policies.STORE_STEP
        )

    async def _record(self) -> Outcome:
        return await workflow.execute_activity_method(
            backfill.BackfillActivities.record, self._order, **policies.STORE_STEP
        )

    def _described(self) -> str:
        if not self._order.tally.model:
            return "looking for entries without a vector"
        paused = "paused: " if self._order.paused else ""
        return paused + self._order.tally.describe_progress()

    def _show(self) -> None:
        workflow.set_current_details(self._described())


def _counted(tally: Tally, survey: Survey, *, again: bool) -> Tally:
    """Take over what a survey says: at first all of it, later what was embedded by then and what came in addition."""
    if not tally.model:
        return replace(
            tally, model=survey.model, entries=survey.entries, missing=survey.missing, stopped=survey.stopped
        )
    if not survey.stopped and survey.model != tally.model:
        return replace(tally, stopped="another model is wanted by now")
    embedded = max(tally.embedded, tally.missing - survey.missing)
    return replace(
        tally,
        entries=survey.entries,
        missing=embedded + survey.missing,
        embedded=embedded,
        # Those that the model refused are looked at once more, and would be counted twice.
        passed_over=0 if again else tally.passed_over,
        stopped=survey.stopped,
    )
