"""What runs by itself on a real store: checkpoints of the ledgers, and what was left to clear."""

import asyncio
import logging
import uuid
from datetime import datetime

from temporalio import activity
from temporalio.client import Client

from activities.removing import clear_histories
from activities.turns import Turns
from kapelle.contracts import upkeep
from kapelle.contracts.upkeep import Kept, Upkeep
from kapelle.domain.ledger import Checkpoint, Event, checkpoint_seal
from kapelle.domain.proof import examine
from kapelle.store import holds, ledger, proof, teams
from kapelle.store.pool import Connection, Pool, snapshot, tenant

log = logging.getLogger(__name__)

ACTOR = "kapelle:upkeep"


class UpkeepActivities(upkeep.UpkeepActivities):
    """The round on a real store."""

    def __init__(self, pool: Pool, turns: Turns, client: Client, *, digest_key: str) -> None:
        self._pool = pool
        self._turns = turns
        self._client = client
        self._key = digest_key

    @activity.defn(name="upkeep.seal")
    async def seal(self, order: Upkeep) -> Kept:
        async with tenant(self._pool, order.org_id) as conn:
            unsealed = await proof.unsealed(conn, org_id=order.org_id)
        broken = tuple([team_id for team_id in unsealed if not await self._sealed(order.org_id, team_id)])
        return Kept(sealed=len(unsealed) - len(broken), broken=broken)

    async def _sealed(self, org_id: str, team_id: int) -> bool:
        async with snapshot(self._pool, org_id) as conn:
            evidence = await proof.evidence(conn, org_id=org_id, team_id=team_id)
        if evidence is None or not evidence.links:
            return True
        if found := await asyncio.to_thread(examine, evidence, self._key):
            log.error("a ledger does not hold", extra={"team_id": team_id, "places": [one.place for one in found[:20]]})
            return False
        async with self._turns.of([team_id]), tenant(self._pool, org_id) as conn:
            now = await teams.lock(conn, org_id=org_id, team_ids=[team_id])
            if team_id in now:
                await self._checkpoint(conn, org_id, team_id, now[team_id])
        return True

    async def _checkpoint(self, conn: Connection, org_id: str, team_id: int, now: datetime) -> None:
        """Seal the chain as it ends now; what came since it was proved is proved by the next round."""
        seq, head = await ledger.head(conn, org_id=org_id, team_id=team_id)
        number = len(await proof.checkpoints(conn, org_id=org_id, team_id=team_id)) + 1
        unsealed = Checkpoint(number=number, seq=seq, hash=head, made_at=now)
        seal = checkpoint_seal(self._key, org_id, team_id, unsealed)
        sealed = Checkpoint(number=number, seq=seq, hash=head, made_at=now, seal=seal)
        await proof.seal(conn, org_id=org_id, team_id=team_id, checkpoint=sealed)
        event = Event(
            # An event of the ledger itself is no entry's.
            memory_id=0,
            event="checkpointed",
            actor=ACTOR,
            operation_id=str(uuid.uuid4()),
            happened_at=now,
            text_digest=seal,
        )
        await ledger.append(conn, org_id=org_id, events=[(team_id, event)])

    @activity.defn(name="upkeep.sweep")
    async def sweep(self, order: Upkeep) -> Kept:
        async with tenant(self._pool, order.org_id) as conn:
            released = await holds.release(conn, org_id=order.org_id)
            found = await teams.listing(conn, org_id=order.org_id, person_id=None)
        histories = 0
        for team in found:
            gone, _ = await clear_histories(self._pool, self._client, org_id=order.org_id, team_id=team.team_id)
            histories += gone
        return Kept(histories=histories, released=released)
