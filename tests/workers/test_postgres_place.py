"""Where PostgreSQL lies when its unprivileged user cannot reach the home."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from workers.stack import home, postgres, secrets
from workers.stack.home import Home
from workers.stack.servers import Plan, Real, Servers

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user for PostgreSQL")


@pytest.fixture
def private_home() -> Iterator[Home]:
    with tempfile.TemporaryDirectory(prefix="kapelle-test-") as folder:
        assert Path(folder).stat().st_mode & 0o077 == 0
        with home.locked(Path(folder) / "home") as here:
            yield here
            shutil.rmtree(postgres.place(here).data.parent)


async def test_below_a_private_folder_the_data_lies_elsewhere_and_is_found_again(private_home: Home) -> None:
    elsewhere = Real(nats_url="not needed", temporal_address="not needed")
    plan = Plan(
        home=private_home,
        secrets=secrets.keep(private_home),
        report=lambda _line: None,
        real=elsewhere,
        durable=False,
    )
    for _start in range(2):
        servers = Servers(plan)
        try:
            await servers.start()
            connection = await asyncpg.connect(servers.addresses.owner_dsn)
            data = Path(await connection.fetchval("show data_directory"))
            await connection.execute("create table if not exists kept (n int)")
            await connection.close()
        finally:
            await servers.stop()
        assert data == postgres.place(private_home).data
        assert not data.is_relative_to(private_home.path)
        assert data.owner() == "nobody"
    assert data.with_name("home").read_text(encoding="utf-8").strip() == str(private_home.path)
