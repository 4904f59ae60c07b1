"""The entries that a caller needs most, from memory if nothing has changed."""

from dataclasses import dataclass

from kapelle.domain.callers import Caller
from kapelle.domain.errors import Unavailable
from kapelle.operations.results import Listed
from kapelle.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Hot:
    """Show the best curated entries, and the caller's own: pinned, then by use and freshness."""


async def run(_request: Hot, caller: Caller, services: Services) -> Listed:
    if caller.revision is None or caller.let_in_at is None:
        raise Unavailable("it is not known how new the memory is")
    found = await services.hot.best(
        team_id=caller.team_id, source=caller.source, revision=caller.revision, now=caller.let_in_at
    )
    return Listed(entries=found)
