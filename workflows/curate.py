"""The durable decisions on an entry."""

from datetime import timedelta

from temporalio import workflow

from kapelle.contracts import curate
from kapelle.contracts.curate import Change
from kapelle.domain.outcomes import Code, Outcome
from workflows import policies

RUNNING_MOMENT = timedelta(seconds=1)


@workflow.defn(name="AcceptEntry")
class AcceptEntry(curate.AcceptEntry):
    @workflow.run
    async def run(self, change: Change) -> Outcome:
        return await workflow.execute_local_activity_method(curate.CurateActivities.accept, change, **policies.STORE)


@workflow.defn(name="RejectEntry")
class RejectEntry(curate.RejectEntry):
    @workflow.run
    async def run(self, change: Change) -> Outcome:
        outcome = await workflow.execute_local_activity_method(curate.CurateActivities.reject, change, **policies.STORE)
        if outcome.code is Code.REJECTED:
            await _clear(change)
        return outcome


@workflow.defn(name="ForgetEntry")
class ForgetEntry(curate.ForgetEntry):
    @workflow.run
    async def run(self, change: Change) -> Outcome:
        outcome = await workflow.execute_local_activity_method(curate.CurateActivities.forget, change, **policies.STORE)
        if outcome.code is Code.FORGOTTEN:
            await _clear(change)
        return outcome


async def _clear(change: Change) -> None:
    """Delete the histories that carried the text; one that runs gets a moment, and after it the sweep sees to it."""
    if await workflow.execute_local_activity_method(curate.CurateActivities.clear, change, **policies.CLEAR):
        await workflow.sleep(RUNNING_MOMENT)
        await workflow.execute_local_activity_method(curate.CurateActivities.clear, change, **policies.CLEAR)
