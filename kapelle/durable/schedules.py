"""What runs by itself, as Temporal schedules: made or brought up to date by every worker that starts."""

import logging
from datetime import timedelta

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
)
from temporalio.service import RPCError

from kapelle.contracts import backfill
from kapelle.contracts.backfill import Order
from kapelle.settings import Settings

log = logging.getLogger(__name__)

# After an outage only what was missed of late is made up for; the server's own default is a year.
CATCH_UP = timedelta(minutes=10)
RUN_LIMIT = timedelta(hours=24)


async def keep_backfill(client: Client, settings: Settings) -> None:
    """Let the backfill of the org run every so often, if an embedder is configured. What people paused stays paused."""
    if not settings.embed_alias:
        return
    await keep(client, backfill.schedule_id(settings.org), _backfill(settings))


async def keep(client: Client, schedule_id: str, wanted: Schedule) -> None:
    """Make a schedule, or bring it up to date as it stands, paused or not. Failing that, the next start tries again."""
    try:
        await _keep(client, schedule_id, wanted)
    except RPCError as error:
        log.warning("schedule not kept", extra={"schedule": schedule_id, "error": error.status.name})


async def _keep(client: Client, schedule_id: str, wanted: Schedule) -> None:
    try:
        await client.create_schedule(schedule_id, wanted)
    except ScheduleAlreadyRunningError:

        def updated(found: ScheduleUpdateInput) -> ScheduleUpdate:
            wanted.state = found.description.schedule.state
            return ScheduleUpdate(schedule=wanted)

        await client.get_schedule_handle(schedule_id).update(updated)


def _backfill(settings: Settings) -> Schedule:
    every = timedelta(minutes=settings.backfill_minutes)
    return Schedule(
        action=ScheduleActionStartWorkflow(
            backfill.BackfillEmbeddings.run,
            Order(org_id=settings.org),
            id=f"backfill/scheduled/{settings.org}",
            task_queue=settings.task_queue,
            execution_timeout=RUN_LIMIT,
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=every)], jitter=every / 10),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=CATCH_UP),
    )
