"""The routes of operations: how far one is, taking one back, those that are stuck."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Path, Query

from kapelle.adapters.http.answers import OperationAnswer, OperationsAnswer
from kapelle.adapters.http.bodies import NoBody
from kapelle.adapters.http.faults import documented
from kapelle.adapters.http.visitors import Admin, Proposer, Reader, require_own
from kapelle.domain import validation
from kapelle.operations import operating

router = APIRouter(prefix="/v1/operations", tags=["operations"])

OperationId = Annotated[uuid.UUID, Path()]


@router.get("", summary="Stuck operations", responses=documented())
async def stuck(
    visitor: Admin,
    older_than: Annotated[
        int, Query(ge=1, le=validation.LONGEST_SECONDS, description="Seconds since it began.")
    ] = operating.STUCK_SECONDS,
) -> OperationsAnswer:
    """List the team's operations that have not ended for a while, for its maintainers."""
    found = await operating.stuck(operating.Stuck(seconds=str(older_than)), visitor.caller, visitor.services)
    return OperationsAnswer(operations=[OperationAnswer.of(one) for one in found.operations])


@router.get("/{operation_id}", summary="Show an operation", responses=documented())
async def show(operation_id: OperationId, visitor: Reader) -> OperationAnswer:
    """Show how far an operation is. An agent sees its own ones, a person those of the team."""
    request = operating.ShowOperation(operation_id=str(operation_id))
    return OperationAnswer.of(await operating.show(request, visitor.caller, visitor.services))


@router.post("/{operation_id}/cancel", summary="Cancel an operation", responses=documented(409, 413))
async def cancel(operation_id: OperationId, visitor: Proposer, body: NoBody | None = None) -> OperationAnswer:
    """Take back an operation that has not ended: then nothing of it is stored. Answers the same the second time."""
    require_own(visitor, body or NoBody())
    request = operating.Cancel(operation_id=str(operation_id))
    return OperationAnswer.of(await operating.cancel(request, visitor.caller, visitor.services))
