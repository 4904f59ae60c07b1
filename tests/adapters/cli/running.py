"""The `kapelle` command: called as its entry point calls it, or as a process, the way a shell starts it."""

import asyncio
import io
import os
import pty
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kapelle.adapters.cli import main
from kapelle.adapters.cli.surroundings import Surroundings

ROOT = Path(__file__).parents[3]
SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended."""

    code: int
    stdout: str
    stderr: str


async def kapelle(*args: str, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> Ended:
    """Run a command line to its end, in an environment and a folder that hold nothing else of ours."""
    stdout, stderr = io.StringIO(), io.StringIO()
    around = Surroundings(env=env or {}, folder=Path("/"), stdin=io.BytesIO(stdin), stdout=stdout, stderr=stderr)
    code = await asyncio.to_thread(main.run, args, around)
    return Ended(code=code, stdout=stdout.getvalue(), stderr=stderr.getvalue())


async def start(
    *args: str,
    env: Mapping[str, str] | None = None,
    stdin: int | IO[bytes] = asyncio.subprocess.DEVNULL,
    stdout: int = asyncio.subprocess.PIPE,
) -> asyncio.subprocess.Process:
    """Start a command line as a process."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "kapelle", *args),
        cwd="/",
        env={"PATH": os.defpath, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", **(env or {})},
        stdin=stdin,
        stdout=stdout,
        stderr=asyncio.subprocess.PIPE,
        # Who runs the tests in a shell's background passes on that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


async def at_a_terminal(*args: str, env: Mapping[str, str]) -> str:
    """Run a command line with a terminal on its standard input and output, and return what the terminal got."""
    ours, theirs = pty.openpty()
    try:
        process = await start(*args, env=env, stdin=theirs, stdout=theirs)
    finally:
        os.close(theirs)
    try:
        reading = asyncio.create_task(asyncio.to_thread(_everything, ours))
        assert await asyncio.wait_for(process.wait(), SECONDS) == 0
        return (await reading).decode()
    finally:
        os.close(ours)


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
