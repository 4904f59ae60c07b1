"""Search for the write path alone: superseded entries count too, since a new text may repeat or contradict one."""

from kapelle.store.pool import Connection, Pool
from kapelle.store.search import Hit, SearchRequest, search


async def find_with_history(pool: Pool | Connection, request: SearchRequest) -> tuple[Hit, ...]:
    """Return as `find` does, superseded and expired entries included; `Hit.current` tells them apart."""
    return await search(pool, request, history=True)
