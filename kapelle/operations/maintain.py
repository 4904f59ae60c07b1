"""Upkeep of a team's memory."""

from dataclasses import dataclass

from kapelle.domain.callers import Caller
from kapelle.domain.errors import NotYet
from kapelle.operations.results import Told
from kapelle.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """Embed what has no vector yet: a dry run, unless the mode is "apply"."""

    mode: str = ""


async def backfill(_request: Backfill, _caller: Caller, _services: Services) -> Told:
    raise NotYet("the backfill of embeddings is not available yet")
