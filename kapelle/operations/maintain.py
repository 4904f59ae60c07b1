"""Upkeep of a team's memory."""

from dataclasses import dataclass

from kapelle.domain.callers import Caller
from kapelle.operations import backfilling
from kapelle.operations.backfilling import Asked
from kapelle.operations.results import Running, Told
from kapelle.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """Embed what has no vector yet: a dry run, unless the mode is "apply"."""

    mode: str = ""


async def backfill(request: Backfill, caller: Caller, services: Services) -> Told | Running:
    asked = Asked(
        source=caller.source,
        team=caller.team,
        team_id=caller.team_id,
        request_id=caller.request_id,
        patience=caller.patience,
    )
    return await backfilling.run(services, asked, request.mode)
