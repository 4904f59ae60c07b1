"""The command contract: what a person must see before anyone may read it."""

from tests.memory import AGENT, Memory

NOTE = ("fact", "On call", "Write to zed.kowalski@acme-payments.io when the webhook retries 3 times.")
OTHER = ("fact", "On call", "Write to zed.kowalski@acme-payments.io when the webhook retries 5 times.")


async def test_a_quarantined_entry_is_shown_to_nobody(memory: Memory) -> None:
    await memory.team("personal-data", "demo", "quarantine")

    reply = await memory.ask("propose", *NOTE, source=AGENT)
    await memory.ask("propose", *OTHER, source=AGENT)

    assert reply["text"].startswith("Entry 1 is quarantined until a person has looked at it: ")
    assert "zed" not in reply["text"]
    assert (await memory.ask("list"))["text"] == "0 entries"
    assert (await memory.ask("search", "webhook"))["text"] == "0 entries found"
    assert (await memory.ask("conflicts"))["text"] == "0 conflicts"
    assert not (await memory.ask("get", "1"))["ok"]


async def test_only_a_maintainer_releases_a_quarantined_entry(memory: Memory) -> None:
    await memory.team("personal-data", "demo", "quarantine")
    await memory.team("add-member", "demo", "bob", "member")
    await memory.ask("propose", *NOTE, source=AGENT)

    for caller in ({"source": AGENT}, {"user": "bob"}):
        assert await memory.ask("accept", "1", **caller) == {
            "ok": False,
            "error": "entry 1 is quarantined; only a maintainer can release or drop it",
        }
        assert not (await memory.ask("reject", "1", **caller))["ok"]
    assert (await memory.ask("accept", "1"))["text"] == "Entry 1 accepted."
    assert (await memory.ask("history", "1"))["entries"][-1].endswith("released by person:ada")
    assert (await memory.ask("list"))["text"] == "1 entry"


async def test_a_maintainer_sees_what_is_quarantined_and_drops_it(memory: Memory) -> None:
    await memory.team("personal-data", "demo", "quarantine")
    await memory.team("add-member", "demo", "bob", "member")
    await memory.ask("propose", *NOTE, source=AGENT)

    shown = await memory.ask("quarantined", ids=True)
    dropped = await memory.ask("reject", "1")

    assert shown["entries"] == [f"[quarantined] fact: {NOTE[1]}\n{NOTE[2]}"]
    assert shown["ids"] == [1]
    assert not (await memory.ask("quarantined", user="bob"))["ok"]
    assert not (await memory.ask("quarantined", source=AGENT))["ok"]
    assert dropped == {"ok": True, "text": "Entry 1 rejected."}
    assert (await memory.ask("quarantined"))["text"] == "0 entries"
    assert await memory.rows("select id from ibex_core.memories") == []
