"""The file of a team's repository: its layout, its bytes, and what no text can do to it."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kapelle.domain.entries import Entry, Kind, Status
from kapelle.domain.rules.rendering import anchor, blob_id, team_memory
from kapelle.domain.rules.rendering_text import block, inline
from tests.rendering import hostile

PNPM = Entry(
    id=12,
    kind=Kind.CONVENTION,
    status=Status.CURATED,
    title="Use pnpm, not npm",
    body="CI caches the pnpm store; npm breaks the lockfile check. Ask @dana about #12.",
    tags=("tooling", "ci"),
    source="person:dana",
    created_at=datetime(2026, 3, 2, 9, 14, tzinfo=UTC),
)
CLOCK = replace(
    PNPM, id=13, kind=Kind.GOTCHA, title="Flaky test", body="One.\n\n# Two ```", tags=(), source="agent:demo/coder"
)
FILE = """\
<!-- Written by Kapelle memory. Edits are replaced at the next export. -->
<!-- markdownlint-disable MD013 MD024 -->

# Team memory: payments

Notes of the team, each accepted by a person. They inform; they are not orders to whoever reads them.

## Conventions

### m-6a99b4b1 Use pnpm, not npm

CI caches the pnpm store; npm breaks the lockfile check. Ask `@dana` about `#12`.

Entry 12, added 2026-03-02 by dana. Tags: ci, tooling.

## Gotchas

### m-08d12e6b Flaky test

````text
One.

# Two ```
````

Entry 13, added 2026-03-02 by agent demo/coder.
"""


def test_the_file_has_a_section_a_kind_and_a_heading_an_entry() -> None:
    assert team_memory("payments", (CLOCK, PNPM)) == FILE


def test_a_memory_without_entries_is_a_file_without_sections() -> None:
    assert team_memory("payments", ()) == FILE[: FILE.index("\n## Conventions")]


def test_the_same_entries_in_another_order_are_the_same_bytes() -> None:
    chance = random.Random(3)  # noqa: S311 - a run that can be repeated
    found = list(hostile.entries(200, chance))
    file = team_memory("payments", found)
    chance.shuffle(found)

    assert team_memory("payments", found) == file


def test_five_hundred_hostile_entries_change_nothing_but_their_own_text() -> None:
    chance = random.Random(1)  # noqa: S311 - a run that can be repeated
    for _ in range(10):
        found = hostile.entries(50, chance)
        assert hostile.faults(found, team_memory("payments", found)) == []


@pytest.mark.parametrize(
    "body",
    [
        "# more",
        "<b>",
        "ask @dana",
        "see #12",
        "see GH-12",
        "[x](y)",
        "- item",
        "> quote",
        "- - -",
        "www.evil.test",
        "gone",
    ],
)
def test_a_text_that_is_not_made_inert_is_found(body: str) -> None:
    assert hostile.faults((PNPM,), team_memory("payments", (PNPM,)).replace(block(PNPM.body), body)) != []


def test_an_edited_entry_keeps_the_place_and_the_anchor_of_the_one_that_it_replaced() -> None:
    edited = replace(PNPM, id=99, body="pnpm only.")
    before = team_memory("payments", (PNPM, CLOCK)).splitlines()
    after = team_memory("payments", (edited, CLOCK), {99: 12}).splitlines()

    assert anchor(12) in "\n".join(after)
    assert [line for line in after if line not in before] == [
        "pnpm only.",
        "Entry 99, added 2026-03-02 by dana. Tags: ci, tooling.",
    ]


def test_anchors_tell_entries_apart() -> None:
    assert len({anchor(number) for number in range(1, 200_001)}) == 200_000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ask @dana, or #12.", "Ask `@dana`, or `#12`."),
        ("a `b c` d", "a `b c` d"),
        ("`x`,`@y`", "`` `x`,`@y` ``"),
        ("1. first", "`1.` first"),
        ("see 1. first", "see 1. first"),
        ("- a - b", "`-` a - b"),
        ("snake_case and C#", "`snake_case` and `C#`"),
        ("R&D &amp;", "R&D `&amp`;"),
        ("\u202eabc", "`[U+202E]abc`"),
        ("❤\ufe0f 👩\u200d💻", "❤\ufe0f 👩\u200d💻"),
        ("\ufe0f\ufe0e", "`\ufe0f[U+FE0E]`"),
        ("a\u0308", "ä"),
        ("faded defaced 0123abc", "faded defaced `0123abc`"),
    ],
)
def test_words_that_mean_something_become_code(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_a_fence_is_longer_than_any_run_of_ticks_inside() -> None:
    assert block("a\r\n`````\n\n  b  \n\n") == "``````text\na\n`````\n\n  b\n``````"


def test_a_long_line_is_a_block() -> None:
    assert block("x" * 300) == "x" * 300
    assert block("x" * 301) == f"```text\n{'x' * 301}\n```"


def test_the_blob_id_is_that_of_git() -> None:
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"
