"""The durable export: render, push branch, open PR."""

from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, FailureError, WorkflowAlreadyStartedError

from kapelle.contracts import export as contract
from kapelle.contracts.export import Due, Ended, Export, ExportActivities, Pushed, Rendered, Request, Task
from kapelle.domain.outcomes import Outcome
from workflows import policies

NO_ANSWER = "GitHub did not answer in time; try again later"
BROKEN = "something went wrong on the memory service's side"
# The branch can vanish between the push and the pull request; once more is enough.
ROUNDS = 2


@workflow.defn(name="ExportMemory")
class ExportMemory(contract.ExportMemory):
    """What this run pushed and opened decides the answer, not what a later attempt of a step finds done."""

    @workflow.run
    async def run(self, export: Export) -> Outcome:
        try:
            ended = await self._export(export)
        except FailureError as error:
            ended = Ended(export=export, obstacle=_obstacle(error))
        return await workflow.execute_local_activity_method(ExportActivities.finish, ended, **policies.STORE)

    async def _export(self, export: Export) -> Ended:
        rendered = await self._render(export)
        if rendered.obstacle:
            return Ended(export=export, obstacle=rendered.obstacle)
        pushed = Pushed()
        for _ in range(ROUNDS):
            pushed = await self._push(Task(export=export, rendered=rendered))
            if pushed.fate is None:
                pushed = await self._open(Request(export=export, pushed=pushed))
            if pushed.fate is not None:
                return Ended(export=export, pushed=pushed)
        return Ended(export=export, obstacle="the branch vanished while the pull request was opened; export again")

    async def _render(self, export: Export) -> Rendered:
        return await workflow.execute_local_activity_method(ExportActivities.render, export, **policies.READ)

    async def _push(self, task: Task) -> Pushed:
        return await workflow.execute_activity_method(ExportActivities.push, task, **policies.GIT_HOST)

    async def _open(self, request: Request) -> Pushed:
        return await workflow.execute_activity_method(ExportActivities.open, request, **policies.GIT_HOST)


def _obstacle(error: FailureError) -> str:
    """Return what people are told of a step that failed for good."""
    cause = error.cause if isinstance(error, ActivityError) else error
    if isinstance(cause, ApplicationError):
        return BROKEN if cause.type == "internal" else cause.message
    return NO_ANSWER


@workflow.defn(name="ScheduledExport")
class ScheduledExport(contract.ScheduledExport):
    @workflow.run
    async def run(self, due: Due) -> bool:
        export = await workflow.execute_local_activity_method(ExportActivities.due, due, **policies.READ)
        if export is None:
            return False
        try:
            await workflow.execute_child_workflow(
                contract.ExportMemory.run,
                export,
                id=contract.workflow_id(export),
                execution_timeout=timedelta(hours=1),
            )
        except WorkflowAlreadyStartedError:
            # Somebody exports at this moment, which is as good.
            return False
        return True
