"""Plain reads: one entry, the list, an entry's history, an operation's state."""

from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.domain.entries import Status
from kapelle.domain.errors import NotFound
from kapelle.operations.results import History, Listed, Operated, Shown
from kapelle.services import Services
from kapelle.store import as_of, entries, ledger, operations, reasons
from kapelle.store.pool import tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Get:
    """Show one entry."""

    entry_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class List:
    """Show all current entries, curated first, newest first in each status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowHistory:
    """Show what happened to an entry, oldest first."""

    entry_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOperation:
    """Show whether a write is done, and how it ended."""

    operation_id: str


async def get(request: Get, caller: Caller, services: Services) -> Shown:
    entry_id = validation.number("the entry id", request.entry_id)
    async with tenant(services.pool, services.org_id) as conn:
        if caller.as_of is None:
            entry = await entries.get(conn, org_id=services.org_id, team_id=caller.team_id, entry_id=entry_id)
        else:
            stood = await as_of.known(
                conn, org_id=services.org_id, team_id=caller.team_id, moment=caller.as_of, entry_id=entry_id
            )
            entry = stood[0] if stood else None
    if entry is None:
        then = " at that time" if caller.as_of else ""
        raise NotFound(f"there is no entry {entry_id} in this team{then}")
    return Shown(entry=entry)


async def listing(_request: List, caller: Caller, services: Services) -> Listed:
    async with tenant(services.pool, services.org_id) as conn:
        if caller.as_of is not None:
            stood = await as_of.known(conn, org_id=services.org_id, team_id=caller.team_id, moment=caller.as_of)
            return Listed(entries=stood)
        found = await entries.listing(
            conn, org_id=services.org_id, team_id=caller.team_id, statuses=(Status.CURATED, Status.PROPOSED)
        )
    return Listed(entries=found)


async def history(request: ShowHistory, caller: Caller, services: Services) -> History:
    entry_id = validation.number("the entry id", request.entry_id)
    async with tenant(services.pool, services.org_id) as conn:
        events = await ledger.history(conn, org_id=services.org_id, team_id=caller.team_id, entry_id=entry_id)
        reason = await reasons.given(conn, org_id=services.org_id, team_id=caller.team_id, entry_id=entry_id)
    if not events:
        raise NotFound(f"there is no entry {entry_id} in this team")
    return History(entry_id=entry_id, events=events, reason=reason)


async def operation(request: ShowOperation, caller: Caller, services: Services) -> Operated:
    operation_id = validation.operation_id(request.operation_id)
    async with tenant(services.pool, services.org_id) as conn:
        found = await operations.recorded(conn, org_id=services.org_id, operation_ids=[operation_id])
    row = found.get(operation_id)
    if row is None or row.team_id != caller.team_id:
        raise NotFound(f"there is no operation {operation_id} in this team")
    return Operated(operation_id=operation_id, outcome=row.outcome)
