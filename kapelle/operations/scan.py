"""Show what the scan would say of a text, and store nothing."""

from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Caller
from kapelle.domain.entries import Kind
from kapelle.domain.scan import describe
from kapelle.operations.results import Told
from kapelle.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """Scan a title, a body and tags as a write would. Tags are separated by commas."""

    title: str
    body: str
    tags: str = ""


async def run(request: Scan, caller: Caller, services: Services) -> Told:
    draft = validation.draft(Kind.FACT, request.title, request.body, request.tags)
    verdict = services.verdicts.look(draft, caller.policy)
    judged = (
        ("refused", verdict.refused),
        ("quarantined", verdict.quarantined),
        ("redacted", verdict.redacted),
        ("flagged", verdict.flags),
    )
    lines = tuple(f"{what}: {describe((finding,))}" for what, findings in judged for finding in findings)
    # The first that applies decides what becomes of the text.
    fate = next((what for what, findings in judged if findings), "stored as it is")
    count = "1 finding" if len(lines) == 1 else f"{len(lines)} findings"
    return Told(text=f"{count}: it would be {fate}", lines=lines)
