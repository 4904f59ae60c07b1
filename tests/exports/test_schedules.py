"""Exports that happen by themselves: when something has changed, and only then."""

import asyncio
from typing import Any

import pytest
from temporalio.client import ScheduleHandle
from temporalio.service import RPCError, RPCStatusCode

from kapelle.contracts.export import schedule_id
from tests.exports.conftest import MakeScene
from tests.exports.scene import FIRST, NOTHING, ON_TOP, Scene


async def _schedule(scene: Scene, every: str) -> ScheduleHandle:
    reply = await scene.memory.team("export-schedule", scene.team, every)
    assert reply == {"ok": True, "text": f"Exports of team {scene.team}: {every}."}
    return await _handle(scene)


async def _handle(scene: Scene) -> ScheduleHandle:
    rows = await scene.memory.rows("select team_id from ibex_core.teams where slug = $1", scene.team)
    return scene.memory.services.temporal.get_schedule_handle(schedule_id("default", rows[0]["team_id"]))


async def _run(scene: Scene, handle: ScheduleHandle, number: int) -> Any:
    """Let the schedule act now, and return what its workflow answers."""
    await handle.trigger()
    async with asyncio.timeout(30):
        while len(found := (await handle.describe()).info.recent_actions) < number:
            await asyncio.to_thread(scene.requests)
    action = found[-1].action
    workflow = scene.memory.services.temporal.get_workflow_handle(action.workflow_id)  # type: ignore[attr-defined]
    return await workflow.result()


async def test_a_schedule_exports_what_has_changed_and_asks_nothing_when_nothing_has(make_scene: MakeScene) -> None:
    scene = await make_scene()
    handle = await _schedule(scene, "daily")
    assert await _run(scene, handle, 1) is True
    assert scene.written() == FIRST

    assert await _run(scene, handle, 2) is False
    assert scene.requests() == 0

    await scene.add("Another")
    assert await _run(scene, handle, 3) is True
    assert scene.written() == ON_TOP
    assert scene.repository.numbers() == [1]


async def test_a_new_interval_replaces_the_old_one_and_leaves_a_pause_alone(make_scene: MakeScene) -> None:
    scene = await make_scene()
    handle = await _schedule(scene, "daily")
    await handle.pause(note="an operator")
    await _schedule(scene, "weekly")
    found = (await handle.describe()).schedule

    assert [interval.every.days for interval in found.spec.intervals] == [7]
    assert (found.state.paused, found.state.note) == (True, "an operator")


async def test_a_team_without_a_repository_is_skipped(make_scene: MakeScene) -> None:
    scene = await make_scene(linked=False)
    handle = await _schedule(scene, "weekly")
    assert await _run(scene, handle, 1) is False
    assert scene.written() == NOTHING


async def test_off_ends_the_schedule(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await _schedule(scene, "daily")
    await _schedule(scene, "off")
    shown = await scene.memory.team("show", scene.team)

    assert "export_schedule: off" in shown["entries"]
    with pytest.raises(RPCError) as gone:
        await (await _handle(scene)).describe()
    assert gone.value.status is RPCStatusCode.NOT_FOUND
