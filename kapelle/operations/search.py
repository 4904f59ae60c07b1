"""Search a team's memory."""

import logging
from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.domain.entries import Kind
from kapelle.domain.rules import ranking
from kapelle.operations.results import Found
from kapelle.providers.embeddings import EmbeddingFailed
from kapelle.services import Services
from kapelle.spaces import Query
from kapelle.store import as_of, search
from kapelle.store.pool import tenant
from kapelle.store.search import DEFAULT_LIMIT, Hit

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Find current entries by words and meaning, curated before proposed. An empty kind means any."""

    query: str
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to look for, beyond what the command can say."""

    kinds: tuple[Kind, ...] = ()
    # All of them.
    tags: tuple[str, ...] = ()
    limit: int = DEFAULT_LIMIT
    include_proposed: bool = True
    # Least relevance, 0..1, of hits that were compared by vector.
    min_similarity: float = ranking.JUNK


async def run(request: Search, caller: Caller, services: Services) -> Found:
    kind = validation.kind_or_any(request.kind)
    hits = await look(request.query, Wanted(kinds=(kind,) if kind else ()), caller, services)
    return Found(entries=tuple(hit.entry for hit in hits), clear=tuple(hit.why.clear for hit in hits))


async def look(text: str, wanted: Wanted, caller: Caller, services: Services) -> tuple[Hit, ...]:
    """Find what the caller may see, best first, each with the reasons for its place.

    Raises:
        InvalidRequest: the query is over the limit.
    """
    query = validation.query(text)
    embedded = await _embedded(query, services)
    asked = search.SearchRequest(
        org_id=services.org_id,
        team_id=caller.team_id,
        agent_id=caller.agent_id,
        query=query,
        vector=embedded.vector if embedded else None,
        model=embedded.model if embedded else "",
        kinds=wanted.kinds,
        tags=wanted.tags,
        limit=wanted.limit,
        include_proposed=wanted.include_proposed,
        min_score=wanted.min_similarity,
    )
    if caller.as_of is None:
        return await search.find(services.pool, asked)
    async with tenant(services.pool, services.org_id) as conn:
        return await as_of.find(conn, asked, caller.as_of)


async def _embedded(query: str, services: Services) -> Query | None:
    """Return the query's vector, or None to go by words alone: embeddings are never needed to answer."""
    if not query.strip():
        return None
    try:
        return await services.spaces.query(query)
    except EmbeddingFailed as failed:
        log.warning("searched by words alone", extra={"reason": failed.message})
        return None
