"""Plain reads: one entry, the list, an entry's history."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.domain.entries import Entry, Record, Status
from kapelle.domain.errors import NotFound
from kapelle.operations.results import Doubt, History, Listed, Shown
from kapelle.services import Services
from kapelle.store import as_of, conflicts, entries, ledger, reasons, records
from kapelle.store.pool import Connection, tenant
from kapelle.store.records import Filter


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


async def get(request: Get, caller: Caller, services: Services) -> Shown:
    entry_id = validation.number("the entry id", request.entry_id)
    async with tenant(services.pool, services.org_id) as conn:
        if caller.as_of is not None:
            stood = await as_of.known(
                conn, org_id=services.org_id, team_id=caller.team_id, moment=caller.as_of, entry_id=entry_id
            )
            if not stood:
                raise missing(entry_id, " at that time")
            return Shown(entry=stood[0])
        entry = await entries.get(conn, org_id=services.org_id, team_id=caller.team_id, entry_id=entry_id)
        if entry is None:
            raise missing(entry_id)
        return Shown(entry=entry, doubts=await _doubts(conn, entry_id, caller, services))


async def doubts(entry_id: int, caller: Caller, services: Services) -> tuple[Doubt, ...]:
    """Return the open conflicts of an entry, the most pressing first."""
    async with tenant(services.pool, services.org_id) as conn:
        return await _doubts(conn, entry_id, caller, services)


async def _doubts(conn: Connection, entry_id: int, caller: Caller, services: Services) -> tuple[Doubt, ...]:
    found = await conflicts.open_conflicts(conn, org_id=services.org_id, team_id=caller.team_id, entry_id=entry_id)
    return tuple(
        Doubt(
            conflict_id=one.id,
            kind=one.kind,
            score=one.score,
            reasons=one.reasons,
            other_id=one.second_id if one.first_id == entry_id else one.first_id,
        )
        for one in found
    )


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


async def record(entry_id: int, caller: Caller, services: Services) -> Record:
    """Return all that is kept of an entry, also of one that is not current any more.

    Raises:
        NotFound: there is none that the caller may see.
    """
    if caller.as_of is not None:
        shown = await get(Get(entry_id=str(entry_id)), caller, services)
        found = await _as_they_stood([shown.entry], caller, services)
    else:
        found = tuple((await records_of([entry_id], caller, services)).values())
    if not found:
        raise missing(entry_id)
    return found[0]


async def records_of(entry_ids: Sequence[int], caller: Caller, services: Services) -> dict[int, Record]:
    """Return all that is kept of those of these entries that the caller may see, by id."""
    async with tenant(services.pool, services.org_id) as conn:
        return await records.by_ids(
            conn, org_id=services.org_id, team_id=caller.team_id, agent_id=caller.agent_id, entry_ids=entry_ids
        )


async def page(
    wanted: Filter, before: int | None, limit: int, caller: Caller, services: Services
) -> tuple[Record, ...]:
    """Return the newest current entries that the caller may see, of those before an id.

    Of a past moment, `caller.as_of`, those of the team that stood then, as they stood.
    """
    if caller.as_of is not None:
        return await _past_page(wanted, before, limit, caller, caller.as_of, services)
    async with tenant(services.pool, services.org_id) as conn:
        return await records.page(
            conn,
            org_id=services.org_id,
            team_id=caller.team_id,
            agent_id=caller.agent_id,
            wanted=wanted,
            before=before,
            limit=limit,
        )


async def _past_page(
    wanted: Filter, before: int | None, limit: int, caller: Caller, moment: datetime, services: Services
) -> tuple[Record, ...]:
    async with tenant(services.pool, services.org_id) as conn:
        stood = await as_of.known(conn, org_id=services.org_id, team_id=caller.team_id, moment=moment)
    fitting = [entry for entry in stood if wanted.lets_pass(entry) and (before is None or entry.id < before)]
    return await _as_they_stood(sorted(fitting, key=lambda entry: -entry.id)[:limit], caller, services)


async def _as_they_stood(stood: Sequence[Entry], caller: Caller, services: Services) -> tuple[Record, ...]:
    found = await records_of([entry.id for entry in stood], caller, services)
    return tuple(replace(found[entry.id], entry=entry) for entry in stood if entry.id in found)


def missing(entry_id: int, when: str = "") -> NotFound:
    """Return what a caller is told of an entry that is not there, or not for them: no word tells the two apart."""
    return NotFound(f"there is no entry {entry_id} in this team{when}")
