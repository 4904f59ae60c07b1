"""A team's memory as lines of JSON that an import reads back without loss."""

from dataclasses import dataclass

from kapelle.domain import portable, validation
from kapelle.domain.callers import Caller
from kapelle.operations.results import Told
from kapelle.services import Services
from kapelle.store import portable as store
from kapelle.store.pool import tenant

ENTRIES_A_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportLines:
    """Return the team's entries with their past as lines of JSON, oldest first; with an id, those after it."""

    after: str = ""


async def run(request: ExportLines, caller: Caller, services: Services) -> Told:
    after = 0 if request.after in {"", "0"} else validation.number("after", request.after)
    async with tenant(services.pool, services.org_id) as conn:
        found = await store.page(
            conn, org_id=services.org_id, team_id=caller.team_id, after=after, limit=ENTRIES_A_PAGE
        )
    count = "1 entry" if len(found) == 1 else f"{len(found)} entries"
    return Told(text=f"{count} exported", lines=tuple(map(portable.written, found)))
