"""Team commands that carry a request id: made once, and answered the same again."""

from dataclasses import astuple
from typing import Any

from kapelle.domain import digests
from kapelle.domain.callers import Claim
from kapelle.domain.errors import Conflict
from kapelle.domain.outcomes import Code, Outcome
from kapelle.operations.operation import Operation
from kapelle.operations.results import Result, Told
from kapelle.services import Services
from kapelle.store import operations
from kapelle.store.operations import Begun
from kapelle.store.pool import tenant


async def once(operation: Operation, request: Any, claim: Claim, request_id: str | None, services: Services) -> Result:
    """Run a team command, or repeat the answer that the same request got before.

    Raises:
        Conflict: the request id was used for another request.
    """
    if request_id is None or operation.reads:
        return await operation.run(request, claim, services)
    begun = _begun(operation, request, claim, request_id, services)
    async with tenant(services.pool, services.org_id) as conn:
        found = await operations.recorded(conn, org_id=services.org_id, operation_ids=[begun.operation_id])
    before = found.get(begun.operation_id)
    if before is not None and before.digest != begun.digest:
        raise Conflict("this request id was used for another request; choose a new one")
    if before is not None and before.outcome is not None:
        return Told(text=before.outcome.reason)
    result = await operation.run(request, claim, services)
    if isinstance(result, Told):
        outcome = Outcome(code=Code.TOLD, reason=result.again or result.text)
        async with tenant(services.pool, services.org_id) as conn:
            await operations.finish(conn, org_id=services.org_id, finished=[(begun, outcome)], workflow_id="")
    return result


def _begun(operation: Operation, request: Any, claim: Claim, request_id: str, services: Services) -> Begun:
    source = claim.source or f"person:{claim.person}"
    arguments = list(astuple(request))
    key = services.settings.digest_key.value
    return Begun(
        operation_id=digests.operation_id(services.org_id, f"team {operation.name}", source, request_id),
        team_id=None,
        source=source,
        name=f"team {operation.name}",
        digest=digests.request_digest(key, operation.name, arguments),
    )
