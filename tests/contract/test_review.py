"""The command contract: what reviewers decide, and who wins when two of them do."""

import asyncio

from tests.memory import AGENT, Memory

NOTE = ("gotcha", "Webhook retries", "The payments webhook retries 3 times with a delay of 10 seconds.")
BETTER = ("gotcha", "Webhook retries", "The payments webhook retries 3 times with a growing delay.")
OTHER_NUMBER = ("gotcha", "Webhook retries", "The payments webhook retries 5 times with a delay of 10 seconds.")


async def test_a_rejected_proposal_keeps_its_event_and_its_reason_and_not_its_text(memory: Memory) -> None:
    await memory.ask("propose", *NOTE, source=AGENT)

    rejected = await memory.ask("reject", "1", "It is 5 times since November.")

    assert rejected == {"ok": True, "text": "Entry 1 rejected."}
    assert await memory.ask("reject", "1") == rejected
    history = await memory.ask("history", "1")
    assert history["entries"][1].endswith("rejected by person:ada: It is 5 times since November.")
    assert await memory.rows("select id from ibex_core.memories") == []
    assert await memory.ask("propose", *NOTE, source=AGENT) == {
        "ok": False,
        "error": "this text was rejected in this team; only a person can add it again",
    }
    assert (await memory.ask("add", *NOTE))["text"] == "Entry 3 added."
    assert [line.split(" ", 1)[1] for line in (await memory.ask("history", "3"))["entries"]] == [
        "added by person:ada",
        "lifted by person:ada (entry 1)",
    ]


async def test_the_reason_of_a_rejection_is_scanned_and_can_be_forgotten(memory: Memory) -> None:
    await memory.ask("propose", *NOTE, source=AGENT)
    secret = "AKIA" + "Q3EGRTQ7ZJ5LWXYB"

    refused = await memory.ask("reject", "1", f"Use {secret} instead.")
    assert not refused["ok"]
    assert secret not in refused["error"]
    await memory.ask("reject", "1", "Said so in the stand-up.")

    assert (await memory.ask("forget", "1"))["text"] == "Entry 1 forgotten."
    assert "stand-up" not in str(await memory.ask("history", "1"))
    assert await memory.rows("select reason from ibex_core.memory_reasons") == []


async def test_what_somebody_stands_behind_is_not_rejected(memory: Memory) -> None:
    await memory.ask("add", *NOTE)

    assert await memory.ask("reject", "1") == {
        "ok": False,
        "error": "entry 1 was accepted by person:ada; edit or forget it instead",
    }


async def test_of_two_reviewers_the_loser_is_told_who_won(memory: Memory) -> None:
    await memory.team("add-member", "demo", "grace", "maintainer")
    for number in range(1, 7):
        await memory.ask("propose", "fact", f"Note {number}", f"Queue number {number} is drained first.", source=AGENT)
        accepted, rejected = await asyncio.gather(
            memory.ask("accept", str(number), user="ada"), memory.ask("reject", str(number), user="grace")
        )
        winner, loser = (accepted, rejected) if accepted["ok"] else (rejected, accepted)

        assert winner["ok"]
        assert loser["error"] in {
            f"entry {number} was accepted by person:ada; edit or forget it instead",
            f"entry {number} was rejected by person:grace",
        }


async def test_an_acceptance_of_what_was_superseded_meanwhile_names_the_successor(memory: Memory) -> None:
    await memory.ask("propose", *NOTE, source=AGENT)
    (seen,) = (await memory.ask("get", "1", versions=True))["versions"]
    await memory.team("add-member", "demo", "grace", "maintainer")
    await memory.ask("edit", "1", *BETTER, user="grace")

    assert await memory.ask("accept", "1", seen) == {
        "ok": False,
        "error": "entry 1 is superseded by entry 2 of person:grace",
    }


async def test_a_decision_counts_only_for_the_text_that_was_seen(memory: Memory) -> None:
    await memory.ask("propose", *NOTE, source=AGENT)
    (seen,) = (await memory.ask("list", versions=True))["versions"]
    other = "0" * 16

    for decision in (("accept", "1", other), ("reject", "1", "", other)):
        assert await memory.ask(*decision) == {"ok": False, "error": "entry 1 is not as you saw it; look again"}
    assert not (await memory.ask("accept", "1", "newest"))["ok"]
    assert (await memory.ask("accept", "1", seen))["text"] == "Entry 1 accepted."
    assert (await memory.ask("accept", "1", seen))["text"] == "Entry 1 accepted."


async def test_a_conflict_is_settled_only_between_the_texts_that_were_seen(memory: Memory) -> None:
    await memory.team("add-member", "demo", "grace", "maintainer")
    await memory.ask("add", *NOTE)
    await memory.ask("propose", *OTHER_NUMBER, source=AGENT)
    (seen,) = (await memory.ask("conflicts", versions=True))["versions"]

    wrong = await memory.ask("resolve", "1", "keep-second", seen[17:] + "-" + seen[:16])
    assert wrong == {"ok": False, "error": "the entries of conflict 1 are not as you saw them; look again"}
    await memory.ask("edit", "1", *BETTER, user="grace")
    assert await memory.ask("resolve", "1", "keep-second", seen) == {
        "ok": False,
        "error": "entry 1 was superseded by entry 3 of person:grace; look again",
    }


async def test_the_second_to_settle_a_conflict_otherwise_is_told_who_did(memory: Memory) -> None:
    await memory.team("add-member", "demo", "grace", "maintainer")
    await memory.ask("add", *NOTE)
    await memory.ask("propose", *OTHER_NUMBER, source=AGENT)
    await memory.ask("resolve", "1", "keep-second", user="grace")

    assert await memory.ask("resolve", "1", "keep-first") == {
        "ok": False,
        "error": "conflict 1 was resolved as keep-second by person:grace",
    }
