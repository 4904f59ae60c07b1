"""The demonstration tells its story to the end, and says so when it cannot."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from workers import demo

ROOT = Path(__file__).parents[2]
SECONDS = 240


async def test_every_claim_of_the_demo_holds_and_nothing_of_it_stays() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "workers.demo"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    content, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    told = content.decode()

    assert "all of them hold" in told, told
    assert process.returncode == 0
    assert "FAILED" not in told
    assert [line[0] for line in told.splitlines() if re.match(r"\d\. ", line)] == list("123456789")
    home = re.search(r"Starting Kapelle memory in (\S+)", told)
    assert home is not None
    assert not Path(home[1]).exists()
    assert not still_running(home[1])


async def test_a_demo_whose_stack_does_not_come_up_fails(capsys: pytest.CaptureFixture[str]) -> None:
    # An interpreter with this home has no standard library, so that `up` ends at once.
    assert await demo.run({"PYTHONHOME": os.devnull}) == 1

    assert "FAILED: the story broke off" in capsys.readouterr().out


def test_one_claim_that_does_not_hold_fails_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.verdict([True, False, True]) == 1
    assert "3 claims checked: 1 FAILED." in capsys.readouterr().out


def still_running(home: str) -> list[str]:
    """Return the command lines of processes that name a folder."""
    lines = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            # It ended while we looked.
            continue
        if home in line:
            lines.append(line)
    return lines
