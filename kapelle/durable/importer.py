"""Sees to it that an import whose lines wait is under way."""

import logging
from datetime import timedelta

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError

from kapelle.contracts import imports
from kapelle.contracts.imports import Import, ImportMemory
from kapelle.domain.errors import Unavailable

log = logging.getLogger(__name__)

# A worker that dies leaves its task to another after this.
TASK_TIMEOUT = timedelta(seconds=3)
EXECUTION_TIMEOUT = timedelta(days=7)
START_TIMEOUT = timedelta(seconds=3)


class Importer:
    """Starts the durable imports of one org's memory."""

    def __init__(self, client: Client, *, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def go_on(self, one: Import) -> None:
        """Tell the import that lines wait, and start it if it does not run. Repeating it changes nothing.

        Raises:
            Unavailable: Temporal does not answer; the lines wait, and the same request again is safe.
        """
        try:
            await self._client.start_workflow(
                ImportMemory.run,
                one,
                id=imports.workflow_id(one),
                task_queue=self._task_queue,
                start_signal="arrived",
                static_summary="Lines of a file, batch by batch",
                task_timeout=TASK_TIMEOUT,
                execution_timeout=EXECUTION_TIMEOUT,
                rpc_timeout=START_TIMEOUT,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            )
        except (RPCError, RuntimeError) as error:
            status = error.status.name if isinstance(error, RPCError) else type(error).__name__
            log.warning("import not started", extra={"workflow_id": imports.workflow_id(one), "error": status})
            raise Unavailable("Temporal does not answer; send the same lines again") from None
