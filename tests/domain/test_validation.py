"""The limits of what a caller may send: each refusal names the field, and the limit where there is one."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapelle.domain import validation
from kapelle.domain.entries import Draft, Kind
from kapelle.domain.errors import InvalidRequest

GOOD = ("fact", "A title", "A body", "one,two")


def draft(**changes: str) -> Draft:
    fields = dict(zip(("kind_text", "title", "body", "tags_csv"), GOOD, strict=True))
    return validation.draft(**(fields | changes))


def test_a_draft_is_read_from_its_parts() -> None:
    assert draft() == Draft(kind=Kind.FACT, title="A title", body="A body", tags=("one", "two"))


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"title": ""}, "the title is empty"),
        ({"title": " \t "}, "the title is empty"),
        ({"title": "\u200b\u2060"}, "the title is empty"),
        ({"title": "x" * 201}, "the title has 201 characters; the limit is 200"),
        ({"title": "two\nlines"}, "the title must be one line"),
        ({"title": "two\u2028lines"}, "the title must be one line"),
        ({"body": ""}, "the body is empty"),
        ({"body": "\n\n"}, "the body is empty"),
        ({"body": "x" * 65_537}, "the body has 65537 bytes; the limit is 65536"),
        ({"body": "ü" * 32_769}, "the body has 65538 bytes; the limit is 65536"),
        ({"tags_csv": ",".join(f"t{number}" for number in range(21))}, "there are 21 tags; the limit is 20"),
        ({"tags_csv": "x" * 51}, "a tag is over the limit of 50 characters"),
        ({"tags_csv": "two\nlines"}, "a tag must be one line"),
        ({"kind_text": "story"}, "unknown memory kind 'story'; expected one of (convention, decision, event, fact"),
        ({"kind_text": ""}, "unknown memory kind ''"),
        ({"kind_text": "Fact"}, "unknown memory kind 'Fact'"),
        ({"kind_text": "x" * 41}, "unknown memory kind '…'"),
    ],
)
def test_a_draft_out_of_bounds_is_refused_by_field_and_limit(changes: dict[str, str], names: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        draft(**changes)

    assert names in caught.value.message


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "x" * 200},
        {"body": "x" * 65_536},
        {"body": "ü" * 32_768},
        {"tags_csv": ",".join(f"t{number}" for number in range(20))},
        {"tags_csv": "x" * 50},
        {"title": "日" * 200},
    ],
)
def test_a_draft_at_its_limits_is_taken(changes: dict[str, str]) -> None:
    draft(**changes)


def test_tags_are_trimmed_and_kept_once_in_their_order() -> None:
    assert draft(tags_csv=" b, a ,b,,a").tags == ("b", "a")
    assert draft(tags_csv="").tags == ()


def test_the_body_is_kept_as_it_came_and_the_title_without_blanks_around_it() -> None:
    taken = draft(title="  A title ", body="  indented\n\n")

    assert (taken.title, taken.body) == ("A title", "  indented\n\n")


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (7, "body must be a string"),
        (None, "body must be a string"),
        ("a\x00b", "body holds a NUL character"),
        ("\ud800", "body holds half a surrogate pair"),
        ("x\udfffy", "body holds half a surrogate pair"),
    ],
)
def test_what_the_database_cannot_hold_is_refused_by_field(value: object, names: str) -> None:
    with pytest.raises(InvalidRequest, match=names):
        validation.storable("body", value)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
def test_all_other_text_can_be_stored(text: str) -> None:
    assert validation.storable("body", text) == text


@pytest.mark.parametrize("value", ["1", "12", "007", "9223372036854775807"])
def test_an_id_is_decimal_digits(value: str) -> None:
    assert validation.number("the entry id", value) == int(value)


@pytest.mark.parametrize(
    "value", ["", "0", "-1", "+1", "1.0", "1e3", " 1", "٣", "²", "0x1", "9223372036854775808", "1" * 5000]
)
def test_anything_else_is_no_id(value: str) -> None:
    with pytest.raises(InvalidRequest, match="the entry id must be a positive whole number"):
        validation.number("the entry id", value)


def test_an_operation_id_is_a_uuid_in_any_of_its_forms() -> None:
    own = uuid.uuid4()

    assert validation.operation_id(str(own).upper()) == str(own)
    with pytest.raises(InvalidRequest, match="must be a UUID"):
        validation.operation_id("12")


@pytest.mark.parametrize(("slug", "good"), [
    ("payments", True), ("a", True), ("team-7", True), ("x" * 63, True),
    ("", False), ("x" * 64, False), ("Payments", False), ("-a", False), ("a b", False), ("a\n", False), ("ä", False),
])  # fmt: skip
def test_a_slug_has_lower_case_letters_digits_and_hyphens(slug: str, good: bool) -> None:  # noqa: FBT001 - a column of the table
    if good:
        assert validation.slug(slug) == slug
        return
    with pytest.raises(InvalidRequest, match="1 to 63 lower-case"):
        validation.slug(slug)


@pytest.mark.parametrize("person", ["", "x" * 101, "has space", ".dot", "ada\n"])
def test_a_malformed_person_is_refused(person: str) -> None:
    with pytest.raises(InvalidRequest, match="1 to 100 letters"):
        validation.person(person)


@pytest.mark.parametrize("name", ["", "x" * 64, "Coder", "a/b", "coder\n"])
def test_a_malformed_agents_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest, match="1 to 63 lower-case"):
        validation.agent_name(name)


def test_an_empty_kind_is_any_kind_where_kinds_filter() -> None:
    assert validation.kind_or_any("") is None
    assert validation.kind_or_any("gotcha") is Kind.GOTCHA


def test_a_query_is_bounded_in_bytes() -> None:
    assert validation.query("ü" * 65_536)
    with pytest.raises(InvalidRequest, match="the limit of 131072 bytes"):
        validation.query("ü" * 65_537)


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=300), st.text(max_size=300))
def test_any_text_makes_a_draft_within_the_limits_or_a_refusal(kind: str, title: str, body: str, tags: str) -> None:
    try:
        taken = validation.draft(kind, title, body, tags)
    except InvalidRequest:
        return
    assert 0 < len(taken.title) <= 200
    assert len(taken.tags) <= 20
