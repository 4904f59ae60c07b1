"""Exports that GitHub refuses, delays or loses: what is written all the same, and the reason that people are told."""

import asyncio
from typing import Any

import pytest

from kapelle.domain.exports import BRANCH
from kapelle.domain.rules.rendering import PATH
from tests.doubles.github.api import EMPTY, Answer, refuse
from tests.exports.conftest import MakeScene
from tests.exports.scene import CREATE, FIRST, NOTHING, ON_TOP, OPEN, PUT, Scene

SSO = "required; url=https://github.com/orgs/acme/sso?authorization_request=SECRET"
LACKS = "the token lacks a permission; it needs Contents and Pull requests, both read and write"
RULED = "a rule of the repository forbids to change the branch kapelle/team-memory"
LIMITED = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


def plan(scene: Scene, method: str, path: str, kind: Any = "status", **more: Any) -> None:
    scene.github.plan(
        method, rf"/(repos/{scene.repository.name}|repositories/{scene.repository.id}){path}", kind, **more
    )


async def test_a_pull_request_that_could_not_be_opened_is_opened_by_the_next_export(make_scene: MakeScene) -> None:
    scene = await make_scene()
    plan(scene, "POST", "/pulls", answer=refuse(403, "Resource not accessible by personal access token"))
    assert await scene.fall_back() == LACKS
    assert scene.written() == [CREATE, PUT]
    assert await scene.record() is None

    assert await scene.export() == f"Team memory exported, PR #1 opened: {scene.url()}"
    assert scene.written() == [OPEN]
    assert scene.commits() == 1


@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
@pytest.mark.parametrize(("method", "path"), [("POST", "/git/refs"), ("PUT", "/contents"), ("POST", "/pulls$")])
async def test_a_lost_reply_leaves_one_commit_one_pull_request_and_the_right_answer(
    make_scene: MakeScene, method: str, path: str, kind: str
) -> None:
    scene = await make_scene()
    plan(scene, method, path, kind)
    assert await scene.export() == f"Team memory exported, PR #1 opened: {scene.url()}"

    assert scene.written() == FIRST
    assert (scene.commits(), scene.repository.numbers()) == (1, [1])


async def test_a_lost_reply_of_an_update_is_one_commit(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    await scene.add("Another")
    scene.written()
    plan(scene, "PUT", "/contents", "drop_after")
    assert await scene.export() == f"Team memory exported, PR #1 updated: {scene.url()}"

    assert scene.written() == ON_TOP
    assert scene.commits() == 2


@pytest.mark.parametrize(
    "answer",
    [
        refuse(409, f"{PATH} does not match 0123"),
        refuse(409, f"{BRANCH} is at 0123 but expected 4567"),
        refuse(422, 'Invalid request.\n\n"sha" wasn\'t supplied.'),
    ],
)
async def test_somebody_elses_change_between_look_and_write_is_looked_at_again(
    make_scene: MakeScene, answer: Answer
) -> None:
    scene = await make_scene()
    plan(scene, "PUT", "/contents", answer=answer, times=2)
    assert await scene.export() == f"Team memory exported, PR #1 opened: {scene.url()}"
    assert scene.written() == FIRST


@pytest.mark.parametrize(
    "answer",
    [Answer(status=502, body="<html>Unicorn!</html>"), refuse(500, "Server Error"), refuse(503, "Unavailable")],
)
async def test_a_failure_of_github_is_tried_again(make_scene: MakeScene, answer: Answer) -> None:
    scene = await make_scene()
    plan(scene, "POST", "/pulls$", answer=answer)
    assert await scene.export() == f"Team memory exported, PR #1 opened: {scene.url()}"
    assert scene.written() == FIRST


async def test_a_rate_limit_is_waited_out_as_its_header_says(make_scene: MakeScene) -> None:
    scene = await make_scene()
    plan(scene, "PUT", "/contents", answer=refuse(403, LIMITED, Retry_After="2"))
    assert await scene.export() == f"Team memory exported, PR #1 opened: {scene.url()}"
    assert scene.written() == FIRST


async def test_a_rate_limit_of_hours_is_not_waited_for(make_scene: MakeScene) -> None:
    scene = await make_scene()
    plan(scene, "PUT", "/contents", answer=refuse(429, "Too many requests", Retry_After="36000"))
    assert await scene.fall_back() == "GitHub asks to wait 600 minutes before the next request"
    assert scene.written() == [CREATE]
    assert scene.repository.numbers() == []


REFUSALS = (
    ("GET", "", refuse(401, "Bad credentials"), "GitHub does not accept the token; an admin must renew it"),
    (
        "GET",
        "",
        refuse(403, "Resource protected by organization SAML enforcement.", X_GitHub_SSO=SSO),
        "the token is not authorized for the organization's single sign-on; an admin must do that",
    ),
    ("GET", "", refuse(404, "Not Found"), "the repository was not found, or the token has no access to it"),
    ("GET", "", refuse(451, "Repository access blocked"), "GitHub has blocked the repository"),
    ("GET", "/git/ref/heads/main", EMPTY, "the repository is empty; it needs a first commit"),
    ("POST", "/git/refs", refuse(403, "Resource not accessible by integration"), LACKS),
    ("PUT", "/contents", refuse(418, "I'm a teapot"), "GitHub refused it (it answered 418)"),
)


@pytest.mark.parametrize(("method", "path", "answer", "reason"), REFUSALS)
async def test_a_refusal_ends_as_text_at_once_with_a_reason(
    make_scene: MakeScene, method: str, path: str, answer: Answer, reason: str
) -> None:
    scene = await make_scene()
    plan(scene, method, path or "$", answer=answer)
    assert await scene.fall_back() == reason
    assert [line for line in scene.written() if line != CREATE] == NOTHING
    assert scene.repository.numbers() == []
    assert await scene.record() is None


async def test_an_archived_repository_is_told(make_scene: MakeScene) -> None:
    scene = await make_scene()
    scene.repository.rules.archived = True
    assert await scene.fall_back() == "the repository is archived"
    assert scene.requests() == 1


async def test_a_token_that_may_not_push_is_told(make_scene: MakeScene) -> None:
    scene = await make_scene()
    scene.repository.rules.no_push = True
    assert await scene.fall_back() == "the token may not push to the repository"
    assert scene.requests() == 1


async def test_an_empty_repository_gets_no_first_commit(make_scene: MakeScene) -> None:
    scene = await make_scene(empty=True)
    assert await scene.fall_back() == "the repository is empty; it needs a first commit"
    assert scene.written() == NOTHING
    assert scene.repository.git.branches() == {}


async def test_a_branch_that_is_in_the_way_is_named(make_scene: MakeScene) -> None:
    scene = await make_scene()
    scene.repository.git.create_branch("kapelle", scene.repository.git.head("main") or "")
    assert await scene.fall_back() == "a branch named kapelle is in the way of kapelle/team-memory; rename it"
    assert scene.written() == NOTHING


async def test_a_pull_request_in_the_merge_queue_is_left_alone(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.rules.queued.add(BRANCH)
    await scene.add("Another")
    scene.written()
    assert await scene.fall_back() == "PR #1 is in the merge queue; try again after it lands"
    assert scene.written() == NOTHING

    scene.repository.rules.queued.clear()
    scene.repository.merge(scene.pull())
    assert await scene.export() == f"Team memory exported, PR #2 opened: {scene.url(2)}"
    assert (scene.commits(2), scene.mergeable(2)) == (1, True)


async def test_a_rule_that_closes_the_branch_is_told(make_scene: MakeScene) -> None:
    scene = await make_scene()
    scene.repository.rules.closed.add(BRANCH)
    assert await scene.fall_back() == RULED
    assert scene.written() == [CREATE]
    assert scene.repository.numbers() == []


async def test_where_force_is_forbidden_the_base_is_merged_into_the_branch(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.merge(scene.pull(), "squash")
    scene.repository.rules.unforced.add(BRANCH)
    await scene.add("Another")
    scene.written()
    assert await scene.export() == f"Team memory exported, PR #2 opened: {scene.url(2)}"
    assert scene.written() == ["POST merges", PUT, OPEN]
    assert scene.mergeable(2)


async def test_where_neither_force_nor_a_merge_is_possible_nothing_is_written(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.repository.merge(scene.pull(), "squash")
    scene.repository.git.commit("main", {PATH: b"# Theirs\n"}, "Theirs")
    scene.repository.rules.unforced.add(BRANCH)
    await scene.add("Another")
    scene.written()
    assert await scene.fall_back() == RULED
    assert scene.written() == NOTHING
    assert scene.repository.numbers() == [1]


@pytest.mark.parametrize(
    ("mode", "kind"), [("120000", "symlink"), ("160000", "submodule"), ("100644", ""), ("040000", "directory")]
)
async def test_nothing_is_written_through_or_over_what_is_no_plain_file(
    make_scene: MakeScene, mode: str, kind: str
) -> None:
    scene = await make_scene()
    git = scene.repository.git
    head = git.head("main") or ""
    if kind == "directory":
        git.commit("main", {f"{PATH}/inner.md": b"x\n"}, "Odd")
        reason = f"{PATH} is a directory in the repository"
    elif kind:
        git.commit("main", {PATH: (mode, head if mode == "160000" else git.store(b"guide.md"))}, "Odd")
        reason = f"{PATH} is a {kind} in the repository"
    else:
        git.commit("main", {"docs": b"A file.\n"}, "Odd")
        reason = "docs is not a directory in the repository"
    assert await scene.fall_back() == reason
    assert scene.written() == NOTHING


async def test_a_renamed_repository_is_followed_by_its_id(make_scene: MakeScene) -> None:
    scene = await make_scene()
    await scene.export()
    scene.github.rename(scene.repository, f"{scene.repository.name}-new")
    await scene.add("Another")
    scene.written()
    assert await scene.export() == f"Team memory exported, PR #1 updated: {scene.url()}"
    assert scene.written() == ON_TOP
    shown = await scene.memory.team("show", scene.team)
    assert f"repo_url: {scene.linked}" in shown["entries"]


async def test_a_repository_that_was_renamed_before_the_first_export_is_found(make_scene: MakeScene) -> None:
    scene = await make_scene(linked=False)
    old = scene.linked
    scene.github.rename(scene.repository, f"{scene.repository.name}-new")
    assert (await scene.memory.team("link-repo", scene.team, old))["ok"]
    assert await scene.export() == f"Team memory exported, PR #1 opened: {scene.url()}"
    assert scene.written() == FIRST


async def test_callers_at_the_same_time_share_one_export(make_scene: MakeScene) -> None:
    scene = await make_scene()
    held = scene.github.plan("PUT", f"/{scene.repository.name}/contents", "hold_after")
    first = asyncio.create_task(scene.export())
    await asyncio.to_thread(held.held.wait, 20)
    hurried = {"headers": {"Kapelle-Timeout-Ms": "400"}}
    told = {(await scene.ask("export", "pr", request_id=name, **hurried))["text"] for name in ("a", "b", "c")}
    assert len(told) == 1
    held.released.set()

    opened = f"Team memory exported, PR #1 opened: {scene.url()}"
    assert {await first, *[await scene.export(request_id=name) for name in ("a", "b", "c")]} == {opened}
    assert scene.written() == FIRST


async def test_a_repository_has_one_team(make_scene: MakeScene) -> None:
    scene = await make_scene()
    other = await make_scene(linked=False)
    taken = {
        "ok": False,
        "error": f"the repository belongs to team '{scene.team}' already; a repository has one team",
    }
    assert await scene.memory.team("link-repo", other.team, scene.linked.replace("payments", "Payments")) == taken

    # A new name is not a new repository.
    scene.github.rename(scene.repository, f"{scene.repository.name}-new")
    assert await scene.memory.team("link-repo", other.team, scene.linked) == taken
    assert (await scene.memory.team("link-repo", scene.team, scene.linked))["ok"]


async def test_what_no_repository_and_no_entry_say(make_scene: MakeScene) -> None:
    scene = await make_scene(linked=False)
    assert await scene.fall_back() == "no repository is linked to the team"
    assert (await scene.memory.team("link-repo", scene.team, "https://gitlab.com/acme/payments"))["ok"]
    assert await scene.fall_back() == "the team's repository is not on the GitHub that is configured here"
    empty = await make_scene(entries=0)
    assert await empty.fall_back() == "there is nothing to export yet"
    assert (empty.requests(), scene.requests()) == (0, 0)


async def test_the_same_request_again_gets_the_same_answer(make_scene: MakeScene) -> None:
    scene = await make_scene()
    opened = f"Team memory exported, PR #1 opened: {scene.url()}"
    assert await scene.export(request_id="one") == opened
    assert await scene.export(request_id="one") == opened
    assert scene.written() == FIRST


async def test_a_caller_that_cannot_wait_asks_again_and_hears_the_steps(make_scene: MakeScene) -> None:
    scene = await make_scene()
    held = scene.github.plan("POST", f"/{scene.repository.name}/pulls", "hold_after")
    hurried = {"request_id": "mine", "steps": True, "headers": {"Kapelle-Timeout-Ms": "1000"}}
    reply = await scene.ask("export", "pr", **hurried)
    operation = reply["text"].removeprefix("Still running as operation ").removesuffix(".")
    await asyncio.to_thread(held.held.wait, 20)
    assert (await scene.ask("operation", operation))["text"] == f"Operation {operation} running"
    again = await scene.ask("export", "pr", **hurried)
    assert again["text"] == reply["text"]
    assert [step.split(",")[0] for step in again["steps"]] == [
        "1 entry rendered",
        f"branch {BRANCH} created",
        f"{PATH} committed",
    ]
    held.released.set()
    opened = f"Team memory exported, PR #1 opened: {scene.url()}"
    assert await scene.export(request_id="mine") == opened
    assert (await scene.ask("operation", operation))["text"] == f"Operation {operation} completed: {opened}"
    assert scene.written() == FIRST


async def test_what_a_pull_request_says_holds_counts_and_ids_only(make_scene: MakeScene) -> None:
    scene = await make_scene(entries=0)
    first, second = await scene.add("Ask @dana"), await scene.add("Closes #1 [skip ci]")
    await scene.export()
    assert scene.pull().body == (
        f"The memory of team `{scene.team}`: 2 entries; 2 added, 0 changed, 0 removed.\n\n- added: {first}, {second}\n"
    )
    scene.repository.merge(scene.pull())
    third = await scene.change(first)
    await scene.ask("forget", second)
    await scene.export()
    assert scene.pull(2).body == (
        f"The memory of team `{scene.team}`: 1 entry; 0 added, 1 changed, 1 removed.\n\n"
        f"- changed: {third}\n- removed: {second}\n"
    )
    messages = {scene.repository.git.message(sha) for sha in scene.repository.git.log(BRANCH)}
    assert not any("dana" in message or "skip ci" in message for message in messages)


async def test_what_the_scan_would_refuse_today_does_not_leave(make_scene: MakeScene) -> None:
    scene = await make_scene()
    entry_id = await scene.add("Old secret")
    secret = "AKIA" + "Q3EGRTQ7ZJ5LWXYB"
    await scene.memory.rows("update ibex_core.memories set body = $1 where id = $2", f"key {secret}", int(entry_id))
    text = await scene.export()
    assert text == f"Team memory exported, PR #1 opened: {scene.url()} (left out by the scan: {entry_id})"
    assert secret not in (scene.file() or "")
    assert "Entry 0" in (scene.file() or "")
