"""The chain of a team's events: any change of any field of any row is found by computing it again."""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kapelle.domain.ledger import GENESIS, Event, Link, Stored, chain, row_hash, text_digest

ORG, TEAM = "acme", 7
WORDS = st.text(st.characters(codec="utf-8"), max_size=30)
DIGESTS = st.binary(min_size=32, max_size=32)
IDS = st.integers(1, 2**63 - 1)
TIMES = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))  # noqa: DTZ001 - hypothesis wants naive bounds
EVENTS = st.builds(
    Event,
    memory_id=IDS,
    event=st.sampled_from(("proposed", "added", "accepted", "superseded", "forgotten", "resolved")),
    actor=WORDS,
    operation_id=st.uuids().map(str),
    happened_at=TIMES,
    other_id=st.none() | IDS,
    text_digest=st.none() | DIGESTS,
)
OF_EVENT: dict[str, st.SearchStrategy[Any]] = {
    "memory_id": IDS,
    "event": WORDS,
    "actor": WORDS,
    "operation_id": st.uuids().map(str),
    "happened_at": TIMES,
    "other_id": st.none() | IDS,
    "text_digest": st.none() | DIGESTS,
}
OF_LINK: dict[str, st.SearchStrategy[Any]] = {"seq": IDS, "previous_hash": DIGESTS, "hash": DIGESTS}


def broken(links: Sequence[Link]) -> int | None:
    """Return the number of the first row that does not follow from the ones before it."""
    head = GENESIS
    for number, link in enumerate(links, start=1):
        expected = row_hash(ORG, TEAM, number, link.event, head)
        if (link.seq, link.previous_hash, link.hash) != (number, head, expected):
            return number
        head = link.hash
    return None


def chained(events: Sequence[Event]) -> list[Link]:
    return list(chain(ORG, TEAM, seq=0, head=GENESIS, events=tuple(events)))


def test_the_changes_cover_every_field() -> None:
    assert OF_EVENT.keys() == {field.name for field in dataclasses.fields(Event)}
    assert OF_LINK.keys() | {"event"} == {field.name for field in dataclasses.fields(Link)}


@given(st.lists(EVENTS, min_size=1, max_size=6), st.data())
def test_any_change_of_one_field_of_one_row_is_found_at_that_row(events: list[Event], data: st.DataObject) -> None:
    links = chained(events)
    assert broken(links) is None
    place = data.draw(st.integers(0, len(links) - 1))
    name = data.draw(st.sampled_from(sorted(OF_EVENT | OF_LINK)))
    link = links[place]
    old = getattr(link if name in OF_LINK else link.event, name)
    new = data.draw((OF_EVENT | OF_LINK)[name].filter(lambda value: value != old))

    links[place] = (
        dataclasses.replace(link, **{name: new})
        if name in OF_LINK
        else dataclasses.replace(link, event=dataclasses.replace(link.event, **{name: new}))
    )

    assert broken(links) == place + 1


@given(st.lists(EVENTS, min_size=2, max_size=6), st.data())
def test_a_row_that_is_missing_or_moved_is_found(events: list[Event], data: st.DataObject) -> None:
    links = chained(events)
    place = data.draw(st.integers(0, len(links) - 2))

    without = links[:place] + links[place + 1 :]
    swapped = [*links[:place], links[place + 1], links[place], *links[place + 2 :]]

    assert broken(without) == place + 1
    assert broken(swapped) == place + 1


@given(EVENTS, EVENTS)
def test_appending_in_two_steps_makes_the_chain_of_one(first: Event, second: Event) -> None:
    (head,) = chained([first])

    assert [head, *chain(ORG, TEAM, seq=1, head=head.hash, events=(second,))] == chained([first, second])


@given(EVENTS)
def test_the_same_event_of_another_org_or_team_has_another_hash(event: Event) -> None:
    own = row_hash(ORG, TEAM, 1, event, GENESIS)

    assert row_hash("other", TEAM, 1, event, GENESIS) != own
    assert row_hash(ORG, TEAM + 1, 1, event, GENESIS) != own


@given(EVENTS, st.integers(-14, 14))
def test_a_moment_hashes_alike_in_every_time_zone(event: Event, hours: int) -> None:
    elsewhere = event.happened_at.astimezone(timezone(timedelta(hours=hours)))

    assert chained([dataclasses.replace(event, happened_at=elsewhere)])[0].hash == chained([event])[0].hash


STORED = st.builds(
    Stored,
    title=WORDS,
    body=WORDS,
    tags=st.lists(WORDS, max_size=3).map(tuple),
    source=WORDS,
    created_at=TIMES,
    valid_from=TIMES,
    valid_until=st.none() | TIMES,
)


@given(STORED, STORED, DIGESTS, DIGESTS)
def test_the_digest_of_an_entry_depends_on_its_salt_and_on_all_that_never_changes(
    stored: Stored, changed: Stored, salt: bytes, other: bytes
) -> None:
    digest = text_digest(salt, stored)

    assert (text_digest(other, stored) == digest) == (other == salt)
    for each in dataclasses.fields(Stored):
        one_field = dataclasses.replace(stored, **{each.name: getattr(changed, each.name)})
        assert (text_digest(salt, one_field) == digest) == (one_field == stored)


@given(WORDS, WORDS, DIGESTS)
def test_a_word_moved_from_the_title_to_the_body_makes_another_digest(title: str, body: str, salt: bytes) -> None:
    moment = datetime(2026, 3, 3, tzinfo=UTC)

    def digest(title: str, body: str) -> bytes:
        stored = Stored(
            title=title, body=body, tags=(), source="", created_at=moment, valid_from=moment, valid_until=None
        )
        return text_digest(salt, stored)

    assert digest("a" + title, body) != digest("a", title + body) or title == ""
