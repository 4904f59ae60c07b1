"""The routes for those who run the service: is it alive, is it ready, what does it count."""

from datetime import timedelta

from fastapi import APIRouter, Request, Response
from temporalio.service import RPCError

from kapelle import metrics
from kapelle.adapters.http.answers import HealthAnswer
from kapelle.adapters.http.faults import ErrorAnswer
from kapelle.adapters.http.visitors import Doorway
from kapelle.domain.errors import Unavailable
from kapelle.services import Services
from kapelle.store.pool import tenant

router = APIRouter(tags=["health"])

PATIENCE = timedelta(seconds=2)


@router.get("/health/live", summary="Is the process alive?")
async def live() -> HealthAnswer:
    """Answer as long as the process does anything at all."""
    return HealthAnswer()


@router.get(
    "/health/ready",
    summary="Can it serve?",
    responses={503: {"model": ErrorAnswer, "description": "The database or Temporal does not answer."}},
)
async def ready(request: Request) -> HealthAnswer:
    """Answer if the database and Temporal do."""
    doorway: Doorway = request.app.state.doorway
    await _require_servers(doorway.tenants.own)
    return HealthAnswer()


async def _require_servers(services: Services) -> None:
    async with tenant(services.pool, services.org_id) as conn:
        await conn.execute("select 1")
    try:
        healthy = await services.temporal.service_client.check_health(timeout=PATIENCE)
    except RPCError:
        healthy = False
    if not healthy:
        raise Unavailable("Temporal does not answer")


@router.get(
    "/metrics",
    summary="Counters for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "Prometheus' text format."}},
)
async def counters() -> Response:
    """Show what this process counts: names of ours and numbers, no tenant, no id and no text."""
    return Response(metrics.render(), media_type=metrics.CONTENT_TYPE)
