"""The client against the real service: what a person types, sees and gets as an exit code."""

import json
import stat
from pathlib import Path

import pytest

from tests.adapters.cli.running import Ended, at_a_terminal, kapelle
from tests.memory import AGENT, Memory

NOTE = ("gotcha", "Flaky webhook test", "It needs the clock fixture.")
RENDERED = "[proposed] gotcha: Flaky webhook test\n    It needs the clock fixture.\n"


@pytest.fixture
def env(memory: Memory, nats_url: str) -> dict[str, str]:
    """The environment of somebody who works on the team `demo` of this test's service."""
    assert memory.services.org_id
    return {"KAPELLE_NATS_URL": nats_url, "KAPELLE_TEAM": "demo", "KAPELLE_USER": "ada"}


def said(text: str) -> Ended:
    return Ended(code=0, stdout=text + "\n", stderr="")


def refused(error: str) -> Ended:
    return Ended(code=1, stdout="", stderr=f"kapelle: {error}\n")


async def test_an_entry_goes_its_way_from_proposal_to_forgetting(env: dict[str, str]) -> None:
    proposed = await kapelle("memory", "propose", *NOTE, "--tag", "ci", "--source", AGENT, env=env)
    assert proposed == said("Entry 1 proposed.")
    listed = await kapelle("memory", "list", env=env)
    assert listed.code == 0
    assert listed.stdout.endswith(RENDERED)
    assert listed.stderr == "1 entry\n"
    found = await kapelle("memory", "search", "webhook", "flaky", env=env)
    assert (found.stdout, found.stderr) == (listed.stdout, "1 entry found\n")
    assert await kapelle("memory", "accept", "1", env=env) == said("Entry 1 accepted.")
    assert await kapelle("memory", "get", "1", env=env) == said("\n".join(("[curated] gotcha: " + NOTE[1], NOTE[2])))
    edited = await kapelle("memory", "edit", "1", *NOTE[:2], "-", env=env, stdin=b"Freeze the clock.\n")
    assert edited == said("Entry 2 supersedes entry 1.")
    history = await kapelle("memory", "history", "1", env=env)
    assert [line.split()[1] for line in history.stdout.splitlines()] == ["proposed", "accepted", "superseded"]
    assert history.stderr == "Entry 1 has 3 events\n"
    exported = await kapelle("memory", "export", env=env)
    assert exported.stdout.endswith("[curated] gotcha: Flaky webhook test\n    Freeze the clock.\n")
    assert await kapelle("memory", "feedback", "2", "helpful", env=env) == said("Entry 2: 1 helpful, 0 unhelpful.")
    assert await kapelle("memory", "forget", "2", env=env) == said("Entry 2 forgotten.")


async def test_the_same_request_id_twice_stores_one_entry(env: dict[str, str], memory: Memory) -> None:
    line = ("memory", "propose", *NOTE, "--request-id", "from-my-shell-1")

    assert await kapelle(*line, env=env) == said("Entry 1 proposed.")
    assert await kapelle(*line, env=env) == said("Entry 1 proposed.")
    assert (await memory.ask("list"))["text"] == "1 entry"


async def test_a_refusal_is_told_on_standard_error_with_code_1(env: dict[str, str]) -> None:
    assert await kapelle("memory", "get", "99", env=env) == refused("there is no entry 99 in this team")


async def test_a_request_id_used_for_something_else_is_refused(env: dict[str, str], memory: Memory) -> None:
    await kapelle("memory", "propose", *NOTE, "--request-id", "once", env=env)

    other = await kapelle("memory", "propose", "fact", "Another", "Body.", "--request-id", "once", env=env)

    assert other.code == 1
    assert (await memory.ask("list"))["text"] == "1 entry"


async def test_json_is_the_reply_as_it_came(env: dict[str, str], memory: Memory) -> None:
    await memory.ask("propose", "fact", "Grüße", "Zwei\nZeilen")

    listed = await kapelle("memory", "get", "1", "--json", env=env)
    refusal = await kapelle("memory", "get", "99", "--json", env=env)

    (version,) = (await memory.ask("get", "1", versions=True))["versions"]
    assert listed == said(
        f'{{"ok": true, "text": "[proposed] fact: Grüße\\nZwei\\nZeilen", "versions": ["{version}"], "conflicts": []}}'
    )
    assert refusal.code == 1
    assert json.loads(refusal.stdout) == await memory.ask("get", "99")
    assert refusal.stderr == ""


async def test_a_team_is_made_and_looked_at(env: dict[str, str]) -> None:
    assert await kapelle("team", "create", "payments", env=env) == said("Team payments created.")
    added = await kapelle("team", "add-member", "payments", "bob", "maintainer", env=env)
    assert added == said("bob is a maintainer of team payments.")
    agent = await kapelle("team", "add-agent", "payments", "coder", env=env)
    assert "shown only this once: kap_" in agent.stdout
    linked = await kapelle("team", "link-repo", "payments", "https://github.com/acme/payments", env=env)
    assert linked.code == 0

    shown = await kapelle("team", "show", "payments", env=env)

    assert "repo_url: https://github.com/acme/payments\n" in shown.stdout
    assert "members: bob (maintainer)\n" in shown.stdout


async def test_a_stranger_is_refused(env: dict[str, str]) -> None:
    ended = await kapelle("memory", "list", "--user", "mallory", env=env)

    assert ended == refused("'mallory' is not a member of team 'demo'")


async def test_a_home_is_all_that_has_to_be_named(env: dict[str, str], memory: Memory, tmp_path: Path) -> None:
    endpoints = {"nats_url": env["KAPELLE_NATS_URL"], "team": "demo", "person": "ada"}
    (tmp_path / "endpoints.json").write_text(json.dumps(endpoints))

    assert await kapelle("memory", "add", *NOTE, "--home", str(tmp_path)) == said("Entry 1 added.")
    assert await memory.rows("select source from ibex_core.memories") == [{"source": "person:ada"}]


async def test_a_body_is_written_in_the_editor(env: dict[str, str], memory: Memory, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho "Written by hand." > "$1"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)

    ended = await at_a_terminal("memory", "add", *NOTE[:2], env=env | {"EDITOR": str(editor)})

    assert "Entry 1 added." in ended
    assert (await memory.ask("get", "1"))["text"].endswith("\nWritten by hand.")


async def test_an_edit_without_a_body_opens_the_old_one(env: dict[str, str], memory: Memory, tmp_path: Path) -> None:
    await memory.ask("add", *NOTE)
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho " And a seed." >> "$1"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)

    ended = await at_a_terminal("memory", "edit", "1", *NOTE[:2], env=env | {"EDITOR": str(editor)})

    assert "Entry 2 supersedes entry 1." in ended
    assert (await memory.ask("get", "2"))["text"].endswith(f"\n{NOTE[2]} And a seed.")


async def test_a_terminal_gets_a_table_that_fits(env: dict[str, str], memory: Memory) -> None:
    await memory.ask("add", "fact", "A long one", "words " * 60)

    lines = (await at_a_terminal("memory", "list", env=env | {"COLUMNS": "72", "NO_COLOR": "1"})).splitlines()

    assert "status" in lines[1]
    assert "kind" in lines[1]
    assert max(len(line) for line in lines if "words" in line) <= 72
    assert len([line for line in lines if "words" in line]) > 5
