"""The durable import: batch by batch, each as every write is judged and stored."""

import asyncio
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import FailureError

from kapelle.contracts import imports
from kapelle.contracts.imports import Import, Lines, Progress
from workflows import policies

# How long an import that lacks lines waits for its sender; the same file sent again later goes on where it was.
PATIENCE = timedelta(minutes=10)
# Keeps a history small. The SDK suggests a new one at 4,096 events, which a burst of markers can pass by far.
BATCHES_A_RUN = 500


@workflow.defn(name="ImportMemory")
class ImportMemory(imports.ImportMemory):
    """Runs until the last line is done, or its sender has been away for too long."""

    def __init__(self) -> None:
        self._arrived = False

    @workflow.signal(name="arrived")
    def arrived(self) -> None:
        self._arrived = True

    @workflow.run
    async def run(self, one: Import) -> Progress:
        for _ in range(BATCHES_A_RUN):
            # Whoever sends lines makes them wait first and signals then: none can be missed from here on.
            self._arrived = False
            progress = await self._store(await self._next(one))
            workflow.set_current_details(_details(progress))
            if progress.finished or not (progress.waiting or await self._more()):
                return progress
        return workflow.continue_as_new(one)

    async def _more(self) -> bool:
        """Wait until more lines have arrived; False when nobody sends any."""
        try:
            await workflow.wait_condition(lambda: self._arrived, timeout=PATIENCE)
        except asyncio.TimeoutError:  # noqa: UP041 - the SDK's word for it on 3.11
            return False
        return True

    async def _store(self, lines: Lines) -> Progress:
        try:
            return await workflow.execute_local_activity_method(imports.ImportActivities.store, lines, **policies.STORE)
        except FailureError:
            if len(lines.numbers) == 1:
                return await self._fail(lines)
        # One line that cannot be stored must not take the others with it.
        progress = Progress(lines=0)
        for number in lines.numbers:
            progress = await self._store(Lines(of=lines.of, numbers=(number,)))
        return progress

    async def _next(self, one: Import) -> Lines:
        return await workflow.execute_local_activity_method(imports.ImportActivities.next, one, **policies.STORE)

    async def _fail(self, lines: Lines) -> Progress:
        return await workflow.execute_local_activity_method(imports.ImportActivities.fail, lines, **policies.STORE)


def _details(progress: Progress) -> str:
    return (
        f"{progress.done} of {progress.lines} lines: {progress.created} created, {progress.duplicate} duplicate, "
        f"{progress.refused} refused, {progress.failed} failed"
    )
