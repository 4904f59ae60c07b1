"""Supervision of small programs: a part that hangs, one that cannot start, one that an earlier run left behind."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import pytest

from workers.stack import home, processes, secrets
from workers.stack.home import Home
from workers.stack.part import Part
from workers.stack.ports import LOOPBACK
from workers.stack.supervise import Keeper, PartFailedError

# Accepts connections, and answers each with a line.
SERVER = """
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    server.accept()[0].sendall(b"well\\n")
"""


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Home]:
    with home.locked(tmp_path) as locked:
        yield locked


def a_part(port: int, program: str = SERVER) -> Part:
    async def check() -> None:
        async with asyncio.timeout(0.5):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            try:
                assert await reader.readline() == b"well\n"
            finally:
                writer.close()

    return Part(
        name="small",
        title="Small server",
        argv=(sys.executable, "-c", program, str(port)),
        environment={},
        check=check,
        check_seconds=0.1,
    )


@asynccontextmanager
async def kept(keeper: Keeper) -> AsyncIterator[None]:
    await keeper.start(20.0)
    keeping = asyncio.create_task(keeper.keep())
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        await keeper.stop()


async def test_a_part_that_hangs_is_ended_and_started_again(here: Home, unused_tcp_port: int) -> None:
    said: asyncio.Queue[str] = asyncio.Queue()
    keeper = Keeper(a_part(unused_tcp_port), here, said.put_nowait)
    async with kept(keeper):
        assert keeper.pid is not None
        hanging = psutil.Process(keeper.pid)
        hanging.suspend()
        async with asyncio.timeout(30):
            assert await said.get() == "Small server does not answer; starting it again."
            assert await said.get() == "Small server is back."
        assert keeper.pid != hanging.pid
        assert not hanging.is_running()


async def test_a_part_that_cannot_start_fails_with_the_end_of_its_log(here: Home, unused_tcp_port: int) -> None:
    keeper = Keeper(a_part(unused_tcp_port, "raise SystemExit('no disk')"), here, lambda _line: None)
    with pytest.raises(PartFailedError, match=r"Small server did not start \(.*\)\.(.|\n)*no disk"):
        await keeper.start(20.0)
    assert keeper.pid is None


async def test_a_leftover_of_this_home_is_ended(here: Home, unused_tcp_port: int) -> None:
    part = a_part(unused_tcp_port)
    with subprocess.Popen(part.argv) as left:
        leftover = psutil.Process(left.pid)
        processes.record(here, part, left.pid)
        assert processes.stop_leftovers(here) == ("small",)
        assert not leftover.is_running()
    assert processes.stop_leftovers(here) == ()


@pytest.mark.parametrize(
    "change", [{"started": 1.0}, {"argv": ["something", "else"]}, {"pid": "no number"}, {"pid": 2**40}]
)
async def test_a_stranger_with_a_recorded_number_is_left_alone(
    here: Home, unused_tcp_port: int, change: dict[str, object]
) -> None:
    part = a_part(unused_tcp_port)
    with subprocess.Popen(part.argv) as stranger:
        processes.record(here, part, stranger.pid)
        record = home.read_json(here.file("processes.json"))
        home.write_json(here.file("processes.json"), {"small": {**record["small"], **change}})
        assert processes.stop_leftovers(here) == ()
        assert stranger.poll() is None
        stranger.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot bind a child's life to its parent's")
async def test_children_die_with_a_killed_supervisor(tmp_path: Path, unused_tcp_port: int) -> None:
    program = """
import asyncio, pathlib, sys
from tests.workers.test_supervision import a_part
from workers.stack import home, processes, secrets
async def main():
    with home.locked(pathlib.Path(sys.argv[1])) as here:
        child = await processes.spawn(a_part(int(sys.argv[2])), here)
        print(child.process.pid, flush=True)
        await child.process.wait()
asyncio.run(main())
"""
    command = (sys.executable, "-c", program, str(tmp_path), str(unused_tcp_port))
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2], text=True) as supervisor:
        assert supervisor.stdout is not None
        child = psutil.Process(int(supervisor.stdout.readline()))
        supervisor.kill()
        assert await asyncio.to_thread(child.wait, 10) in {None, -9}


def test_a_damaged_secrets_file_stops_the_start_instead_of_losing_the_data(here: Home) -> None:
    kept_secrets = secrets.keep(here)
    assert secrets.keep(here) == kept_secrets
    file = here.file("secrets.json")
    file.write_text(file.read_text(encoding="utf-8")[:40], encoding="utf-8")
    with pytest.raises(home.HomeUnusableError, match=r"secrets\.json is damaged"):
        secrets.keep(here)
    assert file.stat().st_mode & 0o077 == 0
