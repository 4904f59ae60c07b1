"""Many entries in one request, each with a result of its own."""

import asyncio
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from kapelle.adapters.http import faults, writes
from kapelle.adapters.http.answers import WriteAnswer
from kapelle.adapters.http.bodies import BulkBody, NewMemory
from kapelle.adapters.http.faults import DuplicateAnswer, DuplicateContent, documented
from kapelle.adapters.http.visitors import Proposer, Visitor, require_own
from kapelle.domain.errors import Fault
from kapelle.operations import bulk

router = APIRouter(prefix="/v1/memories", tags=["memories"])


class ItemAnswer(BaseModel):
    """What became of one item: the status and the body that it would have had as a request of its own."""

    index: int
    status: int
    answer: WriteAnswer | DuplicateAnswer


class BulkAnswer(BaseModel):
    """One result an item, in their order."""

    results: list[ItemAnswer]


@router.post(
    "/bulk",
    status_code=207,
    summary="Store many entries",
    response_model=BulkAnswer,
    responses={207: {"model": BulkAnswer, "description": "A result an item."}, **documented(409, 413)},
)
async def create(body: BulkBody, visitor: Proposer, request: Request) -> JSONResponse:
    """Store each item on its own: one that is refused keeps no other from being stored."""
    require_own(visitor, body)
    await bulk.begin(visitor.caller, [item.model_dump(mode="json") for item in body.items], visitor.services)
    results = await asyncio.gather(*(_result(request, visitor, index, item) for index, item in enumerate(body.items)))
    return JSONResponse({"results": results}, 207)


async def _result(request: Request, visitor: Visitor, index: int, item: NewMemory) -> dict[str, Any]:
    try:
        result = await writes.store(_of_item(visitor, index), item)
        status, answer = writes.told(result, own=item.visibility == "agent")
    except DuplicateContent as found:
        code, body = faults.duplicate(request, found)
        return {"index": index, "status": code, "answer": body}
    except Fault as fault:
        code, body = faults.told(request, fault)
        return {"index": index, "status": code, "answer": body}
    return {"index": index, "status": status, "answer": answer.model_dump(mode="json")}


def _of_item(visitor: Visitor, index: int) -> Visitor:
    """Give each item a key of its own, so that a repeated request is done once item by item."""
    key = visitor.caller.request_id
    return visitor if key is None else replace(visitor, caller=replace(visitor.caller, request_id=bulk.key(key, index)))
