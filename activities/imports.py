"""The steps of an import, by the steps of a write."""

from dataclasses import replace

import msgspec
from temporalio import activity

from activities.write import WriteActivities
from kapelle.contracts import imports
from kapelle.contracts.imports import Import, Lines, Progress, Staged
from kapelle.contracts.write import Batch, Prepared, Resemblance
from kapelle.domain.outcomes import NOT_STORED, Code, Outcome
from kapelle.store import imports as store
from kapelle.store.imports import Ended
from kapelle.store.pool import Connection, Pool, tenant

_STATES = {
    Code.DUPLICATE: "duplicate",
    Code.ACCEPTED: "duplicate",
    Code.REFUSED: "refused",
    Code.FAILED: "failed",
}
_REASONS = {Code.ACCEPTED: "it was proposed here, and is accepted now", Code.QUARANTINED: "quarantined: {0.reason}"}
_staged = msgspec.json.Decoder(Staged)


class ImportActivities(imports.ImportActivities):
    """The steps on a real store."""

    def __init__(self, pool: Pool, write: WriteActivities) -> None:
        self._pool = pool
        self._write = write

    @activity.defn(name="import.next")
    async def next(self, one: Import) -> Lines:
        async with tenant(self._pool, one.org_id) as conn:
            numbers = await store.waiting(conn, org_id=one.org_id, team_id=one.team_id, import_id=one.import_id)
        return Lines(of=one, numbers=numbers)

    @activity.defn(name="import.store")
    async def store(self, lines: Lines) -> Progress:
        one = lines.of
        async with tenant(self._pool, one.org_id) as conn:
            found = await store.staged(
                conn, org_id=one.org_id, team_id=one.team_id, import_id=one.import_id, lines=lines.numbers
            )
        waiting = {number: _staged.decode(content) for number, content in found.items()}
        outcomes = await self._judged(one.org_id, tuple(waiting.values())) if waiting else ()
        ended = [_ended(number, outcome) for number, outcome in zip(waiting, outcomes, strict=True)]
        return await self._recorded(one, ended)

    @activity.defn(name="import.fail")
    async def fail(self, lines: Lines) -> Progress:
        failed = [Ended(line=number, state="failed", reason=NOT_STORED) for number in lines.numbers]
        return await self._recorded(lines.of, failed)

    async def _judged(self, org_id: str, staged: tuple[Staged, ...]) -> tuple[Outcome, ...]:
        """Run the steps of a write after its scan, which every line had before it was acknowledged."""
        batch = Batch(org_id=org_id, writes=tuple(one.write for one in staged))
        prepared = Prepared(
            batch=batch,
            refusals=("",) * len(staged),
            quarantines=tuple(one.quarantine for one in staged),
            embedded=await self._write.embed(batch),
            resembles=(Resemblance(),) * len(staged),
        )
        prepared = replace(prepared, resembles=await self._write.dedup(prepared))
        return await self._write.persist(prepared)

    async def _recorded(self, one: Import, ended: list[Ended]) -> Progress:
        async with tenant(self._pool, one.org_id) as conn:
            await store.end(conn, org_id=one.org_id, team_id=one.team_id, import_id=one.import_id, ended=ended)
            progress = await _progress(conn, one)
            if progress.finished:
                await store.link(conn, org_id=one.org_id, team_id=one.team_id, import_id=one.import_id)
        return progress


async def _progress(conn: Connection, one: Import) -> Progress:
    counts = await store.counts(conn, org_id=one.org_id, team_id=one.team_id, import_id=one.import_id)
    # A team that is gone took its imports with it.
    return Progress(lines=0) if counts is None else Progress(lines=counts.lines, **counts.by_state)


def _ended(line: int, outcome: Outcome) -> Ended:
    reason = _REASONS[outcome.code].format(outcome) if outcome.code in _REASONS else outcome.reason
    return Ended(line=line, state=_STATES.get(outcome.code, "created"), entry_id=outcome.entry_id, reason=reason)
