"""What every decision shares: the team's lock, the answer to a repeated request, the record of the outcome."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from temporalio import activity

from activities.admission import repeated
from activities.turns import Turns
from kapelle.domain.ledger import Event
from kapelle.domain.outcomes import Outcome, refused
from kapelle.store import ledger, operations, teams
from kapelle.store.operations import Begun
from kapelle.store.pool import Connection, Pool, tenant

Decide = Callable[[Connection, datetime], Awaitable[Outcome]]


async def decided(pool: Pool, turns: Turns, begun: Begun, decide: Decide, *, org_id: str, team_id: int) -> Outcome:
    """Run `decide` under the team's lock in one transaction with the record of its outcome.

    A request that was made before gets its answer again, and `decide` does not run.
    """
    async with turns.of([team_id]), tenant(pool, org_id) as conn:
        now = await teams.lock(conn, org_id=org_id, team_ids=[team_id])
        recorded = await operations.recorded(conn, org_id=org_id, operation_ids=[begun.operation_id])
        if answer := repeated(begun, recorded):
            return answer
        if team_id not in now:
            return refused("the team does not exist any more")
        outcome = await decide(conn, now[team_id])
        await operations.finish(
            conn, org_id=org_id, finished=[(begun, outcome)], workflow_id=activity.info().workflow_id or ""
        )
    return outcome


async def note(
    conn: Connection,
    begun: Begun,
    now: datetime,
    *happened: tuple[int, str, int | None],
    org_id: str,
    team_id: int,
    digest: bytes | None = None,
) -> None:
    """Append events, each an entry, what happened, and the other entry.

    `digest` is the tombstone's, of events by which a text goes.
    """
    events = [
        (
            team_id,
            Event(
                memory_id=entry_id,
                event=event,
                other_id=other_id,
                actor=begun.source,
                operation_id=begun.operation_id,
                happened_at=now,
                text_digest=digest,
            ),
        )
        for entry_id, event, other_id in happened
    ]
    await ledger.append(conn, org_id=org_id, events=events)
