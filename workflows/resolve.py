"""The durable decision on a conflict."""

from temporalio import workflow

from kapelle.contracts import resolve
from kapelle.contracts.resolve import Resolution
from kapelle.domain.outcomes import Outcome
from workflows import policies


@workflow.defn(name="ResolveConflict")
class ResolveConflict(resolve.ResolveConflict):
    @workflow.run
    async def run(self, resolution: Resolution) -> Outcome:
        return await workflow.execute_local_activity_method(
            resolve.ResolveActivities.settle, resolution, **policies.STORE
        )
