"""A team's exports that happen by themselves."""

from dataclasses import dataclass

from kapelle.contracts.export import Due
from kapelle.domain.callers import Claim
from kapelle.domain.errors import InvalidRequest
from kapelle.operations.results import Told
from kapelle.operations.team import managed
from kapelle.services import Services
from kapelle.store import teams
from kapelle.store.pool import tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleExports:
    """Export the team's memory as a pull request daily or weekly, if it has changed; or only on request: off."""

    slug: str
    every: str


async def schedule_exports(request: ScheduleExports, claim: Claim, services: Services) -> Told:
    if request.every not in {"daily", "weekly", "off"}:
        raise InvalidRequest("the schedule must be daily, weekly or off")
    team_id = await managed(services, claim, request.slug)
    match request.every:
        case "daily" | "weekly" as every:
            due = Due(org_id=services.org_id, team_id=team_id, team=request.slug)
            await services.exporter.schedule(due, every)
        case _:
            await services.exporter.unschedule(services.org_id, team_id)
    kept = None if request.every == "off" else request.every
    async with tenant(services.pool, services.org_id) as conn:
        await teams.set_export_schedule(conn, org_id=services.org_id, team_id=team_id, every=kept)
    return Told(text=f"Exports of team {request.slug}: {request.every}.")
