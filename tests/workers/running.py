"""`python -m workers up` as a test sees it: its lines, its home, its end."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[2]
SECONDS = 60.0
_LAST_LINE = "Ctrl-C stops all of it."


class Up:
    """A started stack."""

    def __init__(self, process: asyncio.subprocess.Process, home: Path) -> None:
        self.process = process
        self.home = home
        self.lines: list[str] = []

    @property
    def endpoints(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.home.joinpath("endpoints.json").read_text(encoding="utf-8"))
        return found

    @property
    def parts(self) -> dict[str, psutil.Process]:
        """The children by the name of their part."""
        record = json.loads(self.home.joinpath("processes.json").read_text(encoding="utf-8"))
        return {name: psutil.Process(entry["pid"]) for name, entry in record.items()}

    async def says(self, words: str) -> None:
        """Wait for a line with these words in it.

        Raises:
            AssertionError: when the output ends, or the time is up, without it.
        """
        assert self.process.stdout is not None
        async with asyncio.timeout(SECONDS):
            while line := (await self.process.stdout.readline()).decode():
                self.lines.append(line.rstrip())
                if words in line:
                    return
        raise AssertionError(f"{words!r} was not said: {self.lines}")

    async def kill(self, part: str) -> None:
        """Kill one part and wait until the supervisor has it back."""
        self.parts[part].kill()
        await self.says("is back.")

    async def end(self, number: signal.Signals) -> int:
        """Send the supervisor a signal and return its exit code once it and all that it started are gone."""
        everything = [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children(recursive=True)]
        self.process.send_signal(number)
        code = await asyncio.wait_for(self.process.wait(), SECONDS)
        _, survivors = await asyncio.to_thread(psutil.wait_procs, everything[1:], SECONDS)
        assert survivors == []
        return code


@asynccontextmanager
async def up(
    home: Path, *options: str, environment: Mapping[str, str] | None = None, user: str | None = None
) -> AsyncIterator[Up]:
    """Start the stack and wait until it is up; it is stopped at the end, if it still runs."""
    process = await start(home, *options, environment=environment, user=user)
    stack = Up(process, home)
    try:
        await stack.says(_LAST_LINE)
        yield stack
    finally:
        if process.returncode is None:
            await stack.end(signal.SIGTERM)


async def refused(home: Path, *options: str) -> tuple[int, str]:
    """Start a stack that is expected to give up, and return its exit code and what it said."""
    process = await start(home, *options)
    output, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    assert process.returncode is not None
    return process.returncode, output.decode()


async def start(
    home: Path, *options: str, environment: Mapping[str, str] | None = None, user: str | None = None
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "workers", "up", "--home", str(home), *options),
        cwd=ROOT,
        env={**_plain_environment(), **(environment or {})},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        user=user,
        extra_groups=[] if user else None,
    )


def _plain_environment() -> dict[str, str]:
    """The environment of the tests without settings that would leave parts out."""
    return {
        name: value
        for name, value in os.environ.items()  # noqa: TID251 - what a shell would hand down
        if not name.startswith(("KAPELLE_", "TEMPORAL_"))
    }
