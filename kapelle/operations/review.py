"""What people decide about entries: accept, reject, forget, rate, and settle conflicts."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from kapelle import metrics
from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.domain.entries import Draft, Kind
from kapelle.domain.errors import InvalidRequest, NotFound
from kapelle.domain.ledger import Event
from kapelle.domain.outcomes import Code, Outcome
from kapelle.operations import writing
from kapelle.operations.read import missing
from kapelle.operations.results import InConflict, Listed, Pair, Rated, Running, Told, Written
from kapelle.services import Services
from kapelle.store import conflicts as store
from kapelle.store import entries, feedback, ledger, removal, teams
from kapelle.store.pool import Connection, tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Make a proposed entry curated, or release a quarantined one; with a version, only the text that has it."""

    entry_id: str
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Remove a proposed or quarantined entry, and keep why; with a version, only the text that has it."""

    entry_id: str
    reason: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """List what a maintainer must look at before anyone may read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Show what became of each store when an entry was forgotten or rejected."""

    entry_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Remove an entry for good."""

    entry_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Say that an entry was helpful, or unhelpful. One vote a caller, which can be changed."""

    entry_id: str
    vote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicts:
    """List pairs of entries that may contradict or repeat each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve:
    """Settle a conflict: keep-both, keep-first or keep-second; with a version, only of the texts that have it."""

    conflict_id: str
    decision: str
    version: str = ""


async def accept(request: Accept, caller: Caller, services: Services) -> Written | Running:
    entry_id, seen = validation.number("the entry id", request.entry_id), validation.version(request.version)
    return await writing.accept(services, caller, entry_id, seen=seen)


async def reject(request: Reject, caller: Caller, services: Services) -> Written | Running:
    entry_id, seen = validation.number("the entry id", request.entry_id), validation.version(request.version)
    reason = validation.reason(request.reason)
    if reason:
        reason = writing.scanned(services, caller, Draft(kind=Kind.FACT, title="Rejected", body=reason)).draft.body
    return await writing.reject(services, caller, entry_id, reason=reason, seen=seen)


async def quarantined(_request: Quarantined, caller: Caller, services: Services) -> Listed:
    async with tenant(services.pool, services.org_id) as conn:
        found = await entries.quarantined(conn, org_id=services.org_id, team_id=caller.team_id)
    return Listed(entries=found)


async def receipt(request: Receipt, caller: Caller, services: Services) -> Told:
    entry_id = validation.number("the entry id", request.entry_id)
    async with tenant(services.pool, services.org_id) as conn:
        found = await removal.receipt(conn, org_id=services.org_id, team_id=caller.team_id, entry_id=entry_id)
    if found is None:
        raise NotFound(f"there is no receipt for entry {entry_id} in this team")
    at, lines = found
    return Told(text=f"Entry {entry_id} went at {at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", lines=lines)


async def forget(request: Forget, caller: Caller, services: Services) -> Written | Running:
    return await writing.forget(services, caller, validation.number("the entry id", request.entry_id))


async def rate(request: Feedback, caller: Caller, services: Services) -> Rated:
    entry_id = validation.number("the entry id", request.entry_id)
    if request.vote not in {"helpful", "unhelpful"}:
        raise InvalidRequest("the vote must be helpful or unhelpful")
    once = writing.Once(services=services, caller=caller, name="feedback", arguments=[entry_id, request.vote])
    async with tenant(services.write_pool, services.org_id) as conn:
        # Before anything else, as every write has it: a forgetting holds this lock and waits for the entry's row.
        now = await teams.lock(conn, org_id=services.org_id, team_ids=[caller.team_id])
        if answer := await once.answer(conn):
            return Rated(entry_id=entry_id, helpful=answer.helpful, unhelpful=answer.unhelpful)
        entry = await entries.get(
            conn, org_id=services.org_id, team_id=caller.team_id, entry_id=entry_id, agent_id=caller.agent_id
        )
        if entry is None:
            raise missing(entry_id)
        votes = await feedback.vote(
            conn,
            org_id=services.org_id,
            entry_id=entry_id,
            principal=caller.source,
            helpful=request.vote == "helpful",
        )
        await _note_vote(conn, once, entry_id, now[caller.team_id])
        rated = Rated(entry_id=entry_id, helpful=votes.helpful, unhelpful=votes.unhelpful)
        await once.record(conn, _outcome(rated))
    metrics.count_write(Code.RATED)
    return rated


async def _note_vote(conn: Connection, once: writing.Once, entry_id: int, now: datetime) -> None:
    """Append the event of a vote, which moves the team's revision."""
    org_id, team_id = once.services.org_id, once.caller.team_id
    event = Event(
        memory_id=entry_id,
        event="rated",
        actor=once.caller.source,
        operation_id=once.operation_id or str(uuid.uuid4()),
        happened_at=now,
    )
    await ledger.append(conn, org_id=org_id, events=[(team_id, event)])


def _outcome(rated: Rated) -> Outcome:
    return Outcome(
        code=Code.RATED,
        entry_id=rated.entry_id,
        reason=rated.describe(),
        helpful=rated.helpful,
        unhelpful=rated.unhelpful,
    )


async def conflicts(_request: Conflicts, caller: Caller, services: Services) -> InConflict:
    async with tenant(services.pool, services.org_id) as conn:
        found = await store.open_conflicts(conn, org_id=services.org_id, team_id=caller.team_id)
        parties = await store.entries_of(conn, org_id=services.org_id, team_id=caller.team_id, conflicts=found)
    return InConflict(
        pairs=tuple(
            Pair(
                conflict_id=one.id,
                kind=one.kind,
                score=one.score,
                reasons=one.reasons,
                first=parties[one.first_id],
                second=parties[one.second_id],
            )
            for one in found
        )
    )


async def resolve(request: Resolve, caller: Caller, services: Services) -> Written | Running:
    conflict_id = validation.number("the conflict id", request.conflict_id)
    match request.decision:
        case "keep-both" | "keep-first" | "keep-second" as decision:
            seen = validation.version(request.version)
            return await writing.resolve(services, caller, conflict_id, decision, seen=seen)
        case _:
            raise InvalidRequest("the decision must be keep-both, keep-first or keep-second")
