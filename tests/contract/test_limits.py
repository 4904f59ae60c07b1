"""What is refused before anything is stored: counts and forms of arguments, empty texts, limits to the letter."""

import pytest

from tests.contract.table import Row, ask, no, ok, play, row
from tests.memory import Memory

FACT = ("fact", "Title", "Body")
PROPOSED = ok("Entry <new> proposed.")
NUMBER = no("the entry id must be a positive whole number in decimal digits, such as 12")
STRINGS = no("every one of args must be a string")
ARGS = no('args must be a list that begins with the operation, such as ["list"]')
KINDS = "convention, decision, event, fact, gotcha, preference, procedure"
MEMORY = (
    "search, get, hot, list, propose, add, accept, reject, edit, forget, export, history, quarantined, conflicts, "
    "resolve, feedback, receipt, verify, purge, hold, holds, lift-hold, operation, operations, cancel, scan, backfill, "
    "export-lines, import-lines, import-report"
)
# Characters that show nothing, one or more of each kind.
NOTHING = (
    "", " ", "\t\n ", "\u200b", "\u200b\u200c\u200d", "\ufeff", "\u2060", "\u00ad", "\u200e\u200f", "\u00a0", "\u3000",
    "\u2028", "\u180e", "\u034f", "\u2063", "\ufe0f", "\u3164", "\uffa0", "\u2800", "\U000e0041",
)  # fmt: skip


def usage(name: str, given: int, takes: str) -> dict[str, object]:
    optional = ", where ? marks what may be left out" if "?" in takes else ""
    return no(f"'{name}' got {given} arguments; it takes [{takes}]{optional}")


COUNTS = (
    row("search without a query", ask("search"), reply=usage("search", 0, '"search", query, kind?')),
    row("search with too much", ask("search", "a", "", "b"), reply=usage("search", 3, '"search", query, kind?')),
    row("get without an id", ask("get"), reply=usage("get", 0, '"get", entry_id')),
    row("get of two", ask("get", "1", "2"), reply=usage("get", 2, '"get", entry_id')),
    row("list with an argument", ask("list", "all"), reply=usage("list", 1, '"list"')),
    row(
        "propose without a body",
        ask("propose", "fact", "T"),
        reply=usage("propose", 2, '"propose", kind, title, body, tags?'),
    ),
    row(
        "propose with too much",
        ask("propose", *FACT, "a", "b"),
        reply=usage("propose", 5, '"propose", kind, title, body, tags?'),
    ),
    row("add without anything", ask("add"), reply=usage("add", 0, '"add", kind, title, body, tags?')),
    row("accept without an id", ask("accept"), reply=usage("accept", 0, '"accept", entry_id, version?')),
    row(
        "edit without a body",
        ask("edit", "1", "fact", "T"),
        reply=usage("edit", 3, '"edit", entry_id, kind, title, body, tags?'),
    ),
    row("forget of two", ask("forget", "1", "2"), reply=usage("forget", 2, '"forget", entry_id')),
    row("export of two", ask("export", "pr", "x"), reply=usage("export", 2, '"export", target?')),
    row("history without an id", ask("history"), reply=usage("history", 0, '"history", entry_id')),
    row("conflicts of one", ask("conflicts", "1"), reply=usage("conflicts", 1, '"conflicts"')),
    row(
        "resolve without a decision",
        ask("resolve", "1"),
        reply=usage("resolve", 1, '"resolve", conflict_id, decision, version?'),
    ),
    row("feedback without a vote", ask("feedback", "1"), reply=usage("feedback", 1, '"feedback", entry_id, vote')),
    row("operation without an id", ask("operation"), reply=usage("operation", 0, '"operation", operation_id')),
    row("backfill with too much", ask("backfill", "apply", "x"), reply=usage("backfill", 2, '"backfill", mode?')),
)

FORMS = (
    row("an unknown operation", ask("delete", "1"), reply=no(f"unknown memory operation; expected one of ({MEMORY})")),
    row("an operation in capitals", ask("LIST"), reply=no(f"unknown memory operation; expected one of ({MEMORY})")),
    row(
        "an operation that is half a surrogate pair",
        ask("\ud83d"),
        reply=no(f"unknown memory operation; expected one of ({MEMORY})"),
    ),
    row(
        "an unknown command",
        ask("list", command="budget"),
        reply=no("unknown command; expected one of (memory, team, embeddings, tokens)"),
    ),
    row(
        "an empty command",
        ask("list", command=""),
        reply=no("unknown command; expected one of (memory, team, embeddings, tokens)"),
    ),
    row("no command", ask("list", command=None), reply=no("command must be a string")),
    row("a command of another type", ask("list", command=["memory"]), reply=no("command must be a string")),
    row(
        "an operation of the other command",
        ask("create", "x"),
        reply=no(f"unknown memory operation; expected one of ({MEMORY})"),
    ),
    row("no args", ask(args=None), reply=ARGS),
    row("empty args", ask(), reply=ARGS),
    row("args a string", ask(args="list"), reply=ARGS),
    row("args an object", ask(args={"0": "list"}), reply=ARGS),
    row("a number among args", ask("get", 12), reply=STRINGS),
    row("null among args", ask("search", "q", None), reply=STRINGS),
    row("a list as the operation", ask(["list"]), reply=STRINGS),
    row("tags as a list", ask("propose", *FACT, ["a"]), reply=STRINGS),
    *(
        row(f"an id {value!r}", ask("get", value), reply=NUMBER)
        for value in ("", "0", "-1", "1.0", "1e3", " 1", "x", "١٢", "²", "9" * 20, str(2**63), "1\n", "0x1f")
    ),
    *(
        row(f"no id for {args[0]}", ask(*args), reply=NUMBER)
        for args in (
            ("accept", "x"),
            ("forget", "x"),
            ("edit", "x", *FACT),
            ("history", "x"),
            ("feedback", "x", "helpful"),
        )
    ),
    row(
        "an unknown kind",
        ask("propose", "xyz", "T", "B"),
        reply=no(f"unknown memory kind 'xyz'; expected one of ({KINDS})"),
    ),
    row("an empty kind", ask("add", "", "T", "B"), reply=no(f"unknown memory kind ''; expected one of ({KINDS})")),
    row(
        "a kind in capitals",
        ask("add", "Fact", "T", "B"),
        reply=no(f"unknown memory kind 'Fact'; expected one of ({KINDS})"),
    ),
    row(
        "a kind of two lines",
        ask("add", "fa\nct", "T", "B"),
        reply=no(f"unknown memory kind '…'; expected one of ({KINDS})"),
    ),
    row("a long kind", ask("add", "k" * 41, "T", "B"), reply=no(f"unknown memory kind '…'; expected one of ({KINDS})")),
)

EMPTY = (
    *(row(f"title {text!r}", ask("propose", "fact", text, "Body"), reply=no("the title is empty")) for text in NOTHING),
    *(row(f"body {text!r}", ask("propose", "fact", "Title", text), reply=no("the body is empty")) for text in NOTHING),
    row(
        "an edit to nothing",
        ask("add", *FACT, name="a"),
        ask("edit", "<a>", "fact", "Title", " "),
        reply=no("the body is empty"),
    ),
    row("a title of two lines", ask("propose", "fact", "a\nb", "Body"), reply=no("the title must be one line")),
    row(
        "a title of two lines by another mark",
        ask("propose", "fact", "a\u2028b", "Body"),
        reply=no("the title must be one line"),
    ),
    row(
        "a title with a carriage return", ask("propose", "fact", "a\rb", "Body"), reply=no("the title must be one line")
    ),
    row("a line end at the end of a title", ask("propose", "fact", "a\n", "Body"), reply=PROPOSED),
)

WORD = "word " * 13_108
AT_LIMIT = (
    row("a title at the limit", ask("propose", "fact", "t" * 200, "Body"), reply=PROPOSED),
    row(
        "a title over the limit",
        ask("propose", "fact", "t" * 201, "Body"),
        reply=no("the title has 201 characters; the limit is 200"),
    ),
    row("a title of wide characters at the limit", ask("propose", "fact", "🎈" * 200, "Body"), reply=PROPOSED),
    row(
        "a title of wide characters over the limit",
        ask("propose", "fact", "🎈" * 201, "Body"),
        reply=no("the title has 201 characters; the limit is 200"),
    ),
    row("a body at the limit", ask("propose", "fact", "T", WORD[:65_536].rstrip().ljust(65_536, ".")), reply=PROPOSED),
    row(
        "a body over the limit",
        ask("propose", "fact", "T", WORD[:65_537].rstrip().ljust(65_537, ".")),
        reply=no("the body has 65537 bytes; the limit is 65536"),
    ),
    row("a body of wide characters at the limit", ask("propose", "fact", "T", "ä " * 21_845 + "x"), reply=PROPOSED),
    row(
        "a body of wide characters over the limit",
        ask("propose", "fact", "T", "ä " * 21_845 + "ä"),
        reply=no("the body has 65537 bytes; the limit is 65536"),
    ),
    row(
        "a body of 900 KB",
        ask("propose", "fact", "T", "word " * 180_000),
        reply=no("the body has 900000 bytes; the limit is 65536"),
    ),
    row(
        "an edit over the limit",
        ask("add", *FACT, name="a"),
        ask("edit", "<a>", "fact", "T", "b" * 65_537),
        reply=no("the body has 65537 bytes; the limit is 65536"),
    ),
    row("20 tags", ask("propose", *FACT, ",".join(f"tag{n}" for n in range(20))), reply=PROPOSED),
    row(
        "21 tags",
        ask("propose", *FACT, ",".join(f"tag{n}" for n in range(21))),
        reply=no("there are 21 tags; the limit is 20"),
    ),
    row("the same tag 21 times", ask("propose", *FACT, ",".join(["tag"] * 21)), reply=PROPOSED),
    row("commas alone", ask("propose", *FACT, ",, ,"), reply=PROPOSED),
    row("a tag at the limit", ask("propose", *FACT, "t" * 50), reply=PROPOSED),
    row("20 tags at the limit", ask("propose", *FACT, ",".join(f"{n:t>50}" for n in range(20))), reply=PROPOSED),
    row("a tag over the limit", ask("propose", *FACT, "t" * 51), reply=no("a tag is over the limit of 50 characters")),
    row(
        "a tag of two lines", ask("propose", *FACT, "a\nb"), reply=no("a tag must be one line of printable characters")
    ),
    row(
        "a query over the limit", ask("search", "q" * 131_073), reply=no("the query is over the limit of 131072 bytes")
    ),
)

_NUL = "holds a NUL character, which cannot be stored"
_HALF = "holds half a surrogate pair, which is not valid text"
_PLACES = (
    (("propose", "fact", "a{}b", "Body"), "title"),
    (("propose", "fact", "Title", "a{}b"), "body"),
    (("add", "fact", "Title", "Body", "a{}b"), "tags"),
    (("propose", "a{}b", "Title", "Body"), "kind"),
    (("edit", "1", "fact", "Title", "a{}b"), "body"),
    (("search", "a{}b", ""), "query"),
    (("search", "q", "a{}b"), "kind"),
    (("get", "a{}b"), "entry id"),
    (("feedback", "1", "a{}b"), "vote"),
    (("operation", "a{}b"), "operation id"),
    (("export", "a{}b"), "target"),
)
UNSTORABLE = tuple(
    row(f"{args[0]}: {what} in {place}", ask(*(arg.replace("{}", mark) for arg in args)), reply=no(f"{place} {why}"))
    for args, place in _PLACES
    for what, mark, why in (("NUL", "\0", _NUL), ("half a pair", "\ud83d", _HALF), ("the other half", "\udc00", _HALF))
)

ROWS = (*COUNTS, *FORMS, *EMPTY, *AT_LIMIT, *UNSTORABLE)


@pytest.mark.parametrize("line", ROWS, ids=lambda line: line.title)
async def test_each_limit_is_kept_and_named(line: Row, shared: Memory) -> None:
    reply, expected = await play(shared, line)
    assert reply == expected


async def test_nothing_is_stored_of_what_is_refused(shared: Memory) -> None:
    refused = [line for line in (*COUNTS, *FORMS, *AT_LIMIT, *UNSTORABLE) if not line.reply["ok"] and not line.given]
    kept = "select (select count(*) from ibex_core.memories), (select count(*) from ibex_core.operations)"
    before = await shared.rows(kept)
    for line in refused[::5]:
        await play(shared, line)
    assert await shared.rows(kept) == before
