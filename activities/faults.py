"""The one translation of faults to Temporal failures. Failure types are constants and messages hold no text."""

import logging
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from kapelle.domain.errors import Fault

log = logging.getLogger(__name__)


class FaultInterceptor(Interceptor):
    """Turns each fault of an activity into a failure that is retried or not as the fault says."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002
        return _Translating(next)


class _Translating(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002
        try:
            return await super().execute_activity(input)
        except Fault as fault:
            raise _failure(fault) from None
        except (ApplicationError, CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 - the process edge: an unknown error may quote what it failed on.
            log.error("activity failed unexpectedly", extra=_where(error))  # noqa: TRY400
            raise ApplicationError("internal error", type="internal", non_retryable=True) from None


def _failure(fault: Fault) -> ApplicationError:
    wait = None if fault.retry_after is None else timedelta(seconds=fault.retry_after)
    return ApplicationError(fault.message, type=fault.code, non_retryable=fault.permanent, next_retry_delay=wait)


def _where(error: Exception) -> dict[str, object]:
    """Describe an unexpected error by its type and place, which hold no text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    info = activity.info()
    return {
        "error": type(error).__name__,
        "file": trace.tb_frame.f_code.co_filename.rpartition("/")[2] if trace else "",
        "line": trace.tb_lineno if trace else 0,
        "activity": info.activity_type,
        "workflow_id": info.workflow_id,
    }
