"""The durable write: scan, embed, dedup, persist."""

from dataclasses import replace

from temporalio import workflow
from temporalio.exceptions import FailureError

from kapelle.contracts import write
from kapelle.contracts.write import Batch, Embedded, Prepared, Resemblance, Screened, Write
from kapelle.domain.outcomes import NOT_STORED, Code, Outcome
from workflows import policies


@workflow.defn(name="WriteMemory")
class WriteMemory(write.WriteMemory):
    """Runs one batch. The steps answer for all its writes at once."""

    @workflow.run
    async def run(self, batch: Batch) -> tuple[Outcome, ...]:
        screened = await self._scan(batch)
        batch = replace(batch, writes=tuple(map(_passed, batch.writes, screened)))
        prepared = Prepared(
            batch=batch,
            refusals=tuple(screen.refusal for screen in screened),
            quarantines=tuple(screen.quarantine for screen in screened),
            embedded=await self._embed(batch),
            resembles=tuple(Resemblance() for _ in batch.writes),
        )
        prepared = replace(prepared, resembles=await self._dedup(prepared))
        return await self._persist(prepared)

    async def _scan(self, batch: Batch) -> tuple[Screened, ...]:
        return await workflow.execute_local_activity_method(write.WriteActivities.scan, batch, **policies.RULES)

    async def _embed(self, batch: Batch) -> Embedded:
        try:
            return await workflow.execute_local_activity_method(write.WriteActivities.embed, batch, **policies.EMBED)
        except FailureError:
            # An entry without a vector is found by keyword and repaired by the backfill.
            return Embedded()

    async def _dedup(self, prepared: Prepared) -> tuple[Resemblance, ...]:
        return await workflow.execute_local_activity_method(write.WriteActivities.dedup, prepared, **policies.STORE)

    async def _persist(self, prepared: Prepared) -> tuple[Outcome, ...]:
        try:
            return await self._persist_once(prepared)
        except FailureError:
            if len(prepared.batch.writes) == 1:
                return await self._fail(prepared.batch)
        # One write that cannot be stored must not take the others with it.
        outcomes: list[Outcome] = []
        for single in _singles(prepared):
            outcomes += await self._persist(single)
        return tuple(outcomes)

    async def _fail(self, batch: Batch) -> tuple[Outcome, ...]:
        try:
            return await workflow.execute_local_activity_method(write.WriteActivities.fail, batch, **policies.STORE)
        except FailureError:
            return (Outcome(code=Code.FAILED, reason=NOT_STORED),)

    async def _persist_once(self, prepared: Prepared) -> tuple[Outcome, ...]:
        return await workflow.execute_local_activity_method(write.WriteActivities.persist, prepared, **policies.STORE)


def _passed(single: Write, screened: Screened) -> Write:
    """Return the write as the scan lets it pass."""
    return replace(single, draft=screened.redacted or single.draft, findings=(*single.findings, *screened.findings))


def _singles(prepared: Prepared) -> tuple[Prepared, ...]:
    """Split a batch into its writes."""
    return tuple(
        Prepared(
            batch=replace(prepared.batch, writes=(single,)),
            refusals=(prepared.refusals[position],),
            quarantines=(prepared.quarantines[position],),
            embedded=replace(prepared.embedded, vectors=prepared.embedded.vectors[position : position + 1]),
            resembles=(prepared.resembles[position],),
        )
        for position, single in enumerate(prepared.batch.writes)
    )
