"""One service and one GitHub for all scenarios of a module; each has a team and a repository of its own."""

import itertools
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kapelle.settings import Secret
from tests.doubles.github.server import TOKEN, GitHubDouble, running_github
from tests.exports.scene import Scene
from tests.memory import Memory, running_memory
from tests.stack import Temporal, fresh_database
from workers.stack.servers import Addresses

MakeScene = Callable[..., Awaitable[Scene]]
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def github(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitHubDouble]:
    folder: Path = tmp_path_factory.mktemp("github")
    with running_github(folder) as double:
        yield double


@pytest.fixture(scope="module")
async def exporting(servers: Addresses, github: GitHubDouble) -> AsyncIterator[Memory]:
    """A service that knows this GitHub."""
    temporal = Temporal(address=servers.temporal_address, namespace="default", task_queue=f"test-{uuid.uuid4().hex}")
    known: dict[str, Any] = {"github_url": github.url, "github_token": Secret(TOKEN), "github_pause": 0.0}
    async with (
        fresh_database(servers) as database,
        running_memory(database, servers.nats_url, temporal, **known) as up,
    ):
        yield up


@pytest.fixture
def make_scene(exporting: Memory, github: GitHubDouble) -> MakeScene:
    """Make a team that is linked to a new repository; `entries` of them are there. Options are the repository's."""

    async def make(entries: int = 1, *, linked: bool = True, **options: Any) -> Scene:
        number = next(_NUMBERS)
        repository = github.repository(options.pop("name", f"acme/payments-{number}"), **options)
        scene = Scene(memory=exporting, github=github, repository=repository, team=f"export-{number}")
        assert (await exporting.team("create", scene.team))["ok"]
        if linked:
            reply = await exporting.team("link-repo", scene.team, scene.linked)
            assert reply["ok"], reply
        for entry in range(entries):
            await scene.add(f"Entry {entry}")
        scene.requests()
        return scene

    return make
