"""Temporal's development server with its UI, on a SQLite file that survives the process."""

import functools
import os

from workers.stack import probes
from workers.stack.home import Home
from workers.stack.part import Part
from workers.stack.ports import LOOPBACK
from workers.stack.programs import program

_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "2",
    "cache_size": "-65536",
    "mmap_size": "268435456",
    "temp_store": "2",
    # Deleted histories leave no copy of their payloads in the file.
    "secure_delete": "1",
}
_TUNING = {
    # Regular activities dispatch in a quarter of the time.
    "history.transferProcessorMaxPollRPS": "1000",
    # Visibility shares the one SQLite connection with everything else; the lists of the UI lag by 0.2 s for it.
    "history.visibilityProcessorMaxPollRPS": "5",
    # A deleted workflow is gone at once instead of after half a minute.
    "history.transferProcessorUpdateAckInterval": '"1s"',
    "history.visibilityProcessorUpdateAckInterval": '"1s"',
    "history.timerProcessorUpdateAckInterval": '"1s"',
}


def part(home: Home, port: int, ui_port: int, http_port: int, metrics_port: int) -> Part:
    """Describe the server; the `default` namespace is made by itself."""
    pragmas = (word for name, value in _PRAGMAS.items() for word in ("--sqlite-pragma", f"{name}={value}"))
    tuning = (word for name, value in _TUNING.items() for word in ("--dynamic-config-value", f"{name}={value}"))
    ports = {"port": port, "ui-port": ui_port, "http-port": http_port, "metrics-port": metrics_port}
    return Part(
        name="temporal",
        title="Temporal",
        argv=(
            program("temporal"),
            "server",
            "start-dev",
            f"--ip={LOOPBACK}",
            *(f"--{name}={value}" for name, value in ports.items()),
            f"--db-filename={home.file('temporal.db')}",
            "--log-level=warn",
            *pragmas,
            *tuning,
        ),
        # A larger heap before each collection: 7 to 10 % less CPU.
        environment={"PATH": os.defpath, "HOME": str(home.path), "GOGC": "400"},
        check=functools.partial(probes.temporal, http_port),
    )
