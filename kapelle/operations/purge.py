"""Forget all of an agent, a team or the org: a dry run, unless the mode is "apply"."""

from dataclasses import dataclass

from kapelle.domain.callers import Caller
from kapelle.domain.errors import Conflict, InvalidRequest
from kapelle.operations import scopes, writing
from kapelle.operations.results import Running, Told, Written
from kapelle.services import Services
from kapelle.store import holds, purges
from kapelle.store.pool import tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """Forget all of an agent, a team or the org; only say what would go, unless the mode is "apply"."""

    scope: str
    name: str
    mode: str = ""


async def run(request: Purge, caller: Caller, services: Services) -> Told | Written | Running:
    if request.mode not in {"", "apply"}:
        raise InvalidRequest("the mode is nothing, or 'apply'")
    async with tenant(services.pool, services.org_id) as conn:
        scope = await scopes.read(conn, request.scope, request.name, caller, services)
        standing = await holds.covering(
            conn, org_id=services.org_id, team_id=scope.team_id, source=scope.source, narrower=True
        )
        counted = await purges.count(conn, org_id=services.org_id, team_id=scope.team_id, source=scope.source)
    if standing:
        raise Conflict(f"hold {standing[0].id} on {standing[0].on} stands in the way: {standing[0].reason}")
    if request.mode == "apply":
        return await writing.purge(services, caller, team_id=scope.team_id, source=scope.source, on=scope.on)
    lines = tuple(f"team {slug}: {_entries(number)}" for slug, number in counted)
    return Told(text=f"{_entries(sum(number for _, number in counted))} of {scope.on} would be forgotten", lines=lines)


def _entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number} entries"
