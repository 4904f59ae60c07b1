"""The command contract: what is the same in other words, and what contradicts."""

from tests.memory import AGENT, Memory

RETRY = ("gotcha", "Webhook retries", "The payments webhook retries 3 times with a delay of 10 seconds.")
OTHER_NUMBER = ("gotcha", "Webhook retries", "The payments webhook retries 5 times with a delay of 10 seconds.")


async def test_texts_that_differ_in_a_number_are_both_stored_and_shown_as_a_conflict(memory: Memory) -> None:
    await memory.ask("add", *RETRY)

    assert (await memory.ask("propose", *OTHER_NUMBER, source=AGENT))["text"] == "Entry 2 proposed."
    reply = await memory.ask("conflicts")

    assert reply["text"] == "1 conflict"
    assert reply["entries"][0].startswith("Conflict 1 (contradiction")
    assert reply["entries"][0].endswith(
        f"[curated] gotcha: {RETRY[1]}\n{RETRY[2]}\n[proposed] gotcha: {RETRY[1]}\n{OTHER_NUMBER[2]}"
    )


async def test_an_entry_is_shown_with_its_open_conflicts_to_those_who_ask_for_them(memory: Memory) -> None:
    await memory.ask("add", *RETRY)
    await memory.ask("propose", *OTHER_NUMBER, source=AGENT)

    first, second = [await memory.ask("get", entry_id, conflicts=True) for entry_id in ("1", "2")]

    assert first["conflicts"][0].startswith("Conflict 1 (contradiction, ")
    assert first["conflicts"][0].endswith(") with entry 2")
    assert second["conflicts"][0].endswith(") with entry 1")
    assert "conflicts" not in await memory.ask("get", "1")
    await memory.ask("resolve", "1", "keep-both")
    assert (await memory.ask("get", "1", conflicts=True))["conflicts"] == []


async def test_keeping_the_second_lets_it_supersede_the_first_and_accepts_it(memory: Memory) -> None:
    await memory.ask("add", *RETRY)
    await memory.ask("propose", *OTHER_NUMBER, source=AGENT)

    resolved = await memory.ask("resolve", "1", "keep-second")

    assert resolved == {"ok": True, "text": "Conflict 1 resolved: entry 2 supersedes entry 1."}
    assert await memory.ask("resolve", "1", "keep-second") == resolved
    assert (await memory.ask("list"))["entries"] == [f"[curated] gotcha: {OTHER_NUMBER[1]}\n{OTHER_NUMBER[2]}"]
    assert (await memory.ask("conflicts"))["text"] == "0 conflicts"
    assert (await memory.ask("history", "1"))["text"] == "Entry 1 has 2 events"


async def test_another_decision_on_a_settled_conflict_is_told_the_first_one(memory: Memory) -> None:
    await memory.ask("add", *RETRY)
    await memory.ask("add", *OTHER_NUMBER)
    kept = await memory.ask("resolve", "1", "keep-both")

    assert kept == {"ok": True, "text": "Conflict 1 resolved: entries 1 and 2 both stay."}
    assert await memory.ask("resolve", "1", "keep-first") == {
        "ok": False,
        "error": "conflict 1 was resolved as keep-both by person:ada",
    }


async def test_the_same_in_other_words_is_named_and_a_person_can_force_it(memory: Memory) -> None:
    await memory.ask("add", "gotcha", "Clock fixture", "The flaky webhook test needs the clock fixture.")
    reworded = ("gotcha", "Clock fixture", "The webhook test that is flaky needs the clock fixture.")

    assert (await memory.ask("propose", *reworded, source=AGENT))["text"] == "Entry 1 already says this."
    assert (await memory.ask("propose", *reworded, source=AGENT, force=True)) == {
        "ok": False,
        "error": "only a person can force a write",
    }
    assert (await memory.ask("add", *reworded, force=True))["text"] == "Entry 2 added."


async def test_a_conflict_with_what_was_superseded_is_seen_too(memory: Memory) -> None:
    await memory.ask("add", *RETRY)
    await memory.ask("edit", "1", *OTHER_NUMBER)

    await memory.ask("propose", RETRY[0], RETRY[1], RETRY[2].replace("3 times", "4 times"), source=AGENT)

    kinds = {entry.partition("(")[2].partition(",")[0] for entry in (await memory.ask("conflicts"))["entries"]}
    assert "outdated" in kinds
