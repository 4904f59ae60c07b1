"""The decisions on an entry, each in one transaction."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime

from temporalio import activity
from temporalio.client import Client

from activities.decision import decided, note
from activities.removing import Remover, clear_histories
from activities.turns import Turns
from kapelle.contracts import curate
from kapelle.contracts.curate import Change
from kapelle.domain.entries import Status
from kapelle.domain.outcomes import Code, Outcome, conflict, missing, refused
from kapelle.store import entries, ledger, operations, reasons, search
from kapelle.store.entries import Standing
from kapelle.store.operations import Begun
from kapelle.store.pool import Connection, Pool

Judge = Callable[[Connection, Change, Standing, datetime], Awaitable[Outcome]]


class CurateActivities(curate.CurateActivities):
    """The decisions on a real store."""

    def __init__(self, pool: Pool, turns: Turns, *, digest_key: str, client: Client | None = None) -> None:
        self._pool = pool
        self._turns = turns
        self._digest_key = digest_key
        # Whose histories are cleared; tests of single steps have none.
        self._client = client

    @activity.defn(name="curate.accept")
    async def accept(self, change: Change) -> Outcome:
        return await self._decided(change, "accept", _accept)

    @activity.defn(name="curate.forget")
    async def forget(self, change: Change) -> Outcome:
        return await self._decided(change, "forget", self._forget)

    @activity.defn(name="curate.reject")
    async def reject(self, change: Change) -> Outcome:
        return await self._decided(change, "reject", self._reject)

    @activity.defn(name="curate.clear")
    async def clear(self, change: Change) -> int:
        if self._client is None:
            return 0
        _, running = await clear_histories(
            self._pool,
            self._client,
            org_id=change.org_id,
            team_id=change.team_id,
            entry_id=change.entry_id,
            own=activity.info().workflow_id or "",
        )
        return running

    async def _decided(self, change: Change, name: str, judge: Judge) -> Outcome:
        async def decide(conn: Connection, now: datetime) -> Outcome:
            standing = await _standing(conn, change)
            return await _missing(conn, change, name) if standing is None else await judge(conn, change, standing, now)

        begun = _begun(change, name)
        return await decided(self._pool, self._turns, begun, decide, org_id=change.org_id, team_id=change.team_id)

    async def _forget(self, conn: Connection, change: Change, standing: Standing, now: datetime) -> Outcome:
        if moved := _moved(change, standing):
            return moved
        remover = Remover(key=self._digest_key, org_id=change.org_id)
        await remover.remove(conn, _begun(change, "forget"), standing, now, "forgotten")
        return Outcome(code=Code.FORGOTTEN, entry_id=change.entry_id)

    async def _reject(self, conn: Connection, change: Change, standing: Standing, now: datetime) -> Outcome:
        org_id, team_id, entry_id = change.org_id, change.team_id, change.entry_id
        if standing.entry.status is Status.CURATED:
            by = await ledger.curator(conn, org_id=org_id, team_id=team_id, entry_id=entry_id)
            return conflict(f"entry {entry_id} was accepted by {by}; edit or forget it instead")
        if blocked := _moved(change, standing) or _held_back(change, standing):
            return blocked
        begun = _begun(change, "reject")
        digest = await Remover(key=self._digest_key, org_id=org_id).remove(conn, begun, standing, now, "rejected")
        if change.reason:
            await reasons.keep(conn, org_id=org_id, team_id=team_id, entry_id=entry_id, reason=change.reason)
            # The reason may say what the entry said, and this workflow carries it.
            carrying = replace(begun, tombstone=digest)
            workflow_id = activity.info().workflow_id or ""
            await operations.begin(conn, org_id=org_id, begun=[carrying], workflow_id=workflow_id)
        return Outcome(code=Code.REJECTED, entry_id=entry_id)


async def _accept(conn: Connection, change: Change, standing: Standing, now: datetime) -> Outcome:
    entry_id = change.entry_id
    if standing.entry.status is Status.CURATED and not change.seen:
        return Outcome(code=Code.ACCEPTED, entry_id=entry_id)
    if moved := _replaced(standing) or _moved(change, standing):
        return moved
    if standing.entry.status is Status.CURATED:
        return Outcome(code=Code.ACCEPTED, entry_id=entry_id)
    if standing.entry.status is Status.ACTIVE:
        return refused(f"entry {entry_id} is an agent's own; propose it to the team first")
    if barred := _held_back(change, standing):
        return barred
    await curate_entry(conn, change.org_id, change.team_id, entry_id, at=now, by=change.source)
    released = standing.entry.status is Status.QUARANTINED
    happened = (entry_id, "released" if released else "accepted", None)
    await note(conn, _begun(change, "accept"), now, happened, org_id=change.org_id, team_id=change.team_id)
    return Outcome(code=Code.ACCEPTED, entry_id=entry_id)


def _replaced(standing: Standing) -> Outcome | None:
    if standing.current:
        return None
    if standing.successor is None:
        return refused(f"entry {standing.entry.id} is not current any more")
    by = standing.superseded_by
    return conflict(f"entry {standing.entry.id} is superseded by entry {standing.successor} of {by}")


def _moved(change: Change, standing: Standing) -> Outcome | None:
    if change.seen and change.seen != standing.entry.version:
        return conflict(f"entry {change.entry_id} is not as you saw it; look again")
    return None


def _held_back(change: Change, standing: Standing) -> Outcome | None:
    if standing.entry.status is Status.QUARANTINED and not change.maintains:
        return refused(f"entry {change.entry_id} is quarantined; only a maintainer can release or drop it")
    return None


async def curate_entry(conn: Connection, org_id: str, team_id: int, entry_id: int, *, at: datetime, by: str) -> None:
    """Make an entry curated, where it is kept and where it is searched."""
    await entries.curate(conn, org_id=org_id, team_id=team_id, entry_id=entry_id, at=at, by=by)
    await search.set_status(conn, org_id=org_id, team_id=team_id, memory_id=entry_id, status=Status.CURATED)


async def _standing(conn: Connection, change: Change) -> Standing | None:
    found = await entries.standings(
        conn,
        org_id=change.org_id,
        team_ids=[change.team_id],
        entry_ids=[change.entry_id],
        agent_id=change.agent_id,
    )
    return found.get(change.entry_id)


async def _missing(conn: Connection, change: Change, name: str) -> Outcome:
    org_id, team_id, entry_id = change.org_id, change.team_id, change.entry_id
    gone = await ledger.gone(conn, org_id=org_id, team_id=team_id, entry_id=entry_id)
    if gone is None:
        return missing(f"there is no entry {entry_id} in this team")
    how, who = gone
    if how == "forgotten":
        return missing(f"entry {entry_id} was forgotten")
    if name == "reject":
        return Outcome(code=Code.REJECTED, entry_id=entry_id)
    # The reason of a rejection goes with a later wish to forget.
    if name == "forget" and await reasons.drop(conn, org_id=org_id, team_id=team_id, entry_id=entry_id):
        return Outcome(code=Code.FORGOTTEN, entry_id=entry_id)
    return conflict(f"entry {entry_id} was rejected by {who}")


def _begun(change: Change, name: str) -> Begun:
    return Begun(
        operation_id=change.operation_id,
        team_id=change.team_id,
        source=change.source,
        name=name,
        digest=bytes.fromhex(change.request_digest),
    )
