"""The command contract: writing, word for word."""

from tests.memory import AGENT, Memory

NOTE = ("gotcha", "Flaky webhook test", "It needs the clock fixture.", "ci,webhooks")


async def test_proposing_answers_with_the_new_entry_and_no_entries_field(memory: Memory) -> None:
    reply = await memory.ask("propose", *NOTE, source=AGENT)

    assert reply == {"ok": True, "text": "Entry 1 proposed."}


async def test_adding_makes_a_curated_entry(memory: Memory) -> None:
    assert await memory.ask("add", *NOTE) == {"ok": True, "text": "Entry 1 added."}

    shown = await memory.ask("get", "1")
    assert shown == {"ok": True, "text": "[curated] gotcha: Flaky webhook test\nIt needs the clock fixture."}


async def test_what_is_there_already_is_named_and_not_stored_again(memory: Memory) -> None:
    await memory.ask("propose", *NOTE, source=AGENT)

    again = await memory.ask("propose", "fact", "flaky  WEBHOOK test", "It needs the clock fixture.")

    assert again == {"ok": True, "text": "Entry 1 already says this."}
    assert (await memory.ask("list"))["text"] == "1 entry"


async def test_adding_what_is_only_proposed_accepts_it(memory: Memory) -> None:
    await memory.ask("propose", *NOTE, source=AGENT)

    assert await memory.ask("add", *NOTE) == {"ok": True, "text": "Entry 1 accepted."}
    assert await memory.ask("add", *NOTE) == {"ok": True, "text": "Entry 1 already says this."}


async def test_accepting_is_idempotent(memory: Memory) -> None:
    await memory.ask("propose", *NOTE, source=AGENT)

    assert await memory.ask("accept", "1") == {"ok": True, "text": "Entry 1 accepted."}
    assert await memory.ask("accept", "1") == {"ok": True, "text": "Entry 1 accepted."}


async def test_editing_leaves_the_old_entry_as_it_was_and_makes_it_not_current(memory: Memory) -> None:
    await memory.ask("add", *NOTE)
    before = await memory.rows("select * from ibex_core.memories")

    edited = await memory.ask("edit", "1", "gotcha", "Flaky webhook test", "It needs two fixtures.", "ci")

    assert edited == {"ok": True, "text": "Entry 2 supersedes entry 1."}
    assert await memory.rows("select * from ibex_core.memories where id = 1") == before
    assert (await memory.ask("list"))["entries"] == ["[curated] gotcha: Flaky webhook test\nIt needs two fixtures."]
    assert (await memory.ask("get", "1"))["ok"]


async def test_the_same_edit_again_gets_the_same_answer_and_another_one_is_told_the_successor(memory: Memory) -> None:
    await memory.ask("add", *NOTE)
    change = ("gotcha", "Flaky webhook test", "It needs two fixtures.", "ci")
    await memory.ask("edit", "1", *change)

    assert await memory.ask("edit", "1", *change) == {"ok": True, "text": "Entry 2 supersedes entry 1."}
    assert await memory.ask("edit", "1", "fact", "Other", "text") == {
        "ok": False,
        "error": "entry 1 was superseded by entry 2; edit that one",
    }


async def test_an_edit_back_to_an_older_text_is_possible(memory: Memory) -> None:
    await memory.ask("add", "fact", "Port", "SSH is on port 22")
    await memory.ask("edit", "1", "fact", "Port", "SSH is on port 49222")

    assert (await memory.ask("edit", "2", "fact", "Port", "SSH is on port 22"))["text"] == "Entry 3 supersedes entry 2."


async def test_an_edit_that_changes_only_the_kind_makes_a_new_entry(memory: Memory) -> None:
    await memory.ask("add", "fact", "Port", "SSH is on port 22")

    assert (await memory.ask("edit", "1", "decision", "Port", "SSH is on port 22"))[
        "text"
    ] == "Entry 2 supersedes entry 1."
    assert (await memory.ask("list"))["entries"] == ["[curated] decision: Port\nSSH is on port 22"]


async def test_an_edit_to_what_another_entry_says_stores_nothing(memory: Memory) -> None:
    await memory.ask("add", "fact", "One", "first")
    await memory.ask("add", "fact", "Two", "second")

    assert (await memory.ask("edit", "2", "fact", "One", "first"))["text"] == "Entry 1 already says this."
    assert (await memory.ask("list"))["text"] == "2 entries"


async def test_accepting_a_superseded_proposal_names_its_successor(memory: Memory) -> None:
    await memory.ask("propose", "fact", "One", "first", source=AGENT)
    await memory.ask("edit", "1", "fact", "One", "better")

    assert await memory.ask("accept", "1") == {"ok": False, "error": "entry 1 is superseded by entry 2 of person:ada"}


async def test_forgetting_removes_the_entry_and_everything_of_it(memory: Memory) -> None:
    await memory.ask("add", *NOTE)
    await memory.ask("feedback", "1", "helpful")

    assert await memory.ask("forget", "1") == {"ok": True, "text": "Entry 1 forgotten."}

    assert (await memory.ask("get", "1"))["error"] == "there is no entry 1 in this team"
    for table in ("memories", "memory_search", "memory_labels", "memory_feedback"):
        assert await memory.rows(f"select * from ibex_core.{table}") == []


async def test_forgotten_text_comes_back_only_by_a_person(memory: Memory) -> None:
    await memory.ask("add", *NOTE)
    await memory.ask("forget", "1")

    by_agent = await memory.ask("propose", *NOTE, source=AGENT)
    by_person = await memory.ask("add", *NOTE)
    afterwards = await memory.ask("propose", *NOTE, source=AGENT)

    assert by_agent == {"ok": False, "error": "this text was forgotten in this team; only a person can add it again"}
    assert by_person["ok"]
    assert afterwards["text"].endswith("already says this.")


async def test_a_credential_is_refused_by_rule_and_place_and_never_echoed(memory: Memory) -> None:
    secret = "AKIA" + "Q3EGRTQ7ZJ5LWXYB"

    reply = await memory.ask("propose", "fact", "Access", f"first line\nkey {secret}", source=AGENT)

    assert not reply["ok"]
    assert "body, line 2" in reply["error"]
    assert secret not in reply["error"]
    assert await memory.rows("select * from ibex_core.memories") == []


async def test_feedback_counts_one_vote_a_caller_which_can_change(memory: Memory) -> None:
    await memory.ask("add", *NOTE)

    assert await memory.ask("feedback", "1", "helpful") == {"ok": True, "text": "Entry 1: 1 helpful, 0 unhelpful."}
    assert (await memory.ask("feedback", "1", "helpful", source=AGENT))["text"] == "Entry 1: 2 helpful, 0 unhelpful."
    assert (await memory.ask("feedback", "1", "unhelpful"))["text"] == "Entry 1: 1 helpful, 1 unhelpful."
