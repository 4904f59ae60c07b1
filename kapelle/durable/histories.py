"""Histories of workflows that ended: deleted from Temporal when a text that they carried is forgotten."""

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from kapelle.domain.errors import Unavailable


async def delete(client: Client, workflow_id: str) -> bool:
    """Delete all runs of a workflow; False if its last one has not ended, which is left alone.

    Deleting a run that has not ended would end it, and with it whatever else it carries.

    Raises:
        Unavailable: when Temporal does not answer; safe to repeat.
    """
    try:
        latest = await client.get_workflow_handle(workflow_id).describe()
        if latest.status is WorkflowExecutionStatus.RUNNING:
            return False
        earlier = [run.run_id async for run in client.list_workflows(f"WorkflowId = '{workflow_id}'")]
        for run_id in {latest.run_id, *earlier}:
            await _delete(client, workflow_id, run_id)
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise Unavailable("Temporal does not answer; a history is not deleted yet") from None
    return True


async def _delete(client: Client, workflow_id: str, run_id: str) -> None:
    execution = WorkflowExecution(workflow_id=workflow_id, run_id=run_id)
    request = DeleteWorkflowExecutionRequest(namespace=client.namespace, workflow_execution=execution)
    await client.workflow_service.delete_workflow_execution(request)
