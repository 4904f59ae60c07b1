"""The whole stack: what it publishes, what it survives, what it refuses."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import asyncpg
import nats
import psutil
import pytest
from nats.errors import NoRespondersError
from temporalio.client import Client

from tests.stack import Database
from tests.workers.running import ROOT, Up, refused, up
from workers.stack.ports import is_free
from workers.stack.servers import Addresses

PARTS = ("postgres", "nats", "temporal", "worker", "commands", "http", "mcp")
KEYS = {
    "nats_url",
    "http_url",
    "mcp_url",
    "temporal_address",
    "temporal_ui_url",
    "postgres_dsn",
    "org",
    "team",
    "person",
    "tokens",
}


async def entries(stack: Up) -> int:
    """Have the demo team's memory listed through the door, and return how many entries there are."""
    client = await nats.connect(stack.endpoints["nats_url"])
    request = {"command": "memory", "team": "demo", "args": ["list"], "user": stack.endpoints["person"]}
    try:
        reply = json.loads((await client.request("kapelle.controller.command", json.dumps(request).encode(), 20)).data)
    finally:
        await client.close()
    assert reply["ok"], reply
    return len(reply.get("entries", []))


async def propose(stack: Up, title: str) -> None:
    client = await nats.connect(stack.endpoints["nats_url"])
    args = ["propose", "fact", title, f"{title} is a body."]
    request = {"command": "memory", "team": "demo", "args": args, "source": "agent:demo/coder"}
    try:
        reply = json.loads((await client.request("kapelle.controller.command", json.dumps(request).encode(), 20)).data)
    finally:
        await client.close()
    assert reply["ok"], reply


async def test_the_endpoints_name_everything_and_only_the_owner_reads_them(stack: Up) -> None:
    assert set(stack.endpoints) == KEYS
    assert set(stack.endpoints["tokens"]) == {"admin", "agent"}
    for name in ("endpoints.json", "secrets.json", "nats.json", "temporal.db"):
        assert stat.S_IMODE(stack.home.joinpath(name).stat().st_mode) == 0o600, name


async def test_everything_that_the_endpoints_name_answers(stack: Up) -> None:
    assert await entries(stack) == 0
    client = await Client.connect(stack.endpoints["temporal_address"])
    assert await client.service_client.check_health()
    owner = await asyncpg.connect(stack.endpoints["postgres_dsn"])
    tokens = await owner.fetch("select scopes from ibex_core.access_tokens order by token_id")
    await owner.close()
    assert [list(row["scopes"]) for row in tokens] == [["read", "propose", "curate", "admin"], ["read", "propose"]]


async def test_durability_is_on_in_a_home_that_people_use(stack: Up) -> None:
    owner = await asyncpg.connect(stack.endpoints["postgres_dsn"])
    settings = [await owner.fetchval(f"show {name}") for name in ("fsync", "synchronous_commit", "full_page_writes")]
    await owner.close()
    assert settings == ["on", "on", "on"]


async def test_nothing_listens_beyond_the_loopback_address(stack: Up) -> None:
    listening = {
        connection.laddr.ip
        for part in stack.parts.values()
        for process in (part, *part.children(recursive=True))
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }
    assert listening == {"127.0.0.1"}


async def test_no_password_stands_in_a_command_line(stack: Up) -> None:
    secrets = json.loads(stack.home.joinpath("secrets.json").read_text(encoding="utf-8"))
    commands = " ".join(word for part in stack.parts.values() for word in part.cmdline())
    assert [name for name, value in secrets.items() if value in commands] == []


async def test_a_second_start_on_a_running_home_is_refused(stack: Up) -> None:
    code, said = await refused(stack.home)
    assert code == 2
    assert f"is already up (process {stack.process.pid})" in said
    assert await entries(stack) == 0


async def test_a_reader_that_is_gone_is_no_failure(stack: Up) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = (sys.executable, "-m", "workers", "up", "--home", str(stack.home))
    outcome = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (outcome.returncode, outcome.stderr) == (2, b"")


@pytest.mark.parametrize("part", PARTS)
async def test_a_killed_part_comes_back_where_it_was(stack: Up, part: str) -> None:
    before = stack.endpoints
    await stack.kill(part)
    await _answers_again(stack)
    assert stack.endpoints == before


async def _answers_again(stack: Up) -> None:
    """Reconnecting takes the adapter a moment, during which nobody answers."""
    for _ in range(200):
        try:
            await entries(stack)
        except NoRespondersError:
            continue
        return
    raise AssertionError("nobody answers")


async def test_a_second_home_runs_beside_the_first_and_survives_the_kill_of_everything_in_it(
    home: Path, stack: Up
) -> None:
    second = home.with_name("second")
    async with up(second) as killed:
        await propose(killed, "A fact that stays")
        addresses = killed.endpoints
        assert await killed.end(signal.SIGKILL) == -signal.SIGKILL
    _cut_short(second / "postgres" / "postmaster.pid", second / "processes.json", second / "endpoints.json")
    async with up(second) as again:
        assert again.endpoints == addresses
        assert await entries(again) == 1
        assert await entries(stack) == 0
        assert await again.end(signal.SIGTERM) == 0
    assert not second.joinpath("endpoints.json").exists()
    assert [is_free(int(addresses[name].rpartition(":")[2])) for name in ("nats_url", "temporal_address")] == [True] * 2


def _cut_short(*files: Path) -> None:
    for file in files:
        file.write_text(file.read_text(encoding="utf-8")[:3] if file.exists() else "", encoding="utf-8")


async def test_a_taken_port_is_named_and_nothing_is_left_running(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = await refused(home.with_name("unlucky"), "--port-nats", str(port))
    assert code == 2
    assert f"Port {port} for nats is taken." in said
    assert not home.with_name("unlucky").joinpath("processes.json").exists()


async def test_parts_that_run_elsewhere_are_not_started(home: Path, servers: Addresses, database: Database) -> None:
    environment = {
        "KAPELLE_NATS_URL": servers.nats_url,
        "KAPELLE_DATABASE_URL": database.product_dsn,
        "KAPELLE_DATABASE_OWNER_URL": database.owner_dsn,
        "TEMPORAL_ADDRESS": servers.temporal_address,
    }
    async with up(home.with_name("guest"), environment=environment) as guest:
        assert set(guest.parts) == {"worker", "commands", "http", "mcp"}
        assert guest.endpoints["nats_url"] == servers.nats_url
        assert guest.endpoints["temporal_address"] == servers.temporal_address
        assert guest.endpoints["temporal_ui_url"] is None
        assert await entries(guest) == 0


def _can_run(user: str) -> bool:
    """Say whether the user may run this interpreter on this checkout."""
    if os.geteuid() != 0:
        return False
    command = (sys.executable, "-c", "import workers.stack.up")
    try:
        outcome = subprocess.run(
            command,
            user=user,
            extra_groups=[],
            cwd="/",
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=False,
        )
    except OSError:
        return False
    return outcome.returncode == 0


@pytest.mark.skipif(not _can_run("nobody"), reason="needs root, and an interpreter and checkout that all may read")
async def test_an_ordinary_user_can_run_it(home: Path) -> None:
    own = home.with_name("ordinary")
    own.mkdir()
    shutil.chown(own, "nobody")
    async with up(own, user="nobody") as ordinary:
        assert {part.username() for part in ordinary.parts.values()} == {"nobody"}
        assert await entries(ordinary) == 0
