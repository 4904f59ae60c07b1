"""Search a team's memory."""

import logging
from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.operations.results import Found
from kapelle.providers.embeddings import EmbeddingFailed
from kapelle.services import Services
from kapelle.spaces import Query
from kapelle.store import as_of, search
from kapelle.store.pool import tenant

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Find current entries by words and meaning, curated before proposed. An empty kind means any."""

    query: str
    kind: str = ""


async def run(request: Search, caller: Caller, services: Services) -> Found:
    query, kind = validation.query(request.query), validation.kind_or_any(request.kind)
    embedded = await _embedded(query, services)
    asked = search.SearchRequest(
        org_id=services.org_id,
        team_id=caller.team_id,
        query=query,
        vector=embedded.vector if embedded else None,
        model=embedded.model if embedded else "",
        kinds=(kind,) if kind else (),
    )
    if caller.as_of is None:
        hits = await search.find(services.pool, asked)
    else:
        async with tenant(services.pool, services.org_id) as conn:
            hits = await as_of.find(conn, asked, caller.as_of)
    return Found(entries=tuple(hit.entry for hit in hits))


async def _embedded(query: str, services: Services) -> Query | None:
    """Return the query's vector, or None to go by words alone: embeddings are never needed to answer."""
    if not query.strip():
        return None
    try:
        return await services.spaces.query(query)
    except EmbeddingFailed as failed:
        log.warning("searched by words alone", extra={"reason": failed.message})
        return None
