"""Exports when nothing goes wrong: what is written, what is not, and what the reply says."""

import pytest

from kapelle.domain.exports import BRANCH, TITLE
from kapelle.domain.rules.rendering import PATH
from tests.exports.conftest import MakeScene
from tests.exports.scene import AGAIN, FIRST, NOTHING, ON_TOP


async def test_the_first_export_opens_a_pull_request_with_one_commit(make_scene: MakeScene) -> None:
    scene = await make_scene(entries=2)
    assert await scene.export() == f"Team memory exported, PR #1 opened: {scene.url()}"

    assert scene.written() == FIRST
    assert scene.commits() == 1
    assert scene.mergeable()
    assert scene.file("main") is None
    assert (scene.file() or "").count("\n### m-") == 2
    assert (scene.pull().title, scene.pull().head, scene.pull().base) == (TITLE, BRANCH, "main")


async def test_an_unchanged_memory_writes_nothing_while_the_pull_request_is_open(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.written()
    assert await scene.export() == f"Team memory unchanged, PR #1 still open: {scene.url()}"

    assert scene.requests() == 2
    assert scene.commits() == 1
    assert scene.repository.numbers() == [1]


async def test_a_changed_memory_is_one_commit_on_top_of_the_open_pull_request(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.written()
    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #1 updated: {scene.url()}"

    assert scene.written() == ON_TOP
    assert scene.commits() == 2
    assert scene.repository.numbers() == [1]


@pytest.mark.parametrize("method", ["squash", "merge", "rebase"])
async def test_after_a_merge_a_changed_memory_is_a_mergeable_pull_request_with_one_commit(
    make_scene: MakeScene, method: str
) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.merge(scene.pull(), method)
    scene.written()
    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #2 opened: {scene.url(2)}"

    assert scene.written() == AGAIN
    assert scene.commits(2) == 1
    assert scene.mergeable(2)


@pytest.mark.parametrize("method", ["squash", "rebase"])
async def test_without_bringing_the_branch_to_the_base_the_second_pull_request_would_conflict(
    make_scene: MakeScene, method: str
) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.git.commit("main", {"README.md": b"moved\n"}, "Meanwhile")
    scene.repository.merge(scene.pull(), method)
    scene.repository.git.commit(BRANCH, {PATH: b"# Something else\n"}, "Naive")
    naive = scene.repository.open_pull(BRANCH, "main")

    assert not scene.repository.mergeable(naive)


@pytest.mark.parametrize("method", ["squash", "merge", "rebase"])
async def test_after_a_merge_an_unchanged_memory_writes_nothing(make_scene: MakeScene, method: str) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.merge(scene.pull(), method)
    scene.written()
    assert await scene.export() == f"Team memory unchanged since PR #1, which was merged: {scene.url()}"

    assert scene.written() == NOTHING
    assert scene.repository.numbers() == [1]


@pytest.mark.parametrize("method", ["squash", "merge", "rebase"])
async def test_without_a_record_the_base_says_that_it_is_up_to_date(make_scene: MakeScene, method: str) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.merge(scene.pull(), method)
    await scene.forget_record()
    scene.written()
    assert await scene.export() == "Team memory on main is already up to date."

    assert scene.written() == NOTHING
    assert await scene.record() is None


async def test_after_a_merge_that_deleted_the_branch_it_is_made_anew(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.merge(scene.pull(), delete_branch=True)
    scene.written()
    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #2 opened: {scene.url(2)}"

    assert scene.written() == FIRST
    assert (scene.commits(2), scene.mergeable(2)) == (1, True)


async def test_a_pull_request_that_people_closed_stays_closed_until_the_memory_changes(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.pull().state = "closed"
    scene.written()
    closed = f"Team memory unchanged since PR #1, which was closed without merging: {scene.url()}"
    assert await scene.export() == closed
    assert scene.written() == NOTHING

    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #2 opened: {scene.url(2)}"
    assert scene.written() == AGAIN
    assert scene.commits(2) == 1


async def test_what_people_committed_to_the_branch_stays(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    by_hand = scene.repository.git.commit(BRANCH, {"docs/more.md": b"By hand.\n"}, "More")
    scene.repository.follow()
    scene.written()
    assert (await scene.export()).startswith("Team memory unchanged, PR #1 still open")
    assert scene.written() == NOTHING

    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #1 updated: {scene.url()}"
    assert scene.written() == ON_TOP
    assert by_hand in scene.repository.git.log(BRANCH)


async def test_edits_of_the_file_stay_until_the_memory_changes_and_are_named_then(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    by_hand = scene.repository.git.commit(BRANCH, {PATH: b"# Mine\n"}, "Better words", author="dana")
    scene.repository.follow()
    scene.written()
    assert await scene.export() == f"Team memory unchanged, PR #1 still open: {scene.url()}"
    assert scene.written() == NOTHING
    assert scene.file() == "# Mine\n"

    await scene.add("Another")
    replaced = f"(replaced edits by dana in {by_hand[:7]})"
    assert await scene.export() == f"Team memory exported, PR #1 updated: {scene.url()} {replaced}"
    assert scene.written() == ON_TOP
    assert by_hand in scene.repository.git.log(BRANCH)


async def test_titles_and_descriptions_that_people_wrote_stay(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.pull().title, scene.pull().body = "Our words", "Ours too"
    await scene.add("Another")
    await scene.export()

    assert (scene.pull().title, scene.pull().body) == ("Our words", "Ours too")


async def test_a_file_that_the_base_holds_already_is_not_exported(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.git.commit("main", {PATH: (scene.file() or "").encode()}, "By hand")
    scene.pull().state = "closed"
    await scene.forget_record()
    scene.written()
    assert await scene.export() == "Team memory on main is already up to date."

    assert scene.written() == NOTHING
    assert scene.repository.numbers() == [1]


async def test_the_default_branch_may_have_any_name(make_scene: MakeScene) -> None:
    scene = await make_scene(base="trunk")
    assert await scene.export() == f"Team memory exported, PR #1 opened: {scene.url()}"
    assert (scene.pull().base, scene.written()) == ("trunk", FIRST)

    scene.repository.merge(scene.pull())
    scene.repository.git.rename_branch("trunk", "next")
    scene.repository.base = "next"
    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #2 opened: {scene.url(2)}"
    assert scene.pull(2).base == "next"


async def test_a_pull_request_that_people_retargeted_is_still_ours(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.git.create_branch("release", scene.repository.git.head("main") or "")
    scene.pull().base = "release"
    scene.written()
    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #1 updated: {scene.url()} (it goes to release)"

    assert scene.written() == ON_TOP
    assert scene.repository.numbers() == [1]


async def test_of_two_open_pull_requests_the_one_to_the_default_branch_is_ours(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.git.create_branch("release", scene.repository.git.head("main") or "")
    scene.repository.open_pull(BRANCH, "release")
    scene.written()
    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #1 updated: {scene.url()}"
    assert scene.written() == ON_TOP


async def test_a_branch_that_was_deleted_under_its_pull_request_is_made_anew(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.git.delete_branch(BRANCH)
    scene.repository.follow()
    scene.written()
    assert "closed without merging" in await scene.export()
    assert scene.written() == NOTHING

    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #2 opened: {scene.url(2)}"
    assert scene.written() == FIRST


async def test_pull_requests_of_forks_with_a_branch_of_the_same_name_are_not_ours(make_scene: MakeScene) -> None:
    scene = await make_scene()
    scene.repository.open_pull(BRANCH, "main", home=9001, owner="mallory")
    # A fork within the same organisation has the same owner, and one that was deleted has no repository.
    scene.repository.open_pull(BRANCH, "main", home=9002)
    assert await scene.export() == f"Team memory exported, PR #3 opened: {scene.url(3)}"
    assert scene.written() == FIRST


async def test_a_conflict_with_the_base_is_told(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.git.commit("main", {PATH: b"# Theirs\n"}, "Theirs")
    scene.written()
    await scene.add("Another")
    assert await scene.export() == f"Team memory exported, PR #1 updated: {scene.url()} (has conflicts with main)"
    assert scene.written() == ON_TOP


async def test_a_file_of_more_than_a_megabyte_is_exported_and_said_to_be_long(make_scene: MakeScene) -> None:
    scene = await make_scene(entries=0)
    for number in range(17):
        await scene.add(f"Long {number}", f"{number} " + "wordy " * 10_900)
    assert "(the file has 1" in await scene.export()
    assert len(scene.file() or "") > 1_048_576
    await scene.add("Another")
    scene.written()
    assert "PR #1 updated" in await scene.export()
    assert scene.written() == ON_TOP
