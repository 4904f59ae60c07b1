"""How the answer to a write is told: status, place, and a duplicate by the entry that is there."""

from dataclasses import replace
from datetime import UTC, datetime

from fastapi import Response

from kapelle.adapters.http.answers import WriteAnswer
from kapelle.adapters.http.bodies import NewMemory
from kapelle.adapters.http.faults import DuplicateContent
from kapelle.adapters.http.visitors import Visitor, require_own
from kapelle.contracts.write import Intent
from kapelle.domain.entries import Visibility
from kapelle.domain.errors import InvalidRequest, NotAllowed
from kapelle.domain.outcomes import Code
from kapelle.operations import writing
from kapelle.operations.results import Running, Written
from kapelle.operations.writing import Place

_CREATED = frozenset({Code.PROPOSED, Code.ADDED, Code.SUPERSEDED})


async def store(visitor: Visitor, body: NewMemory) -> Written | Running:
    """Store what a body says, for whoever the token says.

    Raises:
        Fault: as `writing.write`, and for a body that asks for more than the token may.
    """
    require_own(visitor, body)
    own = body.visibility is Visibility.AGENT
    if own and visitor.caller.agent_id is None:
        raise InvalidRequest("visibility: only an agent has entries of its own")
    if body.status == "curated":
        _require_curator(visitor, own=own)
    if body.force and not visitor.caller.is_person:
        raise NotAllowed("only a person can force a write")
    start, end = body.validity(datetime.now(UTC))
    caller = replace(visitor.caller, force=body.force, valid_from=start, valid_until=end)
    intent: Intent = "add" if own or body.status == "curated" else "propose"
    return await writing.write(visitor.services, caller, intent, body.draft(), Place(own=own))


def _require_curator(visitor: Visitor, *, own: bool) -> None:
    if own:
        raise InvalidRequest("status: an agent's own entry is neither proposed nor curated; leave it out")
    visitor.require_scope("curate")


def told(result: Written | Running, *, own: bool = False) -> tuple[int, WriteAnswer]:
    """Return status and body for the answer to a write or a decision.

    Raises:
        DuplicateContent: the memory holds the text already.
    """
    answer = WriteAnswer.of(result, own=own)
    if isinstance(result, Running):
        return 202, answer
    outcome = result.outcome
    if outcome.code is Code.DUPLICATE:
        raise DuplicateContent(outcome.describe(), outcome.entry_id or 0)
    if outcome.code is Code.QUARANTINED:
        return 202, answer
    return (201 if outcome.code in _CREATED else 200), answer


def show(response: Response, result: Written | Running, *, own: bool = False) -> WriteAnswer:
    """Answer a write or a decision. Raises as `told` does."""
    status, answer = told(result, own=own)
    response.status_code = status
    if answer.state == "running":
        response.headers["Location"] = f"/v1/operations/{answer.operation_id}"
        response.headers["Retry-After"] = "1"
    elif status == 201:
        response.headers["Location"] = f"/v1/memories/{answer.id}"
    return answer
