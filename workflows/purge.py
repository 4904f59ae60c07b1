"""The durable purge: forget some entries after the other until none is left."""

from temporalio import workflow

from kapelle.contracts import purge
from kapelle.contracts.purge import Purged
from kapelle.domain.outcomes import Outcome
from workflows import policies

# Steps after which the history begins anew.
MOST_STEPS = 200


@workflow.defn(name="PurgeMemory")
class PurgeMemory(purge.PurgeMemory):
    @workflow.run
    async def run(self, so_far: Purged) -> Outcome:
        for _ in range(MOST_STEPS):
            before = so_far.forgotten
            so_far = await workflow.execute_activity_method(purge.PurgeActivities.some, so_far, **policies.ROUND)
            if so_far.obstacle or so_far.forgotten == before:
                break
        else:
            workflow.continue_as_new(so_far)
        return await workflow.execute_activity_method(purge.PurgeActivities.finish, so_far, **policies.ROUND)
