"""Legal holds: placed, shown and lifted by admins."""

from dataclasses import dataclass
from datetime import UTC

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.domain.errors import InvalidRequest, NotFound
from kapelle.operations import scopes
from kapelle.operations.results import Told
from kapelle.services import Services
from kapelle.store import holds
from kapelle.store.holds import Hold
from kapelle.store.pool import tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Keep what is forgotten of an agent, a team or the org, out of everybody's reach."""

    scope: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """List the legal holds of the org."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """Lift a legal hold, and remove the copies that no other covers."""

    hold_id: str


async def place(request: Place, caller: Caller, services: Services) -> Told:
    reason = validation.reason(request.reason)
    if not reason:
        raise InvalidRequest("the reason is empty")
    async with tenant(services.pool, services.org_id) as conn:
        scope = await scopes.read(conn, request.scope, request.name, caller, services)
        hold_id = await holds.place(
            conn,
            org_id=services.org_id,
            team_id=scope.team_id,
            agent_id=scope.agent_id,
            reason=reason,
            by=caller.source,
        )
    return Told(text=f"Hold {hold_id} placed on {scope.on}.")


async def show(_request: Show, _caller: Caller, services: Services) -> Told:
    async with tenant(services.pool, services.org_id) as conn:
        found = await holds.covering(conn, org_id=services.org_id, team_id=None, source=None, narrower=True)
    return Told(text="1 hold" if len(found) == 1 else f"{len(found)} holds", lines=tuple(map(_line, found)))


def _line(hold: Hold) -> str:
    since = f"{hold.placed_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return f"Hold {hold.id} on {hold.on} since {since} by {hold.placed_by}: {hold.reason}"


async def lift(request: Lift, _caller: Caller, services: Services) -> Told:
    hold_id = validation.number("the hold id", request.hold_id)
    async with tenant(services.pool, services.org_id) as conn:
        if not await holds.lift(conn, org_id=services.org_id, hold_id=hold_id):
            raise NotFound(f"there is no hold {hold_id}")
        removed = await holds.release(conn, org_id=services.org_id)
    copies = "1 kept copy" if removed == 1 else f"{removed} kept copies"
    return Told(text=f"Hold {hold_id} lifted, {copies} removed.")
