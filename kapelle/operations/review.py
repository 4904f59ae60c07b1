"""What people decide about entries: accept, forget, rate, and settle conflicts."""

from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.domain.errors import InvalidRequest, NotFound
from kapelle.domain.outcomes import Code, Outcome
from kapelle.operations import writing
from kapelle.operations.results import InConflict, Pair, Rated, Running, Written
from kapelle.services import Services
from kapelle.store import conflicts as store
from kapelle.store import entries, feedback
from kapelle.store.pool import tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Make a proposed entry curated."""

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
    """Settle a conflict: keep-both, keep-first or keep-second."""

    conflict_id: str
    decision: str


async def accept(request: Accept, caller: Caller, services: Services) -> Written | Running:
    return await writing.accept(services, caller, validation.number("the entry id", request.entry_id))


async def forget(request: Forget, caller: Caller, services: Services) -> Written | Running:
    return await writing.forget(services, caller, validation.number("the entry id", request.entry_id))


async def rate(request: Feedback, caller: Caller, services: Services) -> Rated | Written:
    entry_id = validation.number("the entry id", request.entry_id)
    if request.vote not in {"helpful", "unhelpful"}:
        raise InvalidRequest("the vote must be helpful or unhelpful")
    once = writing.Once(services=services, caller=caller, name="feedback", arguments=[entry_id, request.vote])
    async with tenant(services.pool, services.org_id) as conn:
        if answer := await once.answer(conn):
            return Written(outcome=answer)
        entry = await entries.get(conn, org_id=services.org_id, team_id=caller.team_id, entry_id=entry_id)
        if entry is None:
            raise NotFound(f"there is no entry {entry_id} in this team")
        votes = await feedback.vote(
            conn,
            org_id=services.org_id,
            entry_id=entry_id,
            principal=caller.source,
            helpful=request.vote == "helpful",
        )
        rated = Rated(entry_id=entry_id, helpful=votes.helpful, unhelpful=votes.unhelpful)
        await once.record(conn, Outcome(code=Code.RATED, entry_id=entry_id, reason=rated.describe()))
    return rated


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
            return await writing.resolve(services, caller, conflict_id, decision)
        case _:
            raise InvalidRequest("the decision must be keep-both, keep-first or keep-second")
