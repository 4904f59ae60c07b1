"""A NATS server with the deployed configuration."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.deploy.accounts import CONFIGURATION, PASSWORDS
from workers.stack import probes
from workers.stack.home import locked
from workers.stack.ports import choose
from workers.stack.programs import program


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[int]:
    """A server with the deployed configuration; only its port and its folder are others."""
    with locked(tmp_path / "home") as home:
        number, monitoring = choose(home, ("nats", "monitoring"), {}).values()
    text = CONFIGURATION.replace("port: 4222", f'listen: "127.0.0.1:{number}"').replace(":8222", f":{monitoring}")
    file = tmp_path / "nats.conf"
    file.write_text(text.replace("/data", str(tmp_path / "data")), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        program("nats-server"), "-c", str(file), env={"PATH": os.defpath, **PASSWORDS}, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(20):
            while b"Server is ready" not in await process.stderr.readline():
                assert process.returncode is None
        await probes.nats(number, "kapelle", PASSWORDS["KAPELLE_NATS_SERVICE_PASSWORD"])
        yield number
    finally:
        process.terminate()
        await process.communicate()
