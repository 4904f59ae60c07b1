"""What broke other memory services, each with the smallest input that would show it here."""

import asyncio
import uuid

import pytest

from benchmarks.scan_data import values
from tests.contract.table import make_team
from tests.memory import Memory

COMMIT = values.draw(values.seeded("commit"), values.HEX, 40)
SHA256 = values.draw(values.seeded("digest"), values.HEX, 64)
TOKEN = values.checked(values.seeded("control"), "ghp_")
BODY_LIMIT = 65_536


@pytest.fixture
async def slug(shared: Memory) -> str:
    return (await make_team(shared))["team"]


def entry_of(reply: dict[str, str]) -> str:
    return reply["text"].split()[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The deadline for the audit is 15 October.", "The deadline for the audit is 16 October."),
        ("The exporter needs v2.3 of the agent.", "The exporter needs v2.4 of the agent."),
        ("You must drain the node before the upgrade.", "You must not drain the node before the upgrade."),
        ("The fix for the leak is in PR 260.", "The fix for the leak is in PR 480."),
        ("The export job retries for 30 seconds.", "The export job retries for 30 minutes."),
        ("Call `load_all` before the export starts.", "Call `load_one` before the export starts."),
    ],
)
async def test_texts_one_difference_apart_are_both_kept_and_a_person_is_asked(
    one: str, other: str, shared: Memory, slug: str
) -> None:
    first = entry_of(await shared.ask("add", "fact", "Export", one, team=slug))
    second = await shared.ask("add", "fact", "Export", other, team=slug)

    assert second["text"].endswith(" added.")
    (conflict,) = (await shared.ask("conflicts", team=slug))["entries"]
    assert f"between entries {first} and {entry_of(second)}" in conflict


async def test_what_was_acknowledged_is_found_at_once_however_many_write(shared: Memory, slug: str) -> None:
    markers = [f"marker{uuid.uuid4().hex[:12]}" for _ in range(24)]

    async def write_and_look(marker: str) -> list[str]:
        assert (await shared.ask("add", "fact", marker, f"About {marker}.", team=slug))["ok"]
        found = await shared.ask("search", marker, team=slug)
        return [entry for entry in found["entries"] if marker in entry]

    assert [len(found) for found in await asyncio.gather(*map(write_and_look, markers))] == [1] * len(markers)


async def test_a_text_is_known_to_every_way_of_writing(shared: Memory, slug: str) -> None:
    note = ("fact", "Ports", "Metrics are on port 9090.")
    first = entry_of(await shared.ask("propose", *note, team=slug))
    old = entry_of(await shared.ask("add", "fact", "Logs", "Logs are kept for a week.", team=slug))

    for operation, named in (("propose", ()), ("edit", (old,))):
        again = await shared.ask(operation, *named, *note, team=slug)
        assert again["text"] == f"Entry {first} already says this."
    assert (await shared.ask("add", *note, team=slug))["text"] == f"Entry {first} accepted."
    assert (await shared.ask("add", *note, team=slug))["text"] == f"Entry {first} already says this."


@pytest.mark.parametrize("size", [BODY_LIMIT + 1, 200_000, 900_000])
async def test_a_body_over_the_limit_is_refused_with_the_limit_and_can_be_sent_again_shorter(
    size: int, shared: Memory, slug: str
) -> None:
    reply = await shared.ask("add", "fact", "Long", "a " * (size // 2) + "a" * (size % 2), team=slug, request_id="r")
    assert reply == {"ok": False, "error": f"the body has {size} bytes; the limit is {BODY_LIMIT}"}
    assert (await shared.ask("add", "fact", "Long", "Shorter.", team=slug, request_id="r"))["ok"]


async def test_facts_that_share_a_name_do_not_retire_each_other(shared: Memory, slug: str) -> None:
    topics = ("logs", "ports", "owners", "alerts", "quotas", "backups", "hosts", "flags", "docs", "costs")
    for number, topic in enumerate(topics):
        await shared.ask("add", "fact", f"Kestrel {topic}", f"Kestrel keeps its {topic} in place {number}.", team=slug)
    new = await shared.ask("add", "fact", "Kestrel", "Kestrel was renamed to Osprey in spring.", team=slug)

    assert new["text"].endswith(" added.")
    assert (await shared.ask("list", team=slug))["text"] == "11 entries"


async def test_notes_of_one_template_are_held_against_few_others(shared: Memory, slug: str) -> None:
    names = [
        f"{first}{last}"
        for first in ("Ada", "Bea", "Cem", "Dua", "Eva", "Fin")
        for last in ("bo", "ko", "lo", "mo", "to")
    ]
    for name in names:
        text = f"The gateway of {name} is deployed by {name} every Monday after the review."
        assert (await shared.ask("add", "fact", "Gateway", text, team=slug))["text"].endswith(" added.")

    (total,) = await shared.rows(
        """
        select count(*) as pairs, max(newer) as most_of_newer, max(older) as most_of_older
        from (
            select count(*) over (partition by c.second_id) as newer, count(*) over (partition by c.first_id) as older
            from ibex_core.memory_conflicts as c join ibex_core.teams as t using (team_id) where t.slug = $1
        ) as counted
        """,
        slug,
    )
    assert 0 < total["pairs"] <= 3 * len(names)
    assert total["most_of_newer"] <= 3
    assert total["most_of_older"] <= 10


@pytest.mark.parametrize(
    "body",
    [
        f"Fixed in commit {COMMIT[:8]}, that is {COMMIT}.",
        f"The image is app@sha256:{SHA256}.",
        "The tenant is 3f2b8c1e-9d4a-4e6f-8a7b-5c0d1e2f3a4b.",
        "Set `sk-xxxxxxxxxxxxxxxxxxxxxxxx` in the header, see the vault.",
        "The branch is feature/very-long-hyphenated-name-of-the-thing-that-we-build.",
    ],
)
async def test_what_only_looks_like_a_secret_is_stored_and_a_true_one_beside_it_is_not(
    body: str, shared: Memory, slug: str
) -> None:
    assert (await shared.ask("add", "fact", "Build", body, team=slug))["text"].endswith(" added.")

    refused = await shared.ask("add", "fact", "Build", f"{body}\nToken: {TOKEN}", team=slug)
    assert refused["error"].startswith("not stored: a GitHub token in body, line 2, column 8")
    assert TOKEN not in str(refused)


@pytest.mark.parametrize("place", ["title", "body", "tag"])
async def test_the_same_scan_looks_at_every_part(place: str, shared: Memory, slug: str) -> None:
    parts = {"title": "Build", "body": "The body.", "tag": "infra"} | {place: TOKEN}
    refused = await shared.ask("propose", "fact", *parts.values(), team=slug)
    assert refused["error"].startswith(f"not stored: a GitHub token in {place}")


@pytest.mark.parametrize(
    "args",
    [
        ("get", "<theirs>"),
        ("history", "<theirs>"),
        ("accept", "<theirs>"),
        ("edit", "<theirs>", "fact", "Mine", "Now mine."),
        ("forget", "<theirs>"),
        ("feedback", "<theirs>", "helpful"),
        ("resolve", "<conflict>", "keep-both"),
    ],
    ids=lambda args: args[0],
)
async def test_what_belongs_to_another_team_answers_as_what_never_was(
    args: tuple[str, ...], shared: Memory, slug: str
) -> None:
    other = (await make_team(shared))["team"]
    theirs = entry_of(await shared.ask("add", "fact", "Limits", "The limit is 5 requests a second.", team=other))
    await shared.ask("add", "fact", "Limits", "The limit is 9 requests a second.", team=other)
    (conflict,) = (await shared.ask("conflicts", team=other))["entries"]
    known = {"<theirs>": theirs, "<conflict>": conflict.split()[1]}
    never = str(2**62)

    asked = await shared.ask(*(known.get(arg, arg) for arg in args), team=slug)
    of_none = await shared.ask(*(never if arg in known else arg for arg in args), team=slug)

    own_id = known[args[1]]
    assert asked["ok"] is False
    assert asked["error"].replace(own_id, "N") == of_none["error"].replace(never, "N")


async def test_another_teams_text_is_neither_a_duplicate_nor_a_conflict(shared: Memory, slug: str) -> None:
    other = (await make_team(shared))["team"]
    await shared.ask("add", "fact", "Limits", "The limit is 5 requests a second.", team=other)

    for body in ("The limit is 5 requests a second.", "The limit is 9 requests a second."):
        assert (await shared.ask("add", "fact", "Limits", body, team=slug))["text"].endswith(" added.")
    (conflict,) = (await shared.ask("conflicts", team=slug))["entries"]
    listed = (await shared.ask("list", team=slug, ids=True))["ids"]
    assert all(f"{entry}" in conflict.partition("\n")[0] for entry in listed)
