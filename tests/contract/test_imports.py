"""Files as an outsider sends them: every line is told of, nothing comes twice, and what was forgotten stays away."""

import json
from typing import Any

import asyncpg
import pytest

from kapelle.domain.entries import Kind
from tests.memory import AGENT, Memory
from tests.workflows.scene import FAIL_FOR_GOOD, POISON

NOTE = ("gotcha", "Flaky webhook test", "It needs the clock fixture.")
LINE: dict[str, Any] = {"kind": NOTE[0], "title": NOTE[1], "body": NOTE[2], "tags": ["ci"]}
SECRET = "AKIA" + "Q3EGRTQ7ZJ5LWXYB"
REFUSED = "not stored: an AWS access key id in body, line 1, column 5; write a placeholder such as <TOKEN> instead"


def lines(*records: dict[str, Any]) -> str:
    return "\n".join(json.dumps(record) for record in records)


async def sent(memory: Memory, content: str, name: str = "a file", **fields: object) -> list[str]:
    """Send a whole file in one request, wait until its last line is done, and return the report."""
    count = str(len(content.split("\n")))
    reply = await memory.ask("import-lines", name, "1", count, content, **fields)
    assert reply["ok"], reply
    while not (await memory.ask("import-report", name, **fields))["text"].endswith(" imported"):
        pass
    report: list[str] = (await memory.ask("import-report", name, "0", **fields))["entries"]
    return report


async def test_every_line_is_told_of(memory: Memory) -> None:
    content = lines(LINE, LINE, LINE | {"title": "Key", "body": f"Use {SECRET}."}, {"kind": "story"}) + "\nno JSON"

    report = await sent(memory, content, source=AGENT)

    assert report == [
        "1 created: entry 1",
        "2 duplicate: entry 1",
        f"3 refused: {REFUSED}",
        f"4 refused: unknown memory kind; expected one of ({', '.join(Kind)})",
        "5 refused: the line is not valid JSON",
    ]
    assert (await memory.ask("list"))["entries"] == [
        "[proposed] gotcha: Flaky webhook test\nIt needs the clock fixture."
    ]


async def test_a_round_trip_into_an_empty_team_restores_all_that_is_known_of_each_entry(memory: Memory) -> None:
    await _history(memory)
    exported = (await memory.ask("export-lines"))["entries"]
    await memory.team("create", "twin")

    report = await sent(memory, "\n".join(exported), team="twin")

    assert [line.split(" ")[1] for line in report] == ["created:"] * 5
    twin = (await memory.ask("export-lines", team="twin"))["entries"]
    assert _renumbered(twin) == _renumbered(exported)
    assert len({json.loads(line)["status"] for line in exported}) == 2
    assert [len(json.loads(line)["links"]) for line in exported] == [0, 1, 1, 0, 0]
    assert (await memory.ask("list", team="twin")) == (await memory.ask("list"))
    assert (await memory.ask("conflicts", team="twin"))["entries"] == []


async def _history(memory: Memory) -> None:
    """Two editions of one entry before the current one, an accepted one, a proposed one with all that can be set."""
    await memory.ask("add", "fact", "Deploy time", "Deploys run at noon.", "ops")
    await memory.ask("edit", "1", "fact", "Deploy time", "Deploys run at 14:00.", "ops")
    await memory.ask("edit", "2", "decision", "Deploy time", "Deploys run at 15:00 since the noon ones failed.", "ops")
    await memory.ask("propose", "gotcha", "Flaky webhook test", "It needs the clock fixture.", source=AGENT)
    await memory.ask("accept", "4")
    await memory.ask("propose", "procedure", "Rotating keys", "Ask the security team for a slot.", source=AGENT)
    await memory.rows(
        'update ibex_core.memories set pinned = true, confidence = 0.7, metadata = \'{"run": [7, "ü"]}\', '
        "created_at = now() - interval '3 days', valid_from = now() - interval '2 days', "
        "valid_until = now() + interval '1 year' where id = 5"
    )
    await memory.rows(
        "insert into ibex_core.memory_labels (org_id, memory_id, label, confidence) "
        "select org_id, id, 'fact', 0.3 from ibex_core.memories where id = 5"
    )


def _renumbered(exported: list[str]) -> list[dict[str, Any]]:
    """Return the entries with their places for their ids, in themselves and in what links to them."""
    found: list[dict[str, Any]] = [json.loads(line) for line in exported]
    places = {entry["id"]: place for place, entry in enumerate(found)}
    return [
        entry
        | {"id": places[entry["id"]]}
        | {"links": [{"kind": link["kind"], "to": places[link["to"]]} for link in entry["links"]]}
        for entry in found
    ]


async def test_the_same_file_changes_nothing_the_second_time(memory: Memory) -> None:
    await _history(memory)
    exported = (await memory.ask("export-lines"))["entries"]
    await memory.team("create", "twin")
    first = await sent(memory, "\n".join(exported), team="twin")
    before = await memory.rows("select * from ibex_core.memories order by id")
    events = await memory.rows("select count(*) from ibex_core.memory_events")

    again = await sent(memory, "\n".join(exported), team="twin")
    longer = await sent(memory, "\n".join([*exported, lines(LINE | {"title": "More"})]), "longer", team="twin")

    assert again == first
    assert [line.partition(": ")[0] for line in longer] == [*(f"{n} duplicate" for n in range(1, 6)), "6 created"]
    rows = await memory.rows("select * from ibex_core.memories order by id")
    assert rows[:-1] == before
    assert (await memory.rows("select count(*) from ibex_core.memory_events"))[0]["count"] == events[0]["count"] + 1


async def test_forgotten_text_does_not_come_back_by_an_import_of_anyone(memory: Memory) -> None:
    await memory.ask("add", *NOTE)
    (exported,) = (await memory.ask("export-lines"))["entries"]
    await memory.ask("forget", "1")

    forgotten = "this text was forgotten in this team; only a person can add it again"
    assert await sent(memory, exported) == [f"1 refused: {forgotten}"]
    assert await sent(memory, lines(LINE), source=AGENT) == [f"1 refused: {forgotten}"]

    assert (await memory.ask("list"))["text"] == "0 entries"
    assert (await memory.ask("add", *NOTE))["text"].endswith(" added.")


async def test_what_an_import_created_and_a_person_forgot_stays_away_from_the_same_file(memory: Memory) -> None:
    await sent(memory, lines(LINE))
    await memory.ask("forget", "1")

    await sent(memory, lines(LINE))
    report = await sent(memory, lines(LINE), "the same under another name")

    assert report == ["1 refused: this text was forgotten in this team; only a person can add it again"]
    assert (await memory.ask("list"))["text"] == "0 entries"


@pytest.mark.parametrize("caller", [{"source": AGENT}, {"user": "grace"}])
async def test_only_maintainers_restore_a_review(memory: Memory, caller: dict[str, str]) -> None:
    await memory.team("add-member", "demo", "grace", "member")
    judged = {"status": "curated", "source": "person:ada", "created_at": "2020-01-01T00:00:00Z", "pinned": True}

    report = await sent(memory, lines(LINE | judged, LINE | {"title": "Old", "current": False}), **caller)

    assert report == [
        "1 created: entry 1",
        "2 refused: this entry was superseded; only a maintainer of the team can bring history back",
    ]
    (row,) = await memory.rows("select status, source, pinned, created_at, accepted_by from ibex_core.memories")
    assert (row["status"], row["pinned"], row["accepted_by"]) == ("proposed", False, None)
    assert row["source"] in {AGENT, "person:grace"}
    assert row["created_at"].year > 2020


async def test_a_dry_run_foresees_each_line_and_leaves_nothing(memory: Memory) -> None:
    await memory.ask("add", *NOTE)
    content = lines(LINE, LINE | {"title": "New"}, LINE | {"body": f"Use {SECRET}."})

    reply = await memory.ask("import-lines", "a file", "1", "3", content, "dry-run")

    assert reply["text"] == "3 lines would be: 1 created, 1 duplicate, 1 refused"
    assert reply["entries"][:2] == ["1 duplicate: entry 1", "2 created"]
    assert await memory.rows("select * from ibex_core.import_lines") == []
    assert (await memory.ask("list"))["text"] == "1 entry"


async def test_refused_text_and_finished_text_are_not_kept_beside_the_entries(memory: Memory) -> None:
    hiding: list[dict[str, Any]] = [
        {"body": f"Use {SECRET}."},
        {"metadata": {"key": SECRET}},
        {"id": SECRET},
        {"source": SECRET},
        {"links": [{"kind": "refines", "to": SECRET}]},
        {"kind": SECRET},
    ]
    await sent(memory, lines(LINE, *(LINE | fields for fields in hiding)))

    rows = await memory.rows("select * from ibex_core.import_lines order by line")
    assert [row["state"] for row in rows] == ["created", *["refused"] * len(hiding)]
    assert "in the metadata" in rows[2]["reason"]
    assert not any(SECRET in str(row) or "clock fixture" in str(row) for row in rows)


async def test_a_refused_line_is_judged_again_when_the_file_is_sent_again(memory: Memory) -> None:
    linked = lines(LINE | {"body": "See https://wiki.acme.test/clock for the fixture."})
    (refused,) = await sent(memory, linked)
    await memory.team("allow-host", "demo", "wiki.acme.test")

    assert "refused" in refused
    assert await sent(memory, linked) == ["1 created: entry 1"]


async def test_another_total_is_another_import(memory: Memory) -> None:
    await sent(memory, lines(LINE))

    reply = await memory.ask("import-lines", "a file", "1", "2", lines(LINE, LINE))

    assert reply["error"] == "the import began with another total; a changed file is another import"


async def test_a_line_that_cannot_be_stored_fails_alone(memory: Memory) -> None:
    owner = await asyncpg.connect(memory.database.owner_dsn)
    await owner.execute(FAIL_FOR_GOOD)
    await owner.close()

    report = await sent(memory, lines(LINE, LINE | {"body": POISON}, LINE | {"title": "Last"}))

    assert [line.partition(" entry")[0] for line in report] == [
        "1 created:",
        "2 failed: the write could not be stored; the same request may be tried again",
        "3 created:",
    ]
