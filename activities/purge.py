"""Purges on a real store: each entry goes as if it were forgotten alone."""

from dataclasses import replace

from temporalio import activity
from temporalio.client import Client

from activities.admission import repeated
from activities.removing import Remover, clear_histories
from activities.turns import Turns
from kapelle.contracts import purge
from kapelle.contracts.purge import Purge, Purged
from kapelle.domain.outcomes import Code, Outcome, conflict
from kapelle.store import entries, holds, operations, purges, teams
from kapelle.store.operations import Begun
from kapelle.store.pool import Connection, Pool, tenant

AT_ONCE = 50


class PurgeActivities(purge.PurgeActivities):
    """The steps on a real store."""

    def __init__(self, pool: Pool, turns: Turns, client: Client, *, digest_key: str) -> None:
        self._pool = pool
        self._turns = turns
        self._client = client
        self._key = digest_key

    @activity.defn(name="purge.some")
    async def some(self, so_far: Purged) -> Purged:
        of = so_far.purge
        async with tenant(self._pool, of.org_id) as conn:
            found = await purges.page(conn, org_id=of.org_id, team_id=of.team_id, source=of.written_by, limit=AT_ONCE)
            standing = await holds.covering(
                conn, org_id=of.org_id, team_id=of.team_id, source=of.written_by, narrower=True
            )
            if of.written_by:
                await purges.drop_votes(conn, org_id=of.org_id, team_id=of.team_id, principal=of.written_by)
        if standing:
            return replace(so_far, obstacle=f"hold {standing[0].id} on {standing[0].on} stands in the way")
        for team_id in sorted({team_id for team_id, _ in found}):
            await self._forget(of, team_id, [entry_id for owner, entry_id in found if owner == team_id])
        return replace(so_far, forgotten=so_far.forgotten + len(found))

    async def _forget(self, of: Purge, team_id: int, entry_ids: list[int]) -> None:
        async with self._turns.of([team_id]), tenant(self._pool, of.org_id) as conn:
            now = await teams.lock(conn, org_id=of.org_id, team_ids=[team_id])
            found = await entries.removable(conn, org_id=of.org_id, team_id=team_id, entry_ids=entry_ids)
            remover = Remover(key=self._key, org_id=of.org_id)
            for standing in found:
                await remover.remove(conn, _begun(of), standing, now[team_id], "forgotten")
        for entry_id in entry_ids:
            await clear_histories(self._pool, self._client, org_id=of.org_id, team_id=team_id, entry_id=entry_id)

    @activity.defn(name="purge.finish")
    async def finish(self, purged: Purged) -> Outcome:
        of = purged.purge
        async with tenant(self._pool, of.org_id) as conn:
            recorded = await operations.recorded(conn, org_id=of.org_id, operation_ids=[of.operation_id])
            if answer := repeated(_begun(of), recorded):
                return answer
            outcome = _outcome(purged)
            await self._record(conn, of, outcome)
        return outcome

    async def _record(self, conn: Connection, of: Purge, outcome: Outcome) -> None:
        workflow_id = activity.info().workflow_id or ""
        await operations.finish(conn, org_id=of.org_id, finished=[(_begun(of), outcome)], workflow_id=workflow_id)


def _outcome(purged: Purged) -> Outcome:
    entries = "1 entry" if purged.forgotten == 1 else f"{purged.forgotten} entries"
    if purged.obstacle:
        return conflict(f"{entries} of {purged.purge.on} forgotten, then {purged.obstacle}")
    return Outcome(code=Code.TOLD, reason=f"{entries} of {purged.purge.on} forgotten.")


def _begun(of: Purge) -> Begun:
    return Begun(
        operation_id=of.operation_id,
        team_id=of.asked_in,
        source=of.source,
        name="purge",
        digest=bytes.fromhex(of.request_digest),
    )
