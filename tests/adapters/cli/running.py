"""The `kapelle` command as a process of its own, the way a shell starts it."""

import asyncio
import os
import pty
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[3]
SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended."""

    code: int | None
    stdout: str
    stderr: str


async def start(
    *args: str, env: dict[str, str] | None = None, stdin: int | IO[bytes] | None = None, stdout: int | None = None
) -> asyncio.subprocess.Process:
    """Start a command line in an environment that holds nothing else of ours."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "kapelle", *args),
        cwd="/",
        env={"PATH": os.defpath, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", **(env or {})},
        stdin=asyncio.subprocess.PIPE if stdin is None else stdin,
        stdout=asyncio.subprocess.PIPE if stdout is None else stdout,
        stderr=asyncio.subprocess.PIPE,
    )


async def kapelle(*args: str, env: dict[str, str] | None = None, stdin: bytes = b"") -> Ended:
    """Run a command line to its end."""
    process = await start(*args, env=env)
    stdout, stderr = await asyncio.wait_for(process.communicate(stdin), SECONDS)
    return Ended(code=process.returncode, stdout=stdout.decode(), stderr=stderr.decode())


async def at_a_terminal(*args: str, env: dict[str, str]) -> str:
    """Run a command line with a terminal on its standard input and output, and return what the terminal got."""
    ours, theirs = pty.openpty()
    try:
        process = await start(*args, env=env, stdin=theirs, stdout=theirs)
        reading = asyncio.create_task(asyncio.to_thread(_everything, ours))
        code = await asyncio.wait_for(process.wait(), SECONDS)
        os.close(theirs)
        theirs = -1
        assert code == 0
        return (await reading).decode()
    finally:
        os.close(ours)
        if theirs >= 0:
            os.close(theirs)


def _everything(terminal: int) -> bytes:
    content = b""
    while True:
        try:
            more = os.read(terminal, 4096)
        except OSError:
            # How Linux says that nobody holds the other side any more.
            return content
        if not more:
            return content
        content += more
