"""The round over ledgers and forgotten texts, as a Temporal schedule that every worker makes or brings up to date."""

from datetime import timedelta

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
)

from kapelle.contracts import upkeep
from kapelle.contracts.upkeep import Upkeep
from kapelle.durable.schedules import CATCH_UP, keep
from kapelle.settings import Settings

EVERY = timedelta(hours=1)
RUN_LIMIT = timedelta(hours=6)


async def keep_upkeep(client: Client, settings: Settings) -> None:
    """Let the round of the org run every hour. What people paused stays paused."""
    await keep(client, upkeep.schedule_id(settings.org), _upkeep(settings))


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
