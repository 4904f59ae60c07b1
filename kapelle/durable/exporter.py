"""Hands exports to Temporal, one at a time for a repository and branch, and keeps their schedules."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
    WorkflowFailureError,
)
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError, RPCStatusCode

from kapelle.contracts import export as contract
from kapelle.contracts.export import Due, Export
from kapelle.domain.errors import Unavailable
from kapelle.domain.exports import not_exported
from kapelle.domain.outcomes import Outcome

log = logging.getLogger(__name__)

Every = Literal["daily", "weekly"]

START_TIMEOUT = timedelta(seconds=3)
EXECUTION_TIMEOUT = timedelta(hours=24)
RESULT_PAUSE_SECONDS = 0.25
INTERVALS = {"daily": timedelta(days=1), "weekly": timedelta(days=7)}
# Teams are spread over the day, and a run that an outage kept from happening is made up for within hours.
JITTER = timedelta(minutes=10)
CATCH_UP = timedelta(hours=12)
BROKEN = "something went wrong on the memory service's side"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of an export, which other callers may share. `outcome` is None while it goes on."""

    run_id: str
    outcome: Outcome | None


class Exporter:
    """Starts exports, joins those that run, and keeps schedules."""

    def __init__(self, client: Client, *, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def export(self, export: Export, *, patience: float) -> Run:
        """Start an export, or join the one that runs for this repository, and wait as long as the caller does.

        Raises:
            Unavailable: Temporal does not answer.
        """
        try:
            handle = await self._client.start_workflow(
                contract.ExportMemory.run,
                export,
                id=contract.workflow_id(export),
                task_queue=self._task_queue,
                execution_timeout=EXECUTION_TIMEOUT,
                rpc_timeout=START_TIMEOUT,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            )
        except (RPCError, RuntimeError) as error:
            raise _away(error) from None
        return await self.join(export, handle.result_run_id or "", patience=patience)

    async def join(self, export: Export, run_id: str, *, patience: float) -> Run:
        """Wait for a run that was started before."""
        try:
            async with asyncio.timeout(patience):
                return Run(run_id=run_id, outcome=await self._result(export, run_id))
        except TimeoutError:
            return Run(run_id=run_id, outcome=None)

    async def _result(self, export: Export, run_id: str) -> Outcome:
        """Wait for the end of a run through restarts of the server."""
        handle = self._client.get_workflow_handle_for(
            contract.ExportMemory.run, contract.workflow_id(export), run_id=run_id
        )
        while True:
            try:
                return await handle.result()
            except WorkflowFailureError as error:
                log.error("export failed", extra={"workflow_id": handle.id, "error": type(error.cause).__name__})  # noqa: TRY400
                return not_exported(BROKEN)
            except RPCError as error:
                if error.status is RPCStatusCode.NOT_FOUND:
                    return not_exported("the export was cancelled")
                await asyncio.sleep(RESULT_PAUSE_SECONDS)

    async def schedule(self, due: Due, every: Every) -> None:
        """Export a team's memory by itself, skipped when nothing has changed. Another interval replaces the first.

        Raises:
            Unavailable: Temporal does not answer.
        """
        wanted = self._schedule(due, every)
        schedule_id = contract.schedule_id(due.org_id, due.team_id)

        def replaced(found: ScheduleUpdateInput) -> ScheduleUpdate:
            # What an operator paused stays paused.
            wanted.state = found.description.schedule.state
            return ScheduleUpdate(schedule=wanted)

        try:
            await self._client.create_schedule(schedule_id, wanted)
        except ScheduleAlreadyRunningError:
            await self._client.get_schedule_handle(schedule_id).update(replaced)
        except RPCError as error:
            raise _away(error) from None

    async def unschedule(self, org_id: str, team_id: int) -> None:
        """Export a team's memory on request only.

        Raises:
            Unavailable: Temporal does not answer.
        """
        try:
            await self._client.get_schedule_handle(contract.schedule_id(org_id, team_id)).delete()
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise _away(error) from None

    def _schedule(self, due: Due, every: Every) -> Schedule:
        interval = INTERVALS[every]
        return Schedule(
            action=ScheduleActionStartWorkflow(
                contract.ScheduledExport.run,
                due,
                id=f"scheduled-export/{due.org_id}/{due.team_id}",
                task_queue=self._task_queue,
                execution_timeout=EXECUTION_TIMEOUT,
            ),
            spec=ScheduleSpec(
                intervals=[ScheduleIntervalSpec(every=interval, offset=_offset(due.team_id, interval))], jitter=JITTER
            ),
            policy=SchedulePolicy(catchup_window=CATCH_UP),
        )


def _offset(team_id: int, interval: timedelta) -> timedelta:
    """Spread teams over the interval: neighbours in number lie far apart in time."""
    minutes = int(interval.total_seconds()) // 60
    return timedelta(minutes=team_id * 619 % minutes)


def _away(error: Any) -> Unavailable:  # Any: what the client raises has no base of its own.
    status = error.status.name if isinstance(error, RPCError) else type(error).__name__
    log.warning("Temporal does not answer", extra={"error": status})
    return Unavailable("Temporal does not answer; try again in a moment")
