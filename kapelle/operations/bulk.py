"""Many writes under one request id."""

from collections.abc import Sequence
from typing import Any

from kapelle.domain.callers import Caller
from kapelle.domain.outcomes import Code, Outcome
from kapelle.operations.writing import Once
from kapelle.services import Services
from kapelle.store.pool import tenant


async def begin(caller: Caller, items: Sequence[Any], services: Services) -> None:
    """Tie a request id to these items, each of which has a record of its own by `key`.

    Raises:
        Conflict: the request id was used for another request.
        Unavailable: the ledger does not answer, and nothing may be written.
    """
    once = Once(services=services, caller=caller, name="bulk", arguments=list(items))
    async with tenant(services.pool, services.org_id) as conn:
        if await once.answer(conn) is None:
            await once.record(conn, Outcome(code=Code.TOLD, reason=f"{len(items)} items taken in"))


def key(request_id: str, index: int) -> str:
    """Return the request id of one item. No caller can choose it: theirs hold no blank."""
    return f"{request_id} {index}"
