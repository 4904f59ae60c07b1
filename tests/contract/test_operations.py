"""The memory command, operation by operation: a request, and its reply to the letter."""

import pytest

from kapelle.operations.backfilling import NO_EMBEDDER
from tests.contract.table import Row, ask, no, ok, play, row
from tests.memory import Memory

AGENT = "agent:<team>/coder"
NOTE = ("gotcha", "Flaky webhook test", "It needs the clock fixture.", "ci,webhooks")
SHOWN = "gotcha: Flaky webhook test\nIt needs the clock fixture."
KINDS = "convention, decision, event, fact, gotcha, preference, procedure"

proposed = ask("propose", *NOTE, source=AGENT, name="a")
added = ask("add", *NOTE, name="a")

WRITING = (
    row("an agent proposes", proposed, reply=ok("Entry <a> proposed.")),
    row("a person proposes", ask("propose", *NOTE, user="mel"), reply=ok("Entry <new> proposed.")),
    row("tags may be empty", ask("propose", *NOTE[:3], "", source=AGENT), reply=ok("Entry <new> proposed.")),
    row("tags may be left out", ask("propose", *NOTE[:3], source=AGENT), reply=ok("Entry <new> proposed.")),
    row("a person adds", ask("add", *NOTE, user="mel"), reply=ok("Entry <new> added.")),
    row("tags may be left out of add", ask("add", *NOTE[:3]), reply=ok("Entry <new> added.")),
    row("a source adds", ask("add", *NOTE, source="import:wiki"), reply=ok("Entry <new> added.")),
    row("proposed again", proposed, ask("propose", *NOTE, source=AGENT), reply=ok("Entry <a> already says this.")),
    row(
        "the same in other clothes",
        proposed,
        ask("propose", "fact", "flaky  WEBHOOK test", "It needs the clock fixture", "other"),
        reply=ok("Entry <a> already says this."),
    ),
    row("proposed after add", added, ask("propose", *NOTE, source=AGENT), reply=ok("Entry <a> already says this.")),
    row("added after propose", proposed, ask("add", *NOTE), reply=ok("Entry <a> accepted.")),
    row(
        "added twice after propose",
        proposed,
        ask("add", *NOTE),
        ask("add", *NOTE),
        reply=ok("Entry <a> already says this."),
    ),
    row("added again", added, ask("add", *NOTE), reply=ok("Entry <a> already says this.")),
    row(
        "another number is another entry",
        ask("add", "fact", "Deadline", "It is 15 October.", name="a"),
        ask("add", "fact", "Deadline", "It is 16 October."),
        reply=ok("Entry <new> added."),
    ),
    *(
        row(f"kind {kind}", ask("propose", kind, "Title", "Body", source=AGENT), reply=ok("Entry <new> proposed."))
        for kind in KINDS.split(", ")
    ),
)

CURATING = (
    row("accepted", proposed, ask("accept", "<a>"), reply=ok("Entry <a> accepted.")),
    row("accepted twice", proposed, ask("accept", "<a>"), ask("accept", "<a>"), reply=ok("Entry <a> accepted.")),
    row("what was added needs no review", added, ask("accept", "<a>"), reply=ok("Entry <a> accepted.")),
    row("zeros in front of an id", proposed, ask("accept", "00<a>"), reply=ok("Entry <a> accepted.")),
    row("accept of nothing", ask("accept", "999999"), reply=no("there is no entry 999999 in this team")),
    row("edited", added, ask("edit", "<a>", "fact", "T", "B", "x"), reply=ok("Entry <new> supersedes entry <a>.")),
    row(
        "edited without tags",
        added,
        ask("edit", "<a>", "fact", "T", "B"),
        reply=ok("Entry <new> supersedes entry <a>."),
    ),
    row(
        "a proposal edited",
        proposed,
        ask("edit", "<a>", "fact", "T", "B"),
        reply=ok("Entry <new> supersedes entry <a>."),
    ),
    row(
        "the same edit again",
        added,
        ask("edit", "<a>", "fact", "T", "B", name="b"),
        ask("edit", "<a>", "fact", "T", "B"),
        reply=ok("Entry <b> supersedes entry <a>."),
    ),
    row(
        "another edit of what was superseded",
        added,
        ask("edit", "<a>", "fact", "T", "B", name="b"),
        ask("edit", "<a>", "fact", "T", "other"),
        reply=no("entry <a> was superseded by entry <b>; edit that one"),
    ),
    row("an edit that changes nothing", added, ask("edit", "<a>", *NOTE), reply=ok("Entry <a> already says this.")),
    row(
        "an edit to what another says",
        added,
        ask("add", "fact", "T", "B", name="b"),
        ask("edit", "<b>", *NOTE),
        reply=ok("Entry <a> already says this."),
    ),
    row("edit of nothing", ask("edit", "999999", "fact", "T", "B"), reply=no("there is no entry 999999 in this team")),
    row(
        "acceptance of what was superseded",
        proposed,
        ask("edit", "<a>", "fact", "T", "B", name="b"),
        ask("accept", "<a>"),
        reply=no("entry <a> is superseded by entry <b> of person:ada"),
    ),
    row("forgotten", added, ask("forget", "<a>"), reply=ok("Entry <a> forgotten.")),
    row("a proposal forgotten", proposed, ask("forget", "<a>"), reply=ok("Entry <a> forgotten.")),
    row("forgotten twice", added, ask("forget", "<a>"), ask("forget", "<a>"), reply=no("entry <a> was forgotten")),
    row(
        "accept of what was forgotten",
        added,
        ask("forget", "<a>"),
        ask("accept", "<a>"),
        reply=no("entry <a> was forgotten"),
    ),
    row(
        "edit of what was forgotten",
        added,
        ask("forget", "<a>"),
        ask("edit", "<a>", "fact", "T", "B"),
        reply=no("there is no entry <a> in this team"),
    ),
    row(
        "get of what was forgotten",
        added,
        ask("forget", "<a>"),
        ask("get", "<a>"),
        reply=no("there is no entry <a> in this team"),
    ),
    row("forget of nothing", ask("forget", "999999"), reply=no("there is no entry 999999 in this team")),
    row(
        "an agent proposes what was forgotten",
        added,
        ask("forget", "<a>"),
        ask("propose", *NOTE, source=AGENT),
        reply=no("this text was forgotten in this team; only a person can add it again"),
    ),
    row(
        "an import adds what was forgotten",
        added,
        ask("forget", "<a>"),
        ask("add", *NOTE, source="import:wiki"),
        reply=no("this text was forgotten in this team; only a person can add it again"),
    ),
    row(
        "a person adds what was forgotten",
        added,
        ask("forget", "<a>"),
        ask("add", *NOTE),
        reply=ok("Entry <new> added."),
    ),
    row(
        "an agent proposes what a person has said again",
        added,
        ask("forget", "<a>"),
        ask("add", *NOTE, name="b"),
        ask("propose", *NOTE, source=AGENT),
        reply=ok("Entry <b> already says this."),
    ),
)

READING = (
    row("no entries", ask("list"), reply=ok("0 entries", listed=True)),
    row("one entry", added, ask("list"), reply=ok("1 entry", f"[curated] {SHOWN}")),
    row("one proposal", proposed, ask("list", source=AGENT), reply=ok("1 entry", f"[proposed] {SHOWN}")),
    row(
        "curated first, then proposed, newest first in each",
        ask("propose", "fact", "P1", "p one", name="p"),
        ask("add", "fact", "C1", "c one", name="c"),
        ask("propose", "fact", "P2", "p two", name="q"),
        ask("add", "fact", "C2", "c two", name="d"),
        ask("list"),
        reply=ok(
            "4 entries",
            "[curated] fact: C2\nc two",
            "[curated] fact: C1\nc one",
            "[proposed] fact: P2\np two",
            "[proposed] fact: P1\np one",
        ),
    ),
    row(
        "the list holds what is current",
        added,
        ask("edit", "<a>", "fact", "T", "B"),
        ask("list"),
        reply=ok("1 entry", "[curated] fact: T\nB"),
    ),
    row(
        "a list without what was forgotten",
        added,
        ask("forget", "<a>"),
        ask("list"),
        reply=ok("0 entries", listed=True),
    ),
    row("get", added, ask("get", "<a>"), reply=ok(f"[curated] {SHOWN}")),
    row("get of a proposal", proposed, ask("get", "<a>", source=AGENT), reply=ok(f"[proposed] {SHOWN}")),
    row(
        "get of what was superseded",
        added,
        ask("edit", "<a>", "fact", "T", "B"),
        ask("get", "<a>"),
        reply=ok(f"[curated] {SHOWN}"),
    ),
    row("get of nothing", ask("get", "999999"), reply=no("there is no entry 999999 in this team")),
    row("get of the largest id", ask("get", str(2**63 - 1)), reply=no(f"there is no entry {2**63 - 1} in this team")),
    row(
        "a body keeps its lines",
        ask("add", "fact", "T", "one\n\n  two\ttabs\n", name="a"),
        ask("get", "<a>"),
        reply=ok("[curated] fact: T\none\n\n  two\ttabs\n"),
    ),
    row(
        "any script",
        ask("add", "fact", "Größe 大きさ", "Пример 🎈", name="a"),
        ask("get", "<a>"),
        reply=ok("[curated] fact: Größe 大きさ\nПример 🎈"),
    ),
    row(
        "markup is text",
        ask("add", "fact", "<b>&amp;</b>", '{"a": "b"} %s \\n $1', name="a"),
        ask("get", "<a>"),
        reply=ok('[curated] fact: <b>&amp;</b>\n{"a": "b"} %s \\n $1'),
    ),
)

SEARCHING = (
    row("nothing found", ask("search", "anything", ""), reply=ok("0 entries found", listed=True)),
    row("one found", added, ask("search", "webhook", ""), reply=ok("1 entry found", f"[curated] {SHOWN}")),
    row(
        "by an agent",
        proposed,
        ask("search", "webhook", "", source=AGENT),
        reply=ok("1 entry found", f"[proposed] {SHOWN}"),
    ),
    row("without a kind", added, ask("search", "webhook"), reply=ok("1 entry found", f"[curated] {SHOWN}")),
    row("of a kind", added, ask("search", "webhook", "gotcha"), reply=ok("1 entry found", f"[curated] {SHOWN}")),
    row("of another kind", added, ask("search", "webhook", "fact"), reply=ok("0 entries found", listed=True)),
    row(
        "curated before proposed",
        ask("propose", "fact", "Deploy freeze", "The deploy freeze is on Friday."),
        ask("add", "fact", "Deploy", "Ask before a deploy."),
        ask("search", "deploy freeze", ""),
        reply=ok(
            "2 entries found",
            "[curated] fact: Deploy\nAsk before a deploy.",
            "[proposed] fact: Deploy freeze\nThe deploy freeze is on Friday.",
        ),
    ),
    row(
        "not what was superseded",
        added,
        ask("edit", "<a>", "fact", "T", "B"),
        ask("search", "webhook", ""),
        reply=ok("0 entries found", listed=True),
    ),
    row(
        "not what was forgotten",
        added,
        ask("forget", "<a>"),
        ask("search", "webhook", ""),
        reply=ok("0 entries found", listed=True),
    ),
    row(
        "an unknown kind",
        ask("search", "webhook", "xyz"),
        reply=no(f"unknown memory kind 'xyz'; expected one of ({KINDS})"),
    ),
    row("by a tag", added, ask("search", "webhooks", ""), reply=ok("1 entry found", f"[curated] {SHOWN}")),
    *(
        row(f"input is data: {query!r}", ask("search", query, ""), reply=ok("0 entries found", listed=True))
        for query in (
            "",
            " ",
            '"',
            "*",
            "foo & !bar",
            "it's",
            "a/b",
            ":*",
            "\\",
            "C++",
            "the and of",
            "'; drop table x; --",
            "🎈",
            "()",
            "<->",
        )
    ),
)

EXPORTING = (
    row("nothing to export", ask("export"), reply=ok("0 entries exported", listed=True)),
    row("one exported", added, ask("export"), reply=ok("1 entry exported", f"[curated] {SHOWN}")),
    row("no proposals", proposed, ask("export"), reply=ok("0 entries exported", listed=True)),
    row("by an agent", added, ask("export", source=AGENT), reply=ok("1 entry exported", f"[curated] {SHOWN}")),
    row(
        "oldest first, current ones only",
        ask("add", "fact", "C1", "c one", name="a"),
        ask("add", "fact", "C2", "c two", name="b"),
        ask("add", "fact", "C3", "c three", name="c"),
        ask("edit", "<a>", "fact", "C1", "c one, better"),
        ask("export"),
        reply=ok(
            "3 entries exported",
            "[curated] fact: C2\nc two",
            "[curated] fact: C3\nc three",
            "[curated] fact: C1\nc one, better",
        ),
    ),
    row(
        "as a pull request to nowhere",
        added,
        ask("export", "pr"),
        reply=ok("1 entry exported (no pull request: no repository is linked to the team)", f"[curated] {SHOWN}"),
    ),
    row("of something else", ask("export", "csv"), reply=no("export takes nothing, or 'pr'")),
)

TELLING = (
    row(
        "history of a proposal",
        proposed,
        ask("history", "<a>"),
        reply=ok("Entry <a> has 1 event", "<when> proposed by agent:<team>/coder"),
    ),
    row(
        "history after acceptance",
        proposed,
        ask("accept", "<a>", user="mel"),
        ask("history", "<a>"),
        reply=ok(
            "Entry <a> has 2 events",
            "<when> proposed by agent:<team>/coder",
            "<then> accepted by person:mel",
        ),
    ),
    row(
        "history of what was superseded and forgotten",
        added,
        ask("edit", "<a>", "fact", "T", "B", name="b"),
        ask("forget", "<a>"),
        ask("history", "<a>"),
        reply=ok(
            "Entry <a> has 3 events",
            "<when> added by person:ada",
            "<then> superseded by person:ada (entry <b>)",
            "<last> forgotten by person:ada",
        ),
    ),
    row(
        "an event that changed nothing is none",
        added,
        ask("accept", "<a>"),
        ask("history", "<a>"),
        reply=ok("Entry <a> has 1 event", "<when> added by person:ada"),
    ),
    row("history of nothing", ask("history", "999999"), reply=no("there is no entry 999999 in this team")),
    row("one vote", added, ask("feedback", "<a>", "helpful"), reply=ok("Entry <a>: 1 helpful, 0 unhelpful.")),
    row(
        "the same vote twice",
        added,
        ask("feedback", "<a>", "helpful"),
        ask("feedback", "<a>", "helpful"),
        reply=ok("Entry <a>: 1 helpful, 0 unhelpful."),
    ),
    row(
        "a changed vote",
        added,
        ask("feedback", "<a>", "helpful"),
        ask("feedback", "<a>", "unhelpful"),
        reply=ok("Entry <a>: 0 helpful, 1 unhelpful."),
    ),
    row(
        "two votes",
        added,
        ask("feedback", "<a>", "helpful", source=AGENT),
        ask("feedback", "<a>", "unhelpful", user="mel"),
        reply=ok("Entry <a>: 1 helpful, 1 unhelpful."),
    ),
    row("no such vote", added, ask("feedback", "<a>", "good"), reply=no("the vote must be helpful or unhelpful")),
    row("a vote on nothing", ask("feedback", "999999", "helpful"), reply=no("there is no entry 999999 in this team")),
    row(
        "no such operation id",
        ask("operation", "6b1f8f5e-4d0e-4c39-9a63-1d0f6a2d7c11"),
        reply=no("there is no operation 6b1f8f5e-4d0e-4c39-9a63-1d0f6a2d7c11 in this team"),
    ),
    row(
        "an operation id that is none",
        ask("operation", "12"),
        reply=no("the operation id must be a UUID, as the reply named it"),
    ),
)

SETTLING = (
    row("no conflicts", ask("conflicts"), reply=ok("0 conflicts", listed=True)),
    row(
        "a decision that is none",
        ask("resolve", "1", "keep"),
        reply=no("the decision must be keep-both, keep-first or keep-second"),
    ),
    row(
        "no such conflict", ask("resolve", "999999", "keep-both"), reply=no("there is no conflict 999999 in this team")
    ),
)

UPKEEP = (
    row("a backfill without an embedder", ask("backfill"), reply=ok(NO_EMBEDDER)),
    row("a backfill applied without an embedder", ask("backfill", "apply"), reply=ok(NO_EMBEDDER)),
    row(
        "a backfill in another mode",
        ask("backfill", "now"),
        reply=no('the mode of a backfill is "apply", or is left out for a dry run'),
    ),
)

ROWS = (*WRITING, *CURATING, *READING, *SEARCHING, *EXPORTING, *TELLING, *SETTLING, *UPKEEP)


@pytest.mark.parametrize("line", ROWS, ids=lambda line: line.title)
async def test_each_operation_answers_to_the_letter(line: Row, shared: Memory) -> None:
    reply, expected = await play(shared, line)
    assert reply == expected
