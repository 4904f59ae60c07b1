"""Operations on their way: how far one is, taking one back, and those that have not ended."""

from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.domain.errors import Conflict, NotAllowed, NotFound
from kapelle.operations.results import Operated, Unfinished
from kapelle.services import Services
from kapelle.store import operations
from kapelle.store.operations import Recorded
from kapelle.store.pool import tenant

# What has not ended after this many seconds is stuck, unless the caller says otherwise.
STUCK_SECONDS = 60
# Operations that have a workflow to themselves whatever else is under way, so that it can be stopped with them.
ALONE = frozenset({"backfill"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOperation:
    """Show whether a write is done, and how it ended."""

    operation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Take back an operation that has not ended."""

    operation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """List operations that have not ended after some seconds, the oldest first."""

    seconds: str = ""


async def show(request: ShowOperation, caller: Caller, services: Services) -> Operated:
    row = await _visible(request.operation_id, caller, services)
    return operated(row, await state_of(row, services))


async def cancel(request: Cancel, caller: Caller, services: Services) -> Operated:
    row = await _visible(request.operation_id, caller, services)
    if row.source != caller.source and not caller.maintains:
        raise NotAllowed("an operation is cancelled by whoever began it, or by a maintainer")
    async with tenant(services.pool, services.org_id) as conn:
        taken_back = await operations.cancel(
            conn, org_id=services.org_id, team_id=caller.team_id, operation_id=row.operation_id
        )
    ended = await _visible(row.operation_id, caller, services)
    if not taken_back and ended.state != "cancelled":
        raise Conflict(f"operation {row.operation_id} has ended already, and cannot be cancelled")
    if row.name in ALONE:
        await services.writer.stop(row.workflow_id)
    return operated(ended, ended.state)


async def stuck(request: Stuck, caller: Caller, services: Services) -> Unfinished:
    seconds = validation.number("the number of seconds", request.seconds) if request.seconds else STUCK_SECONDS
    if not caller.maintains:
        raise NotAllowed("the operations of a team are listed for its maintainers")
    async with tenant(services.pool, services.org_id) as conn:
        rows = await operations.unfinished(
            conn, org_id=services.org_id, team_id=caller.team_id, older_than=min(seconds, validation.LONGEST_SECONDS)
        )
    return Unfinished(operations=tuple(operated(row, row.state) for row in rows))


async def state_of(row: Recorded, services: Services) -> str:
    """Return how far an operation is, with what Temporal knows of one that the ledger shows as running."""
    if row.finished_at is not None:
        return row.state
    state = await services.writer.state_of(row.workflow_id)
    # It ended a moment ago, and the row that was read before does not say so yet.
    return "running" if state == "succeeded" else state


def operated(row: Recorded, state: str) -> Operated:
    return Operated(
        operation_id=row.operation_id,
        name=row.name,
        state=state,
        started_at=row.started_at,
        finished_at=row.finished_at,
        outcome=row.outcome,
    )


async def _visible(text: str, caller: Caller, services: Services) -> Recorded:
    """Return an operation of the team; an agent sees its own ones only."""
    operation_id = validation.operation_id(text)
    async with tenant(services.pool, services.org_id) as conn:
        found = await operations.recorded(conn, org_id=services.org_id, operation_ids=[operation_id])
    row = found.get(operation_id)
    is_others = row is not None and caller.is_agent and row.source != caller.source
    if row is None or row.team_id != caller.team_id or is_others:
        raise NotFound(f"there is no operation {operation_id} in this team")
    return row
