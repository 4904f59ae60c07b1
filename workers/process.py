"""What our processes share: their name, their end by signal, their logs."""

import asyncio
import json
import logging
import os
import signal
import sys
from datetime import UTC, datetime

_RECORD_FIELDS = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


def identity(role: str) -> str:
    """Return a name for connections that tells processes apart and says nothing of the machine."""
    return f"kapelle-{role}@{os.getpid()}"


async def stopped() -> None:
    """Wait for SIGTERM or SIGINT."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()


class JsonLines(logging.Formatter):
    """One JSON object a line. Tracebacks are left out: their messages may quote memory text."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= {key: value for key, value in record.__dict__.items() if key not in _RECORD_FIELDS}
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, default=lambda value: type(value).__name__)


class _NoText(logging.Filter):
    """Drops Temporal's own account of failed activities, which quotes their messages; ours says where."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.ERROR


def configure_logging() -> None:
    """Write JSON lines to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("temporalio.activity").addFilter(_NoText())
