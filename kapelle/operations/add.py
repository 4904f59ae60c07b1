"""Add an entry that needs no review."""

from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.operations.results import Running, Written
from kapelle.operations.writing import write
from kapelle.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    """Add a curated entry; what is only proposed so far is accepted by it. Tags are separated by commas."""

    kind: str
    title: str
    body: str
    tags: str = ""


async def run(request: Add, caller: Caller, services: Services) -> Written | Running:
    draft = validation.draft(request.kind, request.title, request.body, request.tags)
    return await write(services, caller, "add", draft)
