"""Workflows whose code was changed in ways that no recorded history may replay on."""

from temporalio import workflow

from kapelle.contracts import curate, write
from kapelle.contracts.curate import Change
from kapelle.contracts.write import Batch, Embedded, Prepared, Resemblance
from kapelle.domain.outcomes import Outcome
from workflows import policies


def _prepared(batch: Batch) -> Prepared:
    return Prepared(
        batch=batch,
        refusals=tuple("" for _ in batch.writes),
        quarantines=tuple("" for _ in batch.writes),
        embedded=Embedded(),
        resembles=tuple(Resemblance() for _ in batch.writes),
    )


@workflow.defn(name="WriteMemory")
class EmbedsFirst(write.WriteMemory):
    """Two steps exchanged."""

    @workflow.run
    async def run(self, batch: Batch) -> tuple[Outcome, ...]:
        await workflow.execute_local_activity_method(write.WriteActivities.embed, batch, **policies.EMBED)
        await workflow.execute_local_activity_method(write.WriteActivities.scan, batch, **policies.RULES)
        prepared = _prepared(batch)
        await workflow.execute_local_activity_method(write.WriteActivities.dedup, prepared, **policies.STORE)
        return await workflow.execute_local_activity_method(write.WriteActivities.persist, prepared, **policies.STORE)


@workflow.defn(name="WriteMemory")
class SkipsDedup(write.WriteMemory):
    """A step left out."""

    @workflow.run
    async def run(self, batch: Batch) -> tuple[Outcome, ...]:
        await workflow.execute_local_activity_method(write.WriteActivities.scan, batch, **policies.RULES)
        await workflow.execute_local_activity_method(write.WriteActivities.embed, batch, **policies.EMBED)
        prepared = _prepared(batch)
        return await workflow.execute_local_activity_method(write.WriteActivities.persist, prepared, **policies.STORE)


@workflow.defn(name="WriteMemory")
class LogsAfterwards(write.WriteMemory):
    """A step more than there was."""

    @workflow.run
    async def run(self, batch: Batch) -> tuple[Outcome, ...]:
        await workflow.execute_local_activity_method(write.WriteActivities.scan, batch, **policies.RULES)
        await workflow.execute_local_activity_method(write.WriteActivities.embed, batch, **policies.EMBED)
        prepared = _prepared(batch)
        await workflow.execute_local_activity_method(write.WriteActivities.dedup, prepared, **policies.STORE)
        outcomes = await workflow.execute_local_activity_method(
            write.WriteActivities.persist, prepared, **policies.STORE
        )
        await workflow.execute_local_activity_method(write.WriteActivities.embed, batch, **policies.EMBED)
        return outcomes


@workflow.defn(name="AcceptEntry")
class ForgetsInstead(curate.AcceptEntry):
    """Another activity with the same types."""

    @workflow.run
    async def run(self, change: Change) -> Outcome:
        return await workflow.execute_local_activity_method(curate.CurateActivities.forget, change, **policies.STORE)
