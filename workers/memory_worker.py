"""The Temporal worker of the memory's workflows, for every process that runs one."""

from datetime import timedelta

from temporalio.worker import UnsandboxedWorkflowRunner, Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from activities.backfill import BackfillActivities
from activities.curate import CurateActivities
from activities.export import ExportActivities
from activities.faults import FaultInterceptor
from activities.imports import ImportActivities
from activities.purge import PurgeActivities
from activities.resolve import ResolveActivities
from activities.turns import Turns
from activities.upkeep import UpkeepActivities
from activities.write import WriteActivities
from kapelle.services import Services
from workflows.backfill import BackfillEmbeddings
from workflows.curate import AcceptEntry, ForgetEntry, RejectEntry
from workflows.export import ExportMemory, ScheduledExport
from workflows.imports import ImportMemory
from workflows.purge import PurgeMemory
from workflows.resolve import ResolveConflict
from workflows.upkeep import KeepLedger
from workflows.write import WriteMemory

WORKFLOWS = [
    *(WriteMemory, AcceptEntry, RejectEntry, ForgetEntry, ResolveConflict),
    *(BackfillEmbeddings, ImportMemory, ExportMemory, ScheduledExport),
    *(KeepLedger, PurgeMemory),
]
SHUTDOWN_GRACE = timedelta(seconds=10)


def memory_worker(services: Services) -> Worker:
    """Build the worker on open services. Starts by the same process's client run here at once."""
    settings = services.settings
    key = settings.digest_key.value
    pool, turns = services.write_pool, Turns()
    write = WriteActivities(pool, turns, services.verdicts, digest_key=key, spaces=services.spaces)
    curate = CurateActivities(pool, turns, digest_key=key, client=services.temporal)
    resolve = ResolveActivities(pool, turns)
    backfill = BackfillActivities(services.pool, services.spaces, per_minute=settings.backfill_per_minute)
    imports = ImportActivities(pool, write)
    export = ExportActivities(services.pool, services.policy, services.github)
    purge = PurgeActivities(pool, turns, services.temporal, digest_key=key)
    upkeep = UpkeepActivities(pool, turns, services.temporal, digest_key=key)
    return Worker(
        services.temporal,
        task_queue=settings.task_queue,
        workflows=WORKFLOWS,
        activities=[
            *(write.scan, write.embed, write.dedup, write.persist, write.fail),
            *(curate.accept, curate.reject, curate.forget, curate.clear),
            resolve.settle,
            *(backfill.survey, backfill.page, backfill.settle, backfill.record),
            *(imports.next, imports.store, imports.fail),
            *(export.render, export.push, export.open, export.finish, export.due),
            *(purge.some, purge.finish),
            *(upkeep.seal, upkeep.sweep),
        ],
        interceptors=[FaultInterceptor()],
        workflow_runner=SandboxedWorkflowRunner() if settings.sandbox else UnsandboxedWorkflowRunner(),
        graceful_shutdown_timeout=SHUTDOWN_GRACE,
        max_concurrent_workflow_tasks=100,
        max_concurrent_local_activities=64,
        max_concurrent_activities=16,
        max_cached_workflows=500,
    )
