"""The backfill of embeddings, of one team or of all: what is missing, or the durable run that supplies it."""

import uuid
from dataclasses import dataclass

from kapelle.contracts.backfill import Order
from kapelle.domain import digests
from kapelle.domain.backfill import Tally
from kapelle.domain.errors import Conflict, InvalidRequest, Unavailable
from kapelle.domain.outcomes import Code, Outcome
from kapelle.operations.results import Running, Told
from kapelle.providers.embeddings import EmbeddingFailed
from kapelle.services import Services
from kapelle.store import models, operations
from kapelle.store.pool import tenant

APPLY = "apply"
NO_EMBEDDER = "No embedder is configured, so that no entry needs a vector: search goes by words."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An authorized request for a backfill. Without a team it is for all of the org."""

    source: str
    team: str = ""
    team_id: int | None = None
    request_id: str | None
    # Seconds that the caller waits before it is told the operation's id instead.
    patience: float


async def run(services: Services, asked: Asked, mode: str) -> Told | Running:
    """Tell what is missing, or embed it.

    Raises:
        InvalidRequest: the mode is neither empty nor "apply".
        Unavailable: a server or the embedder does not answer.
    """
    if mode not in {"", APPLY}:
        raise InvalidRequest('the mode of a backfill is "apply", or is left out for a dry run')
    if services.spaces.wanted is None:
        return Told(text=NO_EMBEDDER)
    return await (_apply(services, asked) if mode else _dry_run(services, asked))


async def missing(services: Services, team_id: int | None) -> Tally:
    """Count what lacks a vector of the wanted model.

    Raises:
        Unavailable: a server or the embedder does not answer.
    """
    try:
        model = await services.spaces.introduce()
    except EmbeddingFailed as failed:
        raise Unavailable(f"nothing was embedded: {failed.message}") from None
    async with tenant(services.pool, services.org_id) as conn:
        lack = await models.lack(conn, org_id=services.org_id, team_id=team_id, model=model.model)
    return Tally(model=model.model, entries=lack.entries, missing=lack.missing)


async def _dry_run(services: Services, asked: Asked) -> Told:
    return Told(text=(await missing(services, asked.team_id)).describe_missing())


async def _apply(services: Services, asked: Asked) -> Told | Running:
    order = _order(services, asked)
    if answer := await _answered(services, asked, order):
        return Told(text=answer.describe())
    outcome = await services.writer.backfill(order, patience=asked.patience)
    if outcome is None:
        return Running(operation_id=order.operation_id, progress=await _progress(services, asked.team_id))
    if outcome.code is Code.FAILED:
        raise Unavailable(outcome.reason)
    return Told(text=outcome.describe())


async def _progress(services: Services, team_id: int | None) -> str:
    """Say how far it is, or nothing while the embedder does not answer."""
    try:
        tally = await missing(services, team_id)
    except Unavailable:
        return ""
    return f"{tally.entries - tally.missing} of {tally.entries} entries have a vector of {tally.model}."


def _order(services: Services, asked: Asked) -> Order:
    digest = digests.request_digest(services.settings.digest_key.value, "backfill", [asked.team_id, APPLY])
    if asked.request_id is None:
        operation_id = str(uuid.uuid4())
    else:
        operation_id = digests.operation_id(services.org_id, asked.team, asked.source, asked.request_id)
    return Order(
        org_id=services.org_id,
        team_id=asked.team_id,
        source=asked.source,
        operation_id=operation_id,
        request_digest=digest.hex(),
    )


async def _answered(services: Services, asked: Asked, order: Order) -> Outcome | None:
    """Return the answer that a request with this id got before. Requests without an id are new."""
    if asked.request_id is None:
        return None
    async with tenant(services.pool, services.org_id) as conn:
        found = await operations.recorded(conn, org_id=services.org_id, operation_ids=[order.operation_id])
    row = found.get(order.operation_id)
    if row is None:
        return None
    if row.digest.hex() != order.request_digest:
        raise Conflict("this request id was used for another request; choose a new one")
    return row.outcome if row.outcome is not None and row.outcome.stands else None
