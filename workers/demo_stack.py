"""A whole stack for a demonstration: started in a folder of its own, crashed on request, stopped and removed."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
READY_SECONDS = 180.0
STOP_SECONDS = 60.0
PAUSE_SECONDS = 0.2
# `up` prints these around its closing screen, which speaks of a stack that stays.
SCREEN_FIRST, SCREEN_LAST = "Kapelle memory is up", "Ctrl-C stops"
PROCESSES = ("worker", "commands")


class StackError(Exception):
    """The stack did not come up."""


@dataclass(slots=True)
class Stack:
    """A stack that `python -m workers up` keeps running in `home`."""

    home: Path
    process: asyncio.subprocess.Process

    def endpoints(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads((self.home / "endpoints.json").read_bytes())
        return found

    def kill_workers(self) -> int:
        """End the product's own processes with SIGKILL, as a crash would, and return how many."""
        record = json.loads((self.home / "processes.json").read_bytes())
        pids = [int(record[name]["pid"]) for name in PROCESSES]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return len(pids)


@contextlib.asynccontextmanager
async def running_stack(environment: Mapping[str, str]) -> AsyncIterator[Stack]:
    """Run a stack in a folder of its own, until it answers; it is stopped and removed at the end.

    Raises:
        StackError: when it does not come up.
    """
    with tempfile.TemporaryDirectory(prefix="kapelle-demo-", ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "workers", "up", "--home", folder),
            cwd=ROOT,
            env=_without_settings(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            # Ctrl-C at the terminal is ours to pass on, once.
            start_new_session=True,
        )
        stack = Stack(home=Path(folder), process=process)
        relay = asyncio.create_task(_relay(process))
        try:
            await _ready(stack)
            yield stack
        finally:
            await _stop(process)
            await relay


def _without_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Leave out what would point the demo at somebody's real servers."""
    return {name: value for name, value in environment.items() if not name.startswith(("KAPELLE_", "TEMPORAL_"))}


async def _relay(process: asyncio.subprocess.Process) -> None:
    """Print what the stack says, but for its closing screen."""
    if process.stdout is None:
        return
    on_screen = False
    async for content in process.stdout:
        line = content.decode("utf-8", "replace").rstrip()
        on_screen = on_screen or line.startswith(SCREEN_FIRST)
        if line and not on_screen:
            print(f"   | {line}", flush=True)
        on_screen = on_screen and not line.startswith(SCREEN_LAST)


async def _ready(stack: Stack) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(READY_SECONDS):
            while stack.process.returncode is None:
                if (stack.home / "endpoints.json").exists():
                    return
                await asyncio.sleep(PAUSE_SECONDS)
    raise StackError("the stack did not come up; its own lines above say why")


async def _stop(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
