"""`kapelle memory export --pr`: its steps as they happen, then what became of it."""

import asyncio

from kapelle.domain.exports import BRANCH
from kapelle.domain.rules.rendering import PATH
from tests.adapters.cli import running
from tests.exports.conftest import MakeScene
from tests.exports.scene import Scene
from tests.memory import PERSON


def _env(scene: Scene, nats_url: str) -> dict[str, str]:
    return {"KAPELLE_NATS_URL": nats_url, "KAPELLE_TEAM": scene.team, "KAPELLE_USER": PERSON}


async def test_each_step_is_shown_when_it_is_done(make_scene: MakeScene, nats_url: str) -> None:
    scene = await make_scene()
    held = scene.github.plan("POST", f"/{scene.repository.name}/pulls", "hold_after")
    process = await running.start("memory", "export", "--pr", env=_env(scene, nats_url))
    assert process.stderr is not None
    async with asyncio.timeout(running.SECONDS):
        steps = [(await process.stderr.readline()).decode().split(",")[0].strip() for _ in range(3)]
    assert steps == ["1 entry rendered", f"branch {BRANCH} created", f"{PATH} committed"]
    assert held.held.is_set() or await asyncio.to_thread(held.held.wait, 20)

    held.released.set()
    output, rest = await asyncio.wait_for(process.communicate(), running.SECONDS)
    assert output.decode() == f"Team memory exported, PR #1 opened: {scene.url()}\n"
    # The answer to the creation was lost, so that the pull request was found and not made by what goes on.
    assert rest.decode() == ""
    assert process.returncode == 0


async def test_where_there_is_no_pull_request_the_entries_are_printed(make_scene: MakeScene, nats_url: str) -> None:
    scene = await make_scene()
    scene.repository.rules.archived = True
    ended = await running.kapelle("memory", "export", "--pr", env=_env(scene, nats_url))
    assert ended.code == 0
    assert "[curated] gotcha: Entry 0\n" in ended.stdout
    assert ended.stderr.endswith("1 entry exported (no pull request: the repository is archived)\n")
