"""Child processes that die with their supervisor, and the record by which a later one finds survivors."""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from workers import readiness
from workers.stack.home import Home, open_log, read_json, write_json
from workers.stack.part import Part

_ROOT = Path(__file__).parents[2]
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_RECORD = "processes.json"
# psutil computes start times from ticks of 10 ms.
_SAME_START_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A started part, and the reading end of its readiness pipe, if it announces itself."""

    process: asyncio.subprocess.Process
    pipe: int | None


async def spawn(part: Part, home: Home) -> Child:
    """Start the part in a session of its own, its output going to its log, and record it in the home."""
    part.prepare()
    log = open_log(home.log(part.name))
    reader, writer = os.pipe() if part.check is None else (None, None)
    environment = dict(part.environment)
    if writer is not None:
        environment[readiness.VARIABLE] = str(writer)
    try:
        process = await asyncio.create_subprocess_exec(
            *part.argv,
            env=environment,
            cwd="/" if part.account else _ROOT,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            umask=0o077,
            pass_fds=() if writer is None else (writer,),
            preexec_fn=_die_with_parent(part.orphan_signal),
            **_as_account(part),
        )
    except BaseException:
        _close(reader)
        raise
    finally:
        _close(log)
        _close(writer)
    record(home, part, process.pid)
    return Child(process=process, pipe=reader)


def record(home: Home, part: Part, pid: int) -> None:
    """Note the process, so that a later supervisor can tell it from a stranger that got the same number."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        entry = {"pid": pid, "started": process.create_time(), "argv": list(part.argv), "signal": part.orphan_signal}
        path = home.file(_RECORD)
        write_json(path, {**read_json(path), part.name: entry})


def stop_leftovers(home: Home, seconds: float = 10.0) -> tuple[str, ...]:
    """End what an earlier, killed supervisor of this home left behind, and name the parts."""
    found = {name: process for name, entry in read_json(home.file(_RECORD)).items() if (process := _leftover(entry))}
    for name, process in found.items():
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(read_json(home.file(_RECORD))[name]["signal"])
    _, stubborn = psutil.wait_procs(found.values(), timeout=seconds)
    for process in stubborn:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(stubborn, timeout=seconds)
    forget(home)
    return tuple(found)


def forget(home: Home) -> None:
    """Drop the record, once nothing in it runs."""
    home.file(_RECORD).unlink(missing_ok=True)


def _leftover(entry: Any) -> psutil.Process | None:  # JSON from a file that may be damaged
    """Return the recorded process if it still runs: the same number, start and command line."""
    try:
        process = psutil.Process(int(entry["pid"]))
        same_start = abs(process.create_time() - float(entry["started"])) < _SAME_START_SECONDS
        same_command = entry["argv"] == process.cmdline()
    except (psutil.Error, KeyError, TypeError, ValueError):
        return None
    return process if same_start and same_command else None


def _as_account(part: Part) -> dict[str, Any]:
    if part.account is None:
        return {}
    return {"user": part.account.uid, "group": part.account.gid, "extra_groups": []}


def _die_with_parent(orphan_signal: signal.Signals) -> Callable[[], None]:
    """Make what runs in the child before its program: bind its life to the supervisor's, where the system can."""
    parent = os.getpid()

    def bind() -> None:
        if _LIBC is None:
            return
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(orphan_signal))
        if os.getppid() != parent:
            os._exit(1)

    return bind


def _close(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)
