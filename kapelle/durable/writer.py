"""Hands writes and decisions to Temporal and waits for their outcome as long as the caller does."""

import asyncio
import logging
import uuid
from collections.abc import Callable, Coroutine, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError, WorkflowHandle
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError, RPCStatusCode
from temporalio.types import MethodAsyncSingleParam

from kapelle.contracts import backfill, curate, purge, resolve, write
from kapelle.contracts.backfill import Order
from kapelle.contracts.curate import Change
from kapelle.contracts.purge import Purge, Purged
from kapelle.contracts.resolve import Resolution
from kapelle.contracts.write import Batch, Write
from kapelle.domain.errors import Conflict, Fault, Unavailable
from kapelle.domain.outcomes import NOT_STORED, Code, Outcome
from kapelle.durable.group_commit import GroupCommit, Limits, Ticket
from kapelle.store import operations
from kapelle.store.operations import Begun
from kapelle.store.pool import Pool, tenant

log = logging.getLogger(__name__)

# Temporal refuses payloads over 2 MiB; a body may have 64 KiB, and encryption and JSON add to it.
BATCH_BYTES = 512 * 1024
# A worker that dies leaves its task to another after this.
TASK_TIMEOUT = timedelta(seconds=3)
EXECUTION_TIMEOUT = timedelta(hours=24)
START_TIMEOUT = timedelta(seconds=3)
RESULT_PAUSE_SECONDS = 0.25
# Started, and a task for a worker scheduled.
UNTAKEN_EVENTS = 2
_STATES = {
    WorkflowExecutionStatus.COMPLETED: "succeeded",
    WorkflowExecutionStatus.FAILED: "failed",
    WorkflowExecutionStatus.TERMINATED: "failed",
    WorkflowExecutionStatus.TIMED_OUT: "failed",
    WorkflowExecutionStatus.CANCELED: "cancelled",
}

Decision = TypeVar("Decision", Change, Resolution)
Argument = TypeVar("Argument")
Answer = TypeVar("Answer")


class Writer:
    """Starts the durable workflows of one org's memory."""

    def __init__(
        self, client: Client, pool: Pool, *, org_id: str, batches: int, batch_drafts: int, task_queue: str
    ) -> None:
        self._client = client
        self._pool = pool
        self._org_id = org_id
        self._task_queue = task_queue
        self._group: GroupCommit[Write, Outcome] = GroupCommit(
            run=self._write_batch, limits=Limits(batches=batches, items=batch_drafts, size=BATCH_BYTES)
        )
        self._tickets: dict[str, Ticket[Write, Outcome]] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self._followed: set[asyncio.Task[Outcome]] = set()
        # Decisions of this process by their operation.
        self._deciding: set[str] = set()

    def is_under_way(self, operation_id: str) -> bool:
        """Tell whether this process works on an operation right now."""
        return operation_id in self._tickets or operation_id in self._deciding

    async def state_of(self, workflow_id: str) -> str:
        """Return what Temporal knows of a workflow: queued, running, succeeded, failed or cancelled.

        A workflow that is queued has been taken by no worker yet. One that is gone has failed; where Temporal does not
        answer, it is taken to run.
        """
        try:
            found = await self._client.get_workflow_handle(workflow_id).describe(rpc_timeout=START_TIMEOUT)
        except RPCError as error:
            return "failed" if error.status is RPCStatusCode.NOT_FOUND else "running"
        if found.status is WorkflowExecutionStatus.RUNNING and found.history_length <= UNTAKEN_EVENTS:
            return "queued"
        return _STATES.get(found.status or WorkflowExecutionStatus.RUNNING, "running")

    async def stop(self, workflow_id: str) -> None:
        """Ask a workflow that is an operation by itself to end. What shares a workflow with others must not do that."""
        try:
            await self._client.get_workflow_handle(workflow_id).cancel(rpc_timeout=START_TIMEOUT)
        except RPCError as error:
            log.warning("workflow not stopped", extra={"workflow_id": workflow_id, "error": error.status.name})

    async def write(self, single: Write, *, patience: float) -> Outcome | None:
        """Store one draft; None when it is on its way and the caller's patience, in seconds, has ended.

        Raises:
            Conflict: the operation is under way with another request.
            Unavailable: nothing was handed over, and nothing will be stored.
        """
        ticket = self._tickets.get(single.operation_id)
        if ticket is None:
            ticket = self._group.add(single, team_id=single.team_id, size=_size(single))
            self._tickets[single.operation_id] = ticket
            ticket.answer.add_done_callback(lambda _: self._tickets.pop(single.operation_id, None))
        elif ticket.item.request_digest != single.request_digest:
            raise Conflict("this request id was used for another request; choose a new one")
        ticket.waiting += 1
        await asyncio.wait({ticket.answer}, timeout=patience)
        ticket.waiting -= 1
        return ticket.answer.result() if ticket.answer.done() else await self._leave(ticket)

    async def _leave(self, ticket: Ticket[Write, Outcome]) -> Outcome | None:
        """Let an impatient caller go: told that the write runs, if it does so durably, or that nothing was stored."""
        if ticket.waiting:
            if not ticket.begun.done():
                raise Unavailable("the memory service is busy; ask again with the same request id")
        elif self._group.withdraw(ticket):
            self._tickets.pop(ticket.item.operation_id, None)
            raise Unavailable("the memory service is busy; nothing was stored, try again in a moment")
        # A batch that is being handed over says within seconds whether that went well.
        signs: set[asyncio.Future[Any]] = {ticket.answer, ticket.begun}
        await asyncio.wait(signs, return_when=asyncio.FIRST_COMPLETED)
        if ticket.answer.done():
            return ticket.answer.result()
        await self._show_running(_begun(ticket.item, ticket.item.intent), ticket.begun.result())
        return None

    async def accept(self, change: Change, *, patience: float) -> Outcome | None:
        """Accept an entry; None when it is on its way and the caller's patience, in seconds, has ended."""
        return await self._decide(curate.AcceptEntry.run, change, curate.accept_id(change), "accept", patience)

    async def reject(self, change: Change, *, patience: float) -> Outcome | None:
        """Reject an entry; None when it is on its way and the caller's patience, in seconds, has ended."""
        return await self._decide(curate.RejectEntry.run, change, curate.reject_id(change), "reject", patience)

    async def forget(self, change: Change, *, patience: float) -> Outcome | None:
        """Forget an entry; None when it is on its way and the caller's patience, in seconds, has ended."""
        return await self._decide(curate.ForgetEntry.run, change, curate.forget_id(change), "forget", patience)

    async def purge(self, what: Purge, *, patience: float) -> Outcome | None:
        """Forget all that a purge reaches; None when it is on its way and the caller's patience has ended."""
        begun = Begun(
            operation_id=what.operation_id,
            team_id=what.asked_in,
            source=what.source,
            name="purge",
            digest=bytes.fromhex(what.request_digest),
        )
        run, workflow_id = purge.PurgeMemory.run, purge.workflow_id(what)
        return await self._awaited(run, Purged(purge=what), workflow_id, begun, patience)

    async def resolve(self, resolution: Resolution, *, patience: float) -> Outcome | None:
        """Settle a conflict; None when it is on its way and the caller's patience, in seconds, has ended."""
        workflow_id = resolve.workflow_id(resolution)
        return await self._decide(resolve.ResolveConflict.run, resolution, workflow_id, "resolve", patience)

    async def backfill(self, order: Order, *, patience: float) -> Outcome | None:
        """Embed what lacks a vector; None when that goes on and the caller's patience, in seconds, has ended."""
        begun, workflow_id = _begun(order, "backfill"), backfill.workflow_id(order)
        run = backfill.BackfillEmbeddings.run
        task = asyncio.create_task(self._execute(run, order, workflow_id, [begun], lambda: None))
        # It may take hours, so that a process which stops does not wait for it.
        self._followed.add(task)
        task.add_done_callback(self._unfollow)
        done, _ = await asyncio.wait({task}, timeout=patience)
        if done:
            return task.result()
        await self._show_running(begun, workflow_id)
        return None

    def _unfollow(self, task: "asyncio.Task[Outcome]") -> None:
        self._followed.discard(task)
        if not task.cancelled():
            # It is on record; a caller may have gone when it comes.
            task.exception()

    async def drain(self, seconds: float) -> None:
        """Wait until everything that was handed over has its answer, at most for some time. Temporal keeps the rest."""
        try:
            async with asyncio.timeout(seconds):
                await self._group.drain()
                while self._background:
                    await asyncio.wait(self._background)
        except TimeoutError:
            log.warning("writes go on without this process")
        for task in self._followed:
            task.cancel()

    async def _decide(
        self,
        run: MethodAsyncSingleParam[Any, Decision, Outcome],
        decision: Decision,
        workflow_id: str,
        name: str,
        patience: float,
    ) -> Outcome | None:
        return await self._awaited(run, decision, workflow_id, _begun(decision, name), patience)

    async def _awaited(
        self,
        run: MethodAsyncSingleParam[Any, Argument, Outcome],
        argument: Argument,
        workflow_id: str,
        begun: Begun,
        patience: float,
    ) -> Outcome | None:
        task = self.keep(self._execute(run, argument, workflow_id, [begun], lambda: None))
        self._deciding.add(begun.operation_id)
        task.add_done_callback(lambda _: self._deciding.discard(begun.operation_id))
        done, _ = await asyncio.wait({task}, timeout=patience)
        if done:
            return task.result()
        await self._show_running(begun, workflow_id)
        return None

    async def _write_batch(self, tickets: Sequence[Ticket[Write, Outcome]]) -> Sequence[Outcome]:
        batch = Batch(org_id=self._org_id, writes=tuple(ticket.item for ticket in tickets))
        begun = [_begun(single, single.intent) for single in batch.writes]
        workflow_id = write.workflow_id(batch, uuid.uuid4().hex)

        def handed_over() -> None:
            for ticket in tickets:
                ticket.begun.set_result(workflow_id)

        return await self._execute(write.WriteMemory.run, batch, workflow_id, begun, handed_over)

    async def _execute(
        self,
        run: MethodAsyncSingleParam[Any, Argument, Answer],
        argument: Argument,
        workflow_id: str,
        begun: Sequence[Begun],
        handed_over: Callable[[], None],
    ) -> Answer:
        handle = await self._start(run, argument, workflow_id)
        handed_over()
        try:
            return await _result(handle)
        except WorkflowFailureError as error:
            log.error("workflow failed", extra={"workflow_id": workflow_id, "error": type(error.cause).__name__})  # noqa: TRY400
            await self._show_failed(begun, workflow_id)
            raise Unavailable(NOT_STORED) from None

    async def _start(
        self, run: MethodAsyncSingleParam[Any, Argument, Answer], argument: Argument, workflow_id: str
    ) -> WorkflowHandle[Any, Answer]:
        """Start the workflow, or join the one that runs for the same operation. A repeated run changes nothing."""
        try:
            return await self._client.start_workflow(
                run,
                argument,
                id=workflow_id,
                task_queue=self._task_queue,
                request_eager_start=True,
                task_timeout=TASK_TIMEOUT,
                execution_timeout=EXECUTION_TIMEOUT,
                rpc_timeout=START_TIMEOUT,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            )
        except (RPCError, RuntimeError) as error:
            status = error.status.name if isinstance(error, RPCError) else type(error).__name__
            log.warning("workflow not started", extra={"workflow_id": workflow_id, "error": status})
            raise Unavailable(
                "Temporal does not answer, so it is not known whether this was stored; the same request again is safe"
            ) from None

    async def _show_running(self, begun: Begun, workflow_id: str) -> None:
        """Let an operation be found before its id is told to anyone. The workflow records its end in any case."""
        try:
            async with tenant(self._pool, self._org_id) as conn:
                await operations.begin(conn, org_id=self._org_id, begun=[begun], workflow_id=workflow_id)
        except Fault as fault:
            log.warning("operation not shown as running", extra={"workflow_id": workflow_id, "error": fault.code})

    async def _show_failed(self, begun: Sequence[Begun], workflow_id: str) -> None:
        """Record the end of operations whose workflow could not do so itself."""
        failed = [(row, Outcome(code=Code.FAILED, reason=NOT_STORED)) for row in begun]
        async with tenant(self._pool, self._org_id) as conn:
            recorded = await operations.recorded(
                conn, org_id=self._org_id, operation_ids=[row.operation_id for row in begun]
            )
            running = [pair for pair in failed if getattr(recorded.get(pair[0].operation_id), "outcome", None) is None]
            await operations.finish(conn, org_id=self._org_id, finished=running, workflow_id=workflow_id)

    def keep(self, work: Coroutine[Any, Any, Answer]) -> "asyncio.Task[Answer]":
        """Let work go on when its caller has gone; a process that stops waits for it for a while."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task


async def _result(handle: WorkflowHandle[Any, Answer]) -> Answer:
    """Wait for a workflow's result through restarts of the server."""
    while True:
        try:
            return await handle.result()
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                raise Unavailable("the write was cancelled") from None
            await asyncio.sleep(RESULT_PAUSE_SECONDS)


def _size(single: Write) -> int:
    return len(single.draft.body.encode()) + len(single.draft.title.encode()) + 512


def _begun(message: Write | Change | Resolution | Order, name: str) -> Begun:
    return Begun(
        operation_id=message.operation_id,
        team_id=message.team_id,
        source=message.source,
        name=name,
        digest=bytes.fromhex(message.request_digest),
    )
