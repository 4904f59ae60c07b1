"""The durable decisions on an entry."""

from temporalio import workflow

from kapelle.contracts import curate
from kapelle.contracts.curate import Change
from kapelle.domain.outcomes import Outcome
from workflows import policies


@workflow.defn(name="AcceptEntry")
class AcceptEntry(curate.AcceptEntry):
    @workflow.run
    async def run(self, change: Change) -> Outcome:
        return await workflow.execute_local_activity_method(curate.CurateActivities.accept, change, **policies.STORE)


@workflow.defn(name="ForgetEntry")
class ForgetEntry(curate.ForgetEntry):
    @workflow.run
    async def run(self, change: Change) -> Outcome:
        return await workflow.execute_local_activity_method(curate.CurateActivities.forget, change, **policies.STORE)
