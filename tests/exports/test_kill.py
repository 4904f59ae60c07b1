"""The worker is killed in the middle of exports, each held at another of its requests: nothing is written twice."""

import asyncio
import os
import re
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from kapelle.adapters.nats.server import CommandServer, connect
from kapelle.services import open_services
from kapelle.settings import Settings
from kapelle.store import bootstrap
from tests.doubles.github.server import TOKEN, Fault, GitHubDouble, Kind, running_github
from tests.exports.scene import FIRST, ON_TOP, Scene
from tests.memory import BEGINNING, Memory
from tests.stack import Database, Temporal

ROOT = Path(__file__).parents[2]
SECONDS = 60.0
# How many requests an export has when nothing goes wrong; a test holds these numbers.
FIRST_REQUESTS = 10
UPDATE_REQUESTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """The door in this process, and what a worker in another process is started with."""

    memory: Memory
    github: GitHubDouble
    environment: dict[str, str]

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[asyncio.subprocess.Process]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "workers", "worker"),
            cwd=ROOT,
            env=self.environment,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


@pytest.fixture
async def doors(database: Database, nats_url: str, temporal: Temporal, tmp_path: Path) -> AsyncIterator[Doors]:
    with running_github(tmp_path) as github:
        environment = _environment(database, nats_url, temporal, github)
        async with open_services(Settings.from_env(environment), environment, identity="test") as services:
            async with services.pool.acquire() as connection:
                await bootstrap.begin(connection, BEGINNING)
            client, caller = await connect(nats_url, name="door"), await connect(nats_url, name="caller")
            server = CommandServer(client, services)
            await server.start()
            memory = Memory(nats=caller, services=services, database=database)
            yield Doors(memory=memory, github=github, environment=environment)
            await server.close()
            await asyncio.gather(client.close(), caller.close())


def _environment(database: Database, nats_url: str, temporal: Temporal, github: GitHubDouble) -> dict[str, str]:
    keys = {"KAPELLE_PAYLOAD_KEYS": "test:" + "a" * 43 + "=", "KAPELLE_DIGEST_KEY": "d" * 40}
    places = {"KAPELLE_DATABASE_URL": database.product_dsn, "KAPELLE_NATS_URL": nats_url}
    temporals = {"TEMPORAL_ADDRESS": temporal.address, "TEMPORAL_NAMESPACE": temporal.namespace}
    host = {"KAPELLE_GITHUB_URL": github.url, "KAPELLE_GITHUB_TOKEN": TOKEN, "KAPELLE_GITHUB_PAUSE": "0"}
    more = {"KAPELLE_TASK_QUEUE": temporal.task_queue, "PATH": os.defpath}
    return {**keys, **places, **temporals, **host, **more}


async def _scene(doors: Doors, name: str) -> Scene:
    repository = doors.github.repository(f"acme/{name}")
    scene = Scene(memory=doors.memory, github=doors.github, repository=repository, team=name)
    assert (await doors.memory.team("create", name))["ok"]
    assert (await doors.memory.team("link-repo", name, scene.linked))["ok"]
    await _patiently(scene, "add", "gotcha", "First", f"A body of {name}.")
    scene.requests()
    return scene


async def _updating(doors: Doors, name: str) -> Scene:
    scene = await _scene(doors, name)
    await _patiently(scene, "export", "pr")
    await _patiently(scene, "add", "gotcha", "Second", f"Another body of {name}.")
    scene.requests()
    return scene


async def _patiently(scene: Scene, *args: str) -> str:
    """Ask, and ask the same again until it is done, as a client does."""
    request_id = uuid.uuid4().hex
    async with asyncio.timeout(2 * SECONDS):
        while True:
            reply = await scene.ask(*args, request_id=request_id)
            busy = not reply["ok"] and "busy" in reply["error"]
            assert reply["ok"] or busy, reply
            if not busy and not reply["text"].startswith("Still running"):
                return str(reply["text"])


def _hold(scene: Scene, kind: Kind, after: int) -> Fault:
    place = rf"/(repos/{re.escape(scene.repository.name)}|repositories/{scene.repository.id})(/|\?|$)"
    return scene.github.plan("*", place, kind, after=after)


async def test_an_export_has_as_many_requests_as_are_interrupted(doors: Doors) -> None:
    async with doors.worker():
        scene = await _scene(doors, "plain")
        await _patiently(scene, "export", "pr")
        assert scene.requests() == FIRST_REQUESTS
        await _patiently(scene, "add", "gotcha", "Second", "Another body.")
        await _patiently(scene, "export", "pr")
        assert scene.requests() == UPDATE_REQUESTS


@pytest.mark.parametrize("kind", ["hold_before", "hold_after"])
async def test_a_worker_killed_at_any_request_leaves_one_commit_one_pull_request_and_the_right_answer(
    doors: Doors, kind: Kind
) -> None:
    async with doors.worker() as worker:
        first = await asyncio.gather(*(_scene(doors, f"first-{at}") for at in range(FIRST_REQUESTS)))
        updating = await asyncio.gather(*(_updating(doors, f"update-{at}") for at in range(UPDATE_REQUESTS)))
        held = [_hold(scene, kind, at) for scenes in (first, updating) for at, scene in enumerate(scenes)]
        exports = [asyncio.create_task(_patiently(scene, "export", "pr")) for scene in (*first, *updating)]
        reached = await asyncio.gather(*(asyncio.to_thread(fault.held.wait, SECONDS) for fault in held))
        worker.kill()
        await worker.wait()
    assert all(reached)
    assert not any(export.done() for export in exports)
    for fault in held:
        fault.released.set()
    async with doors.worker():
        told = await asyncio.gather(*exports)

    wanted = [("opened", FIRST, 1)] * FIRST_REQUESTS + [("updated", ON_TOP, 2)] * UPDATE_REQUESTS
    for scene, text, (what, written, commits) in zip((*first, *updating), told, wanted, strict=True):
        assert text == f"Team memory exported, PR #1 {what}: {scene.url()}"
        assert scene.written() == written
        assert (scene.commits(), scene.repository.numbers()) == (commits, [1])
