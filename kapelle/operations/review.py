"""What people decide about entries: accept, forget, rate, and settle conflicts."""

from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.domain.errors import InvalidRequest, NotFound, NotYet
from kapelle.operations import writing
from kapelle.operations.results import Rated, Running, Told, Written
from kapelle.services import Services
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


async def rate(request: Feedback, caller: Caller, services: Services) -> Rated:
    entry_id = validation.number("the entry id", request.entry_id)
    if request.vote not in {"helpful", "unhelpful"}:
        raise InvalidRequest("the vote must be helpful or unhelpful")
    async with tenant(services.pool, services.org_id) as conn:
        entry = await entries.get(conn, org_id=services.org_id, team_id=caller.team_id, entry_id=entry_id)
        if entry is None:
            raise NotFound(f"there is no entry {entry_id} in team '{caller.team}'")
        votes = await feedback.vote(
            conn,
            org_id=services.org_id,
            entry_id=entry_id,
            principal=caller.source,
            helpful=request.vote == "helpful",
        )
    return Rated(entry_id=entry_id, helpful=votes.helpful, unhelpful=votes.unhelpful)


async def conflicts(_request: Conflicts, _caller: Caller, _services: Services) -> Told:
    raise NotYet("conflicts are not available yet")


async def resolve(_request: Resolve, _caller: Caller, _services: Services) -> Told:
    raise NotYet("resolving conflicts is not available yet")
