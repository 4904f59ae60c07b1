"""The round over ledgers and forgotten texts, as a Temporal schedule that every worker makes or brings up to date."""

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

from kapelle.contracts import upkeep
from kapelle.contracts.upkeep import Upkeep
from kapelle.settings import Settings

log = logging.getLogger(__name__)

EVERY = timedelta(hours=1)
# After an outage only what was missed of late is made up for; the server's own default is a year.
CATCH_UP = timedelta(minutes=10)
RUN_LIMIT = timedelta(hours=6)


async def keep_upkeep(client: Client, settings: Settings) -> None:
    """Let the round of the org run every hour. What people paused stays paused."""
    schedule_id = upkeep.schedule_id(settings.org)
    try:
        await _keep(client, schedule_id, _upkeep(settings))
    except RPCError as error:
        # The next start of a worker tries again.
        log.warning("schedule not kept", extra={"schedule": schedule_id, "error": error.status.name})


async def _keep(client: Client, schedule_id: str, wanted: Schedule) -> None:
    try:
        await client.create_schedule(schedule_id, wanted)
    except ScheduleAlreadyRunningError:

        def updated(found: ScheduleUpdateInput) -> ScheduleUpdate:
            wanted.state = found.description.schedule.state
            return ScheduleUpdate(schedule=wanted)

        await client.get_schedule_handle(schedule_id).update(updated)


def _upkeep(settings: Settings) -> Schedule:
    return Schedule(
        action=ScheduleActionStartWorkflow(
            upkeep.KeepLedger.run,
            Upkeep(org_id=settings.org),
            id=f"upkeep/scheduled/{settings.org}",
            task_queue=settings.task_queue,
            execution_timeout=RUN_LIMIT,
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=EVERY)], jitter=EVERY / 10),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=CATCH_UP),
    )
