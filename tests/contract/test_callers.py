"""Who may ask: sources and people, their roles, and agents that speak for another team."""

import pytest

from tests.contract.table import Row, ask, no, ok, play, row
from tests.memory import Memory

FACT = ("fact", "Title", "Body")
NEITHER = no("the request names neither a source nor a user")
SOURCE = no("source must be a name such as agent:payments/coder, of at most 200 characters")
USER = no("a person's id has 1 to 100 letters, digits and any of . _ @ + -")
VIEWER = no("'vic' is a viewer of team '<team>'; this needs a member")
STRANGER = no("'bob' is not a member of team '<team>'")
NO_TEAM = no("there is no team 'nowhere'")
SLUG = no("a team's slug has 1 to 63 lower-case letters, digits and hyphens")
OPERATIONS = (
    ("search", "q", ""),
    ("get", "1"),
    ("list",),
    ("propose", *FACT),
    ("add", *FACT),
    ("accept", "1"),
    ("edit", "1", *FACT),
    ("forget", "1"),
    ("export",),
    ("export", "pr"),
    ("history", "1"),
    ("conflicts",),
    ("resolve", "1", "keep-both"),
    ("feedback", "1", "helpful"),
    ("operation", "6b1f8f5e-4d0e-4c39-9a63-1d0f6a2d7c11"),
    ("backfill",),
)

BOTH_KINDS = (
    row("a source needs no membership", ask("list", source="agent:<team>/coder"), reply=ok("0 entries", listed=True)),
    row(
        "an agent need not be registered",
        ask("list", source="agent:<team>/new-one"),
        reply=ok("0 entries", listed=True),
    ),
    row("a source that is no agent", ask("list", source="gateway"), reply=ok("0 entries", listed=True)),
    row("neither", ask("list", source=None), reply=NEITHER),
    row("both empty", ask("list", source="", user=""), reply=NEITHER),
    row("both null", ask("list", source=None, user=None), reply=NEITHER),
    row("an empty source leaves the person", ask("list", source="", user="mel"), reply=ok("0 entries", listed=True)),
    row("an empty source leaves the stranger", ask("list", source="", user="bob"), reply=STRANGER),
    row(
        "an empty user leaves the source",
        ask("list", source="agent:<team>/coder", user=""),
        reply=ok("0 entries", listed=True),
    ),
    row(
        "of both the source counts",
        ask("list", source="agent:<team>/coder", user="bob"),
        reply=ok("0 entries", listed=True),
    ),
    row(
        "of both the source is recorded",
        ask("propose", *FACT, source="agent:<team>/coder", user="mel", name="a"),
        ask("history", "<a>"),
        reply=ok("Entry <a> has 1 event", "<when> proposed by agent:<team>/coder"),
    ),
    row(
        "a person is recorded as such",
        ask("propose", *FACT, user="mel", name="a"),
        ask("history", "<a>"),
        reply=ok("Entry <a> has 1 event", "<when> proposed by person:mel"),
    ),
    row("source of another type", ask("list", source=12), reply=no("source must be a string")),
    row("source false", ask("list", source=False), reply=no("source must be a string")),
    row("source a list", ask("list", source=["agent:<team>/coder"]), reply=no("source must be a string")),
    row("user of another type", ask("list", user={"id": "ada"}), reply=no("user must be a string")),
    row("a blank source", ask("list", source=" "), reply=SOURCE),
    row("a source of two lines", ask("list", source="agent:<team>/a\nb"), reply=SOURCE),
    row("a source over the limit", ask("list", source="s" * 201), reply=SOURCE),
    row("a source at the limit", ask("list", source="s" * 200), reply=ok("0 entries", listed=True)),
    row(
        "a source with a NUL",
        ask("list", source="a\0"),
        reply=no("source holds a NUL character, which cannot be stored"),
    ),
    row(
        "half a surrogate pair as user",
        ask("list", user="\ud83d"),
        reply=no("user holds half a surrogate pair, which is not valid text"),
    ),
    row("a blank user", ask("list", user=" "), reply=USER),
    row("a user over the limit", ask("list", user="u" * 101), reply=USER),
    row("a user that is a source", ask("list", user="person:ada"), reply=USER),
)

AGENTS = (
    row(
        "an agent of another team",
        ask("list", source="agent:demo/coder"),
        reply=no("agent:demo/coder works for team 'demo' and cannot speak for team '<team>'"),
    ),
    row(
        "an agent without a name",
        ask("list", source="agent:<team>/"),
        reply=no("an agent's source names its team and itself, such as agent:payments/coder"),
    ),
    row(
        "an agent without a team",
        ask("list", source="agent:/coder"),
        reply=no("an agent's source names its team and itself, such as agent:payments/coder"),
    ),
    row(
        "an agent that is only a team",
        ask("list", source="agent:<team>"),
        reply=no("an agent's source names its team and itself, such as agent:payments/coder"),
    ),
    row(
        "an agent whose team begins alike",
        ask("list", source="agent:<team>0/coder"),
        reply=no("agent:<team>0/coder works for team '<team>0' and cannot speak for team '<team>'"),
    ),
    *(
        row(
            f"an agent of another team: {' '.join(args[:1])}",
            ask(*args, source="agent:demo/coder"),
            reply=no("agent:demo/coder works for team 'demo' and cannot speak for team '<team>'"),
        )
        for args in OPERATIONS
    ),
    row(
        "an agent may curate where claims are not bound",
        ask("propose", *FACT, source="agent:<team>/coder", name="a"),
        ask("accept", "<a>", source="agent:<team>/coder"),
        reply=ok("Entry <a> accepted."),
    ),
)

ROLES = (
    *(row(f"a viewer may not {args[0]} {args[1:2]}", ask(*args, user="vic"), reply=VIEWER) for args in OPERATIONS),
    *(row(f"a stranger may not {args[0]} {args[1:2]}", ask(*args, user="bob"), reply=STRANGER) for args in OPERATIONS),
    row("a member", ask("list", user="mel"), reply=ok("0 entries", listed=True)),
    row("a maintainer", ask("list", user="max"), reply=ok("0 entries", listed=True)),
    row("an admin who is in no team", ask("list", user="ada"), reply=ok("0 entries", listed=True)),
)

TEAMS = (
    row("a person asks for an unknown team", ask("list", team="nowhere"), reply=NO_TEAM),
    row("a source asks for an unknown team", ask("list", team="nowhere", source="gateway"), reply=NO_TEAM),
    row("no team", ask("list", team=None), reply=no("the request names no team")),
    row("an empty team", ask("list", team=""), reply=SLUG),
    row("a team in capitals", ask("list", team="DEMO"), reply=SLUG),
    row(
        "a team with a NUL", ask("list", team="de\0mo"), reply=no("team holds a NUL character, which cannot be stored")
    ),
    row("a team of another type", ask("list", team=12), reply=no("team must be a string")),
    row(
        "an entry of another team does not exist",
        ask("add", *FACT, team="demo", name="a"),
        ask("get", "<a>"),
        reply=no("there is no entry <a> in this team"),
    ),
    *(
        row(
            f"an entry of another team cannot be had by {args[0]}",
            ask("add", *FACT, team="demo", name="a"),
            ask(*args),
            reply=no("there is no entry <a> in this team"),
        )
        for args in (("accept", "<a>"), ("forget", "<a>"), ("edit", "<a>", *FACT))
    ),
    *(
        row(
            f"an entry of another team cannot be seen by {args[0]}",
            ask("add", *FACT, team="demo", name="a"),
            ask(*args),
            reply=no("there is no entry <a> in this team"),
        )
        for args in (("history", "<a>"), ("feedback", "<a>", "helpful"))
    ),
    row(
        "another team's text is no duplicate",
        ask("add", *FACT, team="demo"),
        ask("add", *FACT),
        reply=ok("Entry <new> added."),
    ),
)

ROWS = (*BOTH_KINDS, *AGENTS, *ROLES, *TEAMS)


@pytest.mark.parametrize("line", ROWS, ids=lambda line: line.title)
async def test_each_caller_gets_what_it_may(line: Row, shared: Memory) -> None:
    reply, expected = await play(shared, line)
    assert reply == expected
