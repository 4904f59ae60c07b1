"""Search a team's memory."""

from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.operations.results import Found
from kapelle.services import Services
from kapelle.store import search


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Find current entries by words and meaning, curated before proposed. An empty kind means any."""

    query: str
    kind: str = ""


async def run(request: Search, caller: Caller, services: Services) -> Found:
    kind = validation.kind_or_any(request.kind)
    hits = await search.find(
        services.pool,
        search.SearchRequest(
            org_id=services.org_id,
            team_id=caller.team_id,
            query=validation.query(request.query),
            kinds=(kind,) if kind else (),
        ),
    )
    return Found(entries=tuple(hit.entry for hit in hits))
