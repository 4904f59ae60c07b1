"""The routes of curation: accept, reject, supersede, what is quarantined, conflicts."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Response

from kapelle.adapters.http import writes
from kapelle.adapters.http.answers import (
    ConflictAnswer,
    ConflictsAnswer,
    HeldEntryAnswer,
    QuarantinedAnswer,
    WriteAnswer,
)
from kapelle.adapters.http.bodies import AcceptBody, RejectBody, ResolveBody, Text
from kapelle.adapters.http.faults import documented
from kapelle.adapters.http.memories import ACCEPTED, EntryId
from kapelle.adapters.http.visitors import Admin, Curator, Reader, require_own
from kapelle.domain import validation
from kapelle.operations import review, writing
from kapelle.operations.writing import Place

router = APIRouter(prefix="/v1", tags=["review"])

ConflictId = Annotated[int, Path(ge=1, le=validation.LARGEST_ID, examples=[3])]


@router.post(
    "/memories/{memory_id:int}/accept",
    summary="Accept a proposed entry",
    responses={**ACCEPTED, **documented(409, 413)},
)
async def accept(
    memory_id: EntryId, visitor: Curator, response: Response, body: AcceptBody | None = None
) -> WriteAnswer:
    """Make a proposed entry curated, or release a quarantined one. The second time it answers the same."""
    said = body or AcceptBody()
    require_own(visitor, said)
    request = review.Accept(entry_id=str(memory_id), version=said.version or "")
    return writes.show(response, await review.accept(request, visitor.caller, visitor.services))


@router.post(
    "/memories/{memory_id:int}/reject",
    summary="Reject a proposed or quarantined entry",
    responses={**ACCEPTED, **documented(409, 413)},
)
async def reject(
    memory_id: EntryId, visitor: Curator, response: Response, body: RejectBody | None = None
) -> WriteAnswer:
    """Remove the text of an entry that was never curated; its history keeps that it was rejected, and why."""
    said = body or RejectBody()
    require_own(visitor, said)
    request = review.Reject(entry_id=str(memory_id), reason=said.reason or "", version=said.version or "")
    return writes.show(response, await review.reject(request, visitor.caller, visitor.services))


@router.get("/quarantined", summary="Quarantined entries", responses=documented())
async def quarantined(visitor: Admin) -> QuarantinedAnswer:
    """List what a maintainer must look at before anyone may read it."""
    found = await review.quarantined(review.Quarantined(), visitor.caller, visitor.services)
    return QuarantinedAnswer(entries=[HeldEntryAnswer.of(entry) for entry in found.entries])


@router.post(
    "/memories/{memory_id:int}/supersede",
    status_code=201,
    summary="Replace an entry by a better one",
    responses={**ACCEPTED, **documented(409, 413, duplicates=True)},
)
async def supersede(memory_id: EntryId, body: Text, visitor: Curator, response: Response) -> WriteAnswer:
    """Store a curated entry that supersedes another; the old one stays as it was, and is no longer current."""
    require_own(visitor, body)
    start, end = body.validity(datetime.now(UTC))
    caller = replace(visitor.caller, valid_from=start, valid_until=end)
    result = await writing.write(visitor.services, caller, "edit", body.draft(), Place(replaces=memory_id))
    return writes.show(response, result)


@router.get("/conflicts", summary="Open conflicts", responses=documented())
async def conflicts(visitor: Reader) -> ConflictsAnswer:
    """List pairs of entries that may contradict or repeat each other."""
    found = await review.conflicts(review.Conflicts(), visitor.caller, visitor.services)
    return ConflictsAnswer(conflicts=[ConflictAnswer.of(pair) for pair in found.pairs])


@router.post(
    "/conflicts/{conflict_id:int}/resolve",
    summary="Settle a conflict",
    responses={**ACCEPTED, **documented(409, 413)},
)
async def resolve(conflict_id: ConflictId, body: ResolveBody, visitor: Curator, response: Response) -> WriteAnswer:
    """Keep both entries, or let the one that is kept supersede the other."""
    require_own(visitor, body)
    request = review.Resolve(conflict_id=str(conflict_id), decision=body.decision, version=body.version or "")
    return writes.show(response, await review.resolve(request, visitor.caller, visitor.services))
