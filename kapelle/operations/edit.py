"""Replace an entry by a better one."""

from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.operations.results import Running, Written
from kapelle.operations.writing import Place, write
from kapelle.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Add a curated entry that supersedes another; the old one stays as it was. Tags are separated by commas."""

    entry_id: str
    kind: str
    title: str
    body: str
    tags: str = ""


async def run(request: Edit, caller: Caller, services: Services) -> Written | Running:
    entry_id = validation.number("the entry id", request.entry_id)
    draft = validation.draft(request.kind, request.title, request.body, request.tags)
    return await write(services, caller, "edit", draft, Place(replaces=entry_id))
