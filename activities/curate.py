"""The decisions on an entry, each in one transaction."""

from datetime import datetime

from temporalio import activity

from activities.decision import decided, note
from activities.turns import Turns
from kapelle.contracts import curate
from kapelle.contracts.curate import Change
from kapelle.domain import digests
from kapelle.domain.callers import is_person
from kapelle.domain.entries import Status
from kapelle.domain.outcomes import Code, Outcome, refused
from kapelle.store import entries, ledger, search
from kapelle.store.entries import Standing
from kapelle.store.operations import Begun
from kapelle.store.pool import Connection, Pool


class CurateActivities(curate.CurateActivities):
    """The decisions on a real store."""

    def __init__(self, pool: Pool, turns: Turns, *, digest_key: str) -> None:
        self._pool = pool
        self._turns = turns
        self._digest_key = digest_key

    @activity.defn(name="curate.accept")
    async def accept(self, change: Change) -> Outcome:
        async def decide(conn: Connection, now: datetime) -> Outcome:
            standing = await _standing(conn, change)
            return await _missing(conn, change) if standing is None else await _accept(conn, change, standing, now)

        return await decided(
            self._pool,
            self._turns,
            _begun(change, "accept"),
            decide,
            org_id=change.org_id,
            team_id=change.team_id,
        )

    @activity.defn(name="curate.forget")
    async def forget(self, change: Change) -> Outcome:
        async def decide(conn: Connection, now: datetime) -> Outcome:
            standing = await _standing(conn, change)
            return await _missing(conn, change) if standing is None else await self._forget(conn, change, standing, now)

        return await decided(
            self._pool,
            self._turns,
            _begun(change, "forget"),
            decide,
            org_id=change.org_id,
            team_id=change.team_id,
        )

    async def _forget(self, conn: Connection, change: Change, standing: Standing, now: datetime) -> Outcome:
        org_id, team_id, entry_id = change.org_id, change.team_id, change.entry_id
        digest = digests.tombstone(self._digest_key, org_id, team_id, standing.text_hash)
        await search.forget(conn, org_id=org_id, team_id=team_id, memory_id=entry_id)
        await entries.delete(conn, org_id=org_id, team_id=team_id, entry_id=entry_id)
        await ledger.bury(conn, org_id=org_id, team_id=team_id, digest=digest, entry_id=entry_id)
        happened = (entry_id, "forgotten", None)
        await note(conn, _begun(change, "forget"), now, happened, org_id=org_id, team_id=team_id)
        return Outcome(code=Code.FORGOTTEN, entry_id=entry_id)


async def _accept(conn: Connection, change: Change, standing: Standing, now: datetime) -> Outcome:
    entry_id = change.entry_id
    if standing.entry.status is Status.CURATED:
        return Outcome(code=Code.ACCEPTED, entry_id=entry_id)
    if not standing.current:
        successor = f"superseded by entry {standing.successor}" if standing.successor else "not current any more"
        return refused(f"entry {entry_id} is {successor}")
    if standing.entry.status is Status.QUARANTINED and not is_person(change.source):
        return refused(f"entry {entry_id} is quarantined; only a person can release it")
    await curate_entry(conn, change.org_id, change.team_id, entry_id, at=now, by=change.source)
    released = standing.entry.status is Status.QUARANTINED
    happened = (entry_id, "released" if released else "accepted", None)
    await note(conn, _begun(change, "accept"), now, happened, org_id=change.org_id, team_id=change.team_id)
    return Outcome(code=Code.ACCEPTED, entry_id=entry_id)


async def curate_entry(conn: Connection, org_id: str, team_id: int, entry_id: int, *, at: datetime, by: str) -> None:
    """Make an entry curated, where it is kept and where it is searched."""
    await entries.curate(conn, org_id=org_id, team_id=team_id, entry_id=entry_id, at=at, by=by)
    await search.set_status(conn, org_id=org_id, team_id=team_id, memory_id=entry_id, status=Status.CURATED)


async def _standing(conn: Connection, change: Change) -> Standing | None:
    found = await entries.standings(conn, org_id=change.org_id, team_ids=[change.team_id], entry_ids=[change.entry_id])
    return found.get(change.entry_id)


async def _missing(conn: Connection, change: Change) -> Outcome:
    org_id, team_id, entry_id = change.org_id, change.team_id, change.entry_id
    if await ledger.was_forgotten(conn, org_id=org_id, team_id=team_id, entry_id=entry_id):
        return refused(f"entry {entry_id} was forgotten")
    return refused(f"there is no entry {entry_id} in this team")


def _begun(change: Change, name: str) -> Begun:
    return Begun(
        operation_id=change.operation_id,
        team_id=change.team_id,
        source=change.source,
        name=name,
        digest=bytes.fromhex(change.request_digest),
    )
