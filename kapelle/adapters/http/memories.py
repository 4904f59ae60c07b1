"""The routes of entries: written, found, listed, rated, offered to the team, forgotten."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from kapelle.adapters.http import cursors, writes
from kapelle.adapters.http.answers import (
    EventAnswer,
    FoundAnswer,
    HistoryAnswer,
    HotAnswer,
    HotEntryAnswer,
    MemoryAnswer,
    PageAnswer,
    RatedAnswer,
    ShownMemoryAnswer,
    ToldAnswer,
    WriteAnswer,
)
from kapelle.adapters.http.bodies import FeedbackBody, Moment, NewMemory, NoBody, SearchBody
from kapelle.adapters.http.faults import documented
from kapelle.adapters.http.visitors import Proposer, Reader, Visitor, require_own
from kapelle.domain import validation
from kapelle.domain.entries import Kind, Status
from kapelle.operations import hot, own, read, review, search
from kapelle.store.records import Filter

LARGEST_PAGE = 200

router = APIRouter(prefix="/v1/memories", tags=["memories"])

EntryId = Annotated[int, Path(ge=1, le=validation.LARGEST_ID, alias="memory_id", examples=[12])]
AsOf = Annotated[Moment | None, Query(description="What the team knew at this moment.")]
ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"model": WriteAnswer, "description": "It is under way, or quarantined until a person has looked at it."}
}


@router.post(
    "",
    status_code=201,
    summary="Store an entry",
    responses={
        200: {"model": WriteAnswer, "description": "It was proposed, and is accepted by this."},
        **ACCEPTED,
        **documented(409, 413, duplicates=True),
    },
)
async def create(body: NewMemory, visitor: Proposer, response: Response) -> WriteAnswer:
    """Propose an entry to the team, add a curated one, or keep one for the calling agent alone."""
    return writes.show(response, await writes.store(visitor, body), own=body.visibility == "agent")


@router.post("/search", summary="Search", responses=documented(413))
async def find(body: SearchBody, visitor: Reader) -> FoundAnswer:
    """Find current entries by words and meaning: the team's, and the calling agent's own."""
    require_own(visitor, body)
    query = validation.storable("query", body.query)
    visitor = visitor.at(body.as_of)
    hits = await search.look(query, body.wanted(), visitor.caller, visitor.services)
    ids = [hit.entry.id for hit in hits]
    return FoundAnswer.of(hits, await read.records_of(ids, visitor.caller, visitor.services))


@router.get("", summary="List", responses=documented())
async def page(
    visitor: Reader,
    limit: Annotated[int, Query(ge=1, le=LARGEST_PAGE)] = 50,
    cursor: Annotated[str | None, Query(max_length=100)] = None,
    status: Annotated[list[Status], Query(max_length=len(Status))] = [],  # noqa: B006 - read only, and shown so
    kind: Annotated[list[Kind], Query(max_length=len(Kind))] = [],  # noqa: B006
    tag: Annotated[list[str], Query(max_length=validation.TAGS)] = [],  # noqa: B006
    as_of: AsOf = None,
) -> PageAnswer:
    """List current entries, the newest first, page by page; or those of the team that stood at a past moment."""
    wanted = Filter(
        statuses=tuple(status), kinds=tuple(kind), tags=tuple(validation.storable("tag", one) for one in tag)
    )
    visitor = visitor.at(as_of)
    key, listing = visitor.services.settings.digest_key.value, _listing(visitor, wanted)
    before = None if cursor is None else cursors.after(key, listing, cursor)
    found = await read.page(wanted, before, limit + 1, visitor.caller, visitor.services)
    more = cursors.cursor(key, listing, found[limit - 1].entry.id) if len(found) > limit else None
    return PageAnswer(entries=[MemoryAnswer.of(record) for record in found[:limit]], next_cursor=more)


def _listing(visitor: Visitor, wanted: Filter) -> str:
    """Describe a list with whose it is, so that a cursor fits no other."""
    caller = visitor.caller
    return repr((visitor.bearer.org_id, caller.team_id, caller.source, caller.as_of, wanted))


@router.get("/hot", summary="The entries needed most", responses=documented())
async def hottest(visitor: Reader) -> HotAnswer:
    """Show the best curated entries, and the calling agent's own, from memory if nothing has changed."""
    found = await hot.run(hot.Hot(), visitor.caller, visitor.services)
    return HotAnswer(entries=[HotEntryAnswer.of(entry) for entry in found.entries])


@router.get("/{memory_id:int}", summary="Show an entry", responses=documented())
async def show(memory_id: EntryId, visitor: Reader, as_of: AsOf = None) -> ShownMemoryAnswer:
    """Show one entry, also one that is not current any more; or as it stood at a past moment."""
    record = await read.record(memory_id, visitor.at(as_of).caller, visitor.services)
    doubts = () if as_of else await read.doubts(memory_id, visitor.caller, visitor.services)
    return ShownMemoryAnswer.with_doubts(record, doubts)


@router.get("/{memory_id:int}/history", summary="What happened to an entry", responses=documented())
async def history(memory_id: EntryId, visitor: Reader) -> HistoryAnswer:
    """Show what happened to an entry, the oldest first, also after it was forgotten."""
    found = await read.history(read.ShowHistory(entry_id=str(memory_id)), visitor.caller, visitor.services)
    return HistoryAnswer(id=found.entry_id, events=[EventAnswer.of(event) for event in found.events])


@router.get("/{memory_id:int}/receipt", summary="What became of a forgotten entry", responses=documented())
async def receipt(memory_id: EntryId, visitor: Reader) -> ToldAnswer:
    """Show what became of each store when an entry was forgotten or rejected."""
    found = await review.receipt(review.Receipt(entry_id=str(memory_id)), visitor.caller, visitor.services)
    return ToldAnswer.of(found)


@router.post("/{memory_id:int}/feedback", summary="Rate an entry", responses=documented(409, 413))
async def rate(memory_id: EntryId, body: FeedbackBody, visitor: Proposer) -> RatedAnswer:
    """Say that an entry was helpful, or unhelpful."""
    require_own(visitor, body)
    request = review.Feedback(entry_id=str(memory_id), vote=body.vote)
    return RatedAnswer.of(await review.rate(request, visitor.caller, visitor.services))


@router.post(
    "/{memory_id:int}/propose",
    status_code=201,
    summary="Offer an own entry to the team",
    responses={**ACCEPTED, **documented(409, 413, duplicates=True)},
)
async def offer(memory_id: EntryId, visitor: Proposer, response: Response, body: NoBody | None = None) -> WriteAnswer:
    """Propose one of the calling agent's own entries to the team. The agent keeps its own."""
    require_own(visitor, body or NoBody())
    return writes.show(response, await own.offer(memory_id, visitor.caller, visitor.services))


@router.post("/{memory_id:int}/forget", summary="Forget an entry", responses={**ACCEPTED, **documented(409, 413)})
async def forget(memory_id: EntryId, visitor: Proposer, response: Response, body: NoBody | None = None) -> WriteAnswer:
    """Remove an entry and everything derived from it. It takes the scope curate, but for an agent's own entry."""
    require_own(visitor, body or NoBody())
    if not await own.is_own(memory_id, visitor.caller, visitor.services):
        visitor.require_scope("curate")
    request = review.Forget(entry_id=str(memory_id))
    return writes.show(response, await review.forget(request, visitor.caller, visitor.services))
