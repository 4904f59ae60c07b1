"""The round that runs by itself: seal the ledgers, clear what was forgotten."""

from dataclasses import replace

from temporalio import workflow

from kapelle.contracts import upkeep
from kapelle.contracts.upkeep import Kept, Upkeep
from workflows import policies


@workflow.defn(name="KeepLedger")
class KeepLedger(upkeep.KeepLedger):
    @workflow.run
    async def run(self, order: Upkeep) -> Kept:
        sealed = await workflow.execute_activity_method(upkeep.UpkeepActivities.seal, order, **policies.ROUND)
        swept = await workflow.execute_activity_method(upkeep.UpkeepActivities.sweep, order, **policies.ROUND)
        return replace(sealed, histories=swept.histories, released=swept.released)
