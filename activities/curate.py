"""The decisions on an entry, each in one transaction."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from temporalio import activity

from activities.admission import repeated
from kapelle.contracts import curate
from kapelle.contracts.curate import Change
from kapelle.domain import digests
from kapelle.domain.entries import Status
from kapelle.domain.ledger import Event
from kapelle.domain.outcomes import Code, Outcome, refused
from kapelle.store import entries, ledger, operations, search, teams
from kapelle.store.entries import Standing
from kapelle.store.operations import Begun
from kapelle.store.pool import Connection, Pool, tenant


class CurateActivities(curate.CurateActivities):
    """The decisions on a real store."""

    def __init__(self, pool: Pool, *, digest_key: str) -> None:
        self._pool = pool
        self._digest_key = digest_key

    @activity.defn(name="curate.accept")
    async def accept(self, change: Change) -> Outcome:
        return await self._decide(change, "accept", _accept)

    @activity.defn(name="curate.forget")
    async def forget(self, change: Change) -> Outcome:
        return await self._decide(change, "forget", self._forget)

    async def _decide(
        self,
        change: Change,
        name: str,
        decide: Callable[[Connection, Change, Standing, datetime], Awaitable[Outcome]],
    ) -> Outcome:
        """Take the team's lock, answer a repeated request as before, else decide and record the answer."""
        begun = _begun(change, name)
        async with tenant(self._pool, change.org_id) as conn:
            now = await teams.lock(conn, org_id=change.org_id, team_ids=[change.team_id])
            recorded = await operations.recorded(conn, org_id=change.org_id, operation_ids=[change.operation_id])
            if answer := repeated(begun, recorded):
                return answer
            standing = await _standing(conn, change)
            if change.team_id not in now or standing is None:
                outcome = await _missing(conn, change)
            else:
                outcome = await decide(conn, change, standing, now[change.team_id])
            await operations.finish(
                conn,
                org_id=change.org_id,
                finished=[(begun, outcome)],
                workflow_id=activity.info().workflow_id or "",
            )
        return outcome

    async def _forget(self, conn: Connection, change: Change, standing: Standing, now: datetime) -> Outcome:
        digest = digests.tombstone(self._digest_key, change.org_id, change.team_id, standing.text_hash)
        await search.forget(conn, org_id=change.org_id, team_id=change.team_id, memory_id=change.entry_id)
        await entries.delete(conn, org_id=change.org_id, team_id=change.team_id, entry_id=change.entry_id)
        await ledger.bury(
            conn, org_id=change.org_id, team_id=change.team_id, digest=digest, entry_id=change.entry_id
        )
        await _record(conn, change, "forgotten", now)
        return Outcome(code=Code.FORGOTTEN, entry_id=change.entry_id)


async def _accept(conn: Connection, change: Change, standing: Standing, now: datetime) -> Outcome:
    if standing.entry.status is Status.CURATED:
        return Outcome(code=Code.ACCEPTED, entry_id=change.entry_id)
    if not standing.current:
        successor = f"superseded by entry {standing.successor}" if standing.successor else "not current any more"
        return refused(f"entry {change.entry_id} is {successor}")
    if standing.entry.status is not Status.PROPOSED:
        return refused(f"entry {change.entry_id} is {standing.entry.status} and not open to acceptance")
    await entries.curate(
        conn, org_id=change.org_id, team_id=change.team_id, entry_id=change.entry_id, at=now, by=change.source
    )
    await search.set_status(
        conn, org_id=change.org_id, team_id=change.team_id, memory_id=change.entry_id, status=Status.CURATED
    )
    await _record(conn, change, "accepted", now)
    return Outcome(code=Code.ACCEPTED, entry_id=change.entry_id)


async def _record(conn: Connection, change: Change, event: str, now: datetime) -> None:
    happened = Event(
        memory_id=change.entry_id,
        event=event,
        actor=change.source,
        operation_id=change.operation_id,
        happened_at=now,
    )
    await ledger.append(conn, org_id=change.org_id, events=[(change.team_id, happened)])
    await teams.move_revision(conn, org_id=change.org_id, team_ids=[change.team_id])


async def _standing(conn: Connection, change: Change) -> Standing | None:
    found = await entries.standings(
        conn, org_id=change.org_id, team_ids=[change.team_id], entry_ids=[change.entry_id]
    )
    return found.get(change.entry_id)


async def _missing(conn: Connection, change: Change) -> Outcome:
    forgotten = await ledger.was_forgotten(
        conn, org_id=change.org_id, team_id=change.team_id, entry_id=change.entry_id
    )
    if forgotten:
        return refused(f"entry {change.entry_id} was forgotten")
    return refused(f"there is no entry {change.entry_id} in this team")


def _begun(change: Change, name: str) -> Begun:
    return Begun(
        operation_id=change.operation_id,
        team_id=change.team_id,
        source=change.source,
        name=name,
        digest=bytes.fromhex(change.request_digest),
    )
