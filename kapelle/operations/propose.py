"""Propose what was learnt, for review."""

from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.operations.results import Running, Written
from kapelle.operations.writing import write
from kapelle.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Propose:
    """Propose an entry, whoever asks. Tags are separated by commas."""

    kind: str
    title: str
    body: str
    tags: str = ""


async def run(request: Propose, caller: Caller, services: Services) -> Written | Running:
    draft = validation.draft(request.kind, request.title, request.body, request.tags)
    return await write(services, caller, "propose", draft)
