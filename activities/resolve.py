"""Settles conflicts, each in one transaction."""

from datetime import datetime

from temporalio import activity

from activities.curate import curate_entry
from activities.decision import decided, note
from activities.turns import Turns
from kapelle.contracts import resolve
from kapelle.contracts.resolve import Resolution
from kapelle.domain.entries import Status
from kapelle.domain.outcomes import Code, Outcome, missing, refused
from kapelle.domain.outcomes import conflict as conflicting
from kapelle.store import conflicts, entries, search
from kapelle.store.conflicts import Conflict
from kapelle.store.operations import Begun
from kapelle.store.pool import Connection, Pool


class ResolveActivities(resolve.ResolveActivities):
    """The decision on a real store."""

    def __init__(self, pool: Pool, turns: Turns) -> None:
        self._pool = pool
        self._turns = turns

    @activity.defn(name="resolve.settle")
    async def settle(self, resolution: Resolution) -> Outcome:
        async def decide(conn: Connection, now: datetime) -> Outcome:
            conflict = await conflicts.get(
                conn, org_id=resolution.org_id, team_id=resolution.team_id, conflict_id=resolution.conflict_id
            )
            return await _settle(conn, resolution, conflict, now)

        return await decided(
            self._pool,
            self._turns,
            _begun(resolution),
            decide,
            org_id=resolution.org_id,
            team_id=resolution.team_id,
        )


async def _settle(conn: Connection, resolution: Resolution, conflict: Conflict | None, now: datetime) -> Outcome:
    if conflict is None:
        return missing(f"there is no conflict {resolution.conflict_id} in this team")
    if conflict.resolution is not None and conflict.resolution != resolution.decision:
        return conflicting(f"conflict {conflict.id} was resolved as {conflict.resolution} by {conflict.resolved_by}")
    outcome = _outcome(conflict, resolution)
    if conflict.resolution is not None:
        return outcome
    if moved := await _moved(conn, resolution, conflict):
        return moved
    if outcome.code is Code.KEPT_BOTH:
        await _keep_both(conn, resolution, conflict, now)
    elif blocked := await _keep_one(conn, resolution, outcome, now):
        return blocked
    await conflicts.resolve(
        conn,
        org_id=resolution.org_id,
        team_id=resolution.team_id,
        conflict_id=conflict.id,
        resolution=resolution.decision,
        by=resolution.source,
        at=now,
    )
    return outcome


async def _moved(conn: Connection, resolution: Resolution, conflict: Conflict) -> Outcome | None:
    """Return why the entries are not those that the caller looked at."""
    ids = [conflict.first_id, conflict.second_id]
    found = await entries.standings(conn, org_id=resolution.org_id, team_ids=[resolution.team_id], entry_ids=ids)
    for entry_id in ids:
        successor = found[entry_id].successor if entry_id in found else None
        if resolution.seen and successor is not None and successor not in ids:
            by = found[entry_id].superseded_by
            return conflicting(f"entry {entry_id} was superseded by entry {successor} of {by}; look again")
    seen = "-".join(found[entry_id].entry.version for entry_id in ids if entry_id in found)
    if resolution.seen and resolution.seen != seen:
        return conflicting(f"the entries of conflict {conflict.id} are not as you saw them; look again")
    return None


def _outcome(conflict: Conflict, resolution: Resolution) -> Outcome:
    kept, other = conflict.first_id, conflict.second_id
    if resolution.decision == "keep-second":
        kept, other = other, kept
    code = Code.KEPT_BOTH if resolution.decision == "keep-both" else Code.RESOLVED
    return Outcome(code=code, entry_id=kept, other_id=other, conflict_id=conflict.id)


async def _keep_both(conn: Connection, resolution: Resolution, conflict: Conflict, now: datetime) -> None:
    first, second = conflict.first_id, conflict.second_id
    await conflicts.relate(conn, org_id=resolution.org_id, from_id=second, to_id=first, at=now)
    happened = ((first, "resolved", second), (second, "resolved", first))
    await note(conn, _begun(resolution), now, *happened, org_id=resolution.org_id, team_id=resolution.team_id)


async def _keep_one(conn: Connection, resolution: Resolution, outcome: Outcome, now: datetime) -> Outcome | None:
    """Let the kept entry supersede the other, and accept it if it was only proposed. Says why, if that cannot be."""
    org_id, team_id = resolution.org_id, resolution.team_id
    kept_id, other_id = outcome.entry_id or 0, outcome.other_id or 0
    found = await entries.standings(conn, org_id=org_id, team_ids=[team_id], entry_ids=[kept_id, other_id])
    kept, other = found.get(kept_id), found.get(other_id)
    if kept is None or other is None or not kept.current:
        return refused(f"entry {kept_id} is not current any more, so it cannot be the one that is kept")
    if Status.QUARANTINED in (kept.entry.status, other.entry.status):
        return refused("one of the entries is quarantined; decide on that first")
    happened: list[tuple[int, str, int | None]] = [(kept_id, "resolved", other_id)]
    if kept.entry.status is Status.PROPOSED:
        await curate_entry(conn, org_id, team_id, kept_id, at=now, by=resolution.source)
        happened.append((kept_id, "accepted", None))
    if other.current:
        await search.retire(conn, org_id=org_id, team_id=team_id, memory_id=other_id)
        await entries.link_successors(conn, org_id=org_id, pairs=[(kept_id, other_id, now)])
        happened.append((other_id, "superseded", kept_id))
    await note(conn, _begun(resolution), now, *happened, org_id=org_id, team_id=team_id)
    return None


def _begun(resolution: Resolution) -> Begun:
    return Begun(
        operation_id=resolution.operation_id,
        team_id=resolution.team_id,
        source=resolution.source,
        name="resolve",
        digest=bytes.fromhex(resolution.request_digest),
    )
