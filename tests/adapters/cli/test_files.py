"""`kapelle memory export --format` and `import`, as a shell runs them, on a running service."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.adapters.cli.running import Ended, kapelle
from tests.memory import Memory

BOOK = [
    ("convention", "Use pnpm, not npm", "CI caches the pnpm store; ask `@dana` about #12."),
    ("gotcha", "Flaky webhook test", "It needs the clock fixture.\n\n# Not a heading\n\n```\ncode\n```"),
    ("fact", "Deploy time", "Deploys run at noon."),
]


@pytest.fixture
def env(memory: Memory, nats_url: str) -> Mapping[str, str]:
    assert memory.nats.is_connected
    return {"KAPELLE_NATS_URL": nats_url, "KAPELLE_TEAM": "demo", "KAPELLE_USER": "ada"}


@pytest.fixture
async def book(memory: Memory) -> None:
    for entry in BOOK:
        await memory.ask("add", *entry)
    await memory.ask("edit", "3", "fact", "Deploy time", "Deploys run at 14:00.")
    await memory.ask("propose", "preference", "Tabs", "Somebody likes tabs.")


async def _ok(*args: str, env: Mapping[str, str]) -> Ended:
    ended = await kapelle(*args, env=env)
    assert ended.code == 0, ended
    return ended


@pytest.mark.usefixtures("book")
async def test_a_file_that_was_exported_brings_everything_back_into_an_empty_team(
    memory: Memory, env: Mapping[str, str], tmp_path: Path
) -> None:
    file = str(tmp_path / "memory.jsonl")
    await _ok("memory", "export", "--format", "jsonl", "--output", file, env=env)
    await memory.team("create", "twin")

    first = await _ok("memory", "import", file, "--team", "twin", env=env)
    again = await _ok("memory", "import", file, "--team", "twin", env=env)

    assert first.stdout.split("\n")[0].startswith("line 1: created entry ")
    assert first.stderr == "5 done: 5 created, 0 duplicate, 0 refused, 0 failed\n"
    assert again == first
    assert await memory.ask("list", team="twin") == await memory.ask("list")
    assert (await memory.rows("select count(*) from ibex_core.memories"))[0]["count"] == 10


@pytest.mark.usefixtures("book")
async def test_the_markdown_of_an_export_comes_back_as_the_same_texts(
    memory: Memory, env: Mapping[str, str], tmp_path: Path
) -> None:
    file = str(tmp_path / "team-memory.md")
    await _ok("memory", "export", "--format", "markdown", "--output", file, env=env)
    await memory.team("create", "twin")

    await _ok("memory", "import", file, "--team", "twin", env=env)

    entries = (await memory.ask("list", team="twin"))["entries"]
    assert "[proposed] fact: Deploy time\nDeploys run at 14:00." in entries
    assert f"[proposed] gotcha: {BOOK[1][1]}\n{BOOK[1][2]}" in entries
    assert sorted(entry.split("\n")[0] for entry in entries) == [
        "[proposed] convention: Use pnpm, not npm",
        "[proposed] fact: Deploy time",
        "[proposed] gotcha: Flaky webhook test",
    ]


@pytest.mark.usefixtures("book")
async def test_the_section_for_agents_holds_what_is_current_and_curated(env: Mapping[str, str]) -> None:
    shown = (await _ok("memory", "export", "--format", "agents-md", env=env)).stdout

    assert shown.startswith("## Team memory: demo\n\n")
    assert "- Use pnpm, not npm: CI caches the pnpm store; ask `@dana` about `#12`.\n" in shown
    assert "- Deploy time: Deploys run at 14:00.\n" in shown
    assert "noon" not in shown
    assert "tabs" not in shown


async def test_what_is_refused_is_told_with_its_place_and_the_run_ends_in_an_error(
    env: Mapping[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "some.jsonl"
    good = {"kind": "fact", "title": "A", "body": "Something true."}
    file.write_text("\n".join(["", json.dumps(good), "", json.dumps(good | {"kind": "story"})]), encoding="utf-8")

    ended = await kapelle("memory", "import", str(file), env=env)

    assert ended.code == 1
    assert ended.stdout.startswith("line 2: created entry 1\nline 4: refused unknown memory kind;")
    assert ended.stderr == "2 done: 1 created, 0 duplicate, 1 refused, 0 failed\n"


async def test_a_dry_run_stores_nothing(memory: Memory, env: Mapping[str, str], tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# Facts\n\n## Deploys\n\nThey run at noon.\n", encoding="utf-8")

    ended = await _ok("memory", "import", str(file), "--dry-run", env=env)

    assert ended.stdout == "line 3: created\n"
    assert ended.stderr == "1 would be: 1 created, 0 duplicate, 0 refused, 0 failed\n"
    assert (await memory.ask("list"))["text"] == "0 entries"


async def test_a_folder_of_notes_is_one_import(env: Mapping[str, str], tmp_path: Path) -> None:
    for name in ("one", "two"):
        note = f"---\ntitle: Note {name}\ntype: note\n---\n# Note {name}\n\nText of {name}.\n"
        (tmp_path / f"{name}.md").write_text(note, encoding="utf-8")

    ended = await _ok("memory", "import", str(tmp_path), env=env)

    assert [line.partition(" entry")[0] for line in ended.stdout.splitlines()] == [
        "one.md: created",
        "two.md: created",
    ]


async def test_options_that_contradict_each_other_are_wrong_usage(env: Mapping[str, str]) -> None:
    both = await kapelle("memory", "export", "--pr", "--format", "jsonl", env=env)
    alone = await kapelle("memory", "export", "--output", "here", env=env)
    none = await kapelle("memory", "import", "/no/such/file", env=env)

    assert (both.code, alone.code, none.code) == (2, 2, 2)
    assert "not both" in both.stderr
