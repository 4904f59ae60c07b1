"""Lines of an export: what is read strictly, and that nothing is lost on the way."""

import json
from datetime import UTC, datetime

import pytest

from kapelle.domain import portable
from kapelle.domain.entries import Draft, Kind, Restored, Status
from kapelle.domain.errors import InvalidRequest
from kapelle.domain.portable import Record, Reference

LINE = {"kind": "fact", "title": "Deploy time", "body": "Deploys run at noon."}
NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def test_a_record_survives_its_line() -> None:
    record = Record(
        name="12",
        draft=Draft(kind=Kind.GOTCHA, title="Ünïcode title", body="a\nb\u2028c", tags=("x",)),
        restored=Restored(
            status=Status.CURATED,
            source="person:ada",
            created_at=NOON,
            accepted_at=NOON,
            accepted_by="person:bob",
            valid_from=NOON,
            valid_until=NOON.replace(year=2027),
            confidence=0.7,
            labels=((Kind.GOTCHA, 0.9), (Kind.FACT, 0.25)),
            pinned=True,
            metadata='{"a":[1,{"b":null}]}',
            current=False,
        ),
        links=(Reference(kind="supersedes", to="11"),),
    )

    line = portable.written(record)

    assert "\n" not in line
    assert portable.read(line) == record


def test_what_is_left_out_is_as_for_a_new_entry() -> None:
    read = portable.read(json.dumps(LINE))

    assert read == Record(draft=Draft(kind=Kind.FACT, title=LINE["title"], body=LINE["body"]), restored=Restored())
    assert portable.read(json.dumps(LINE | {"valid_until": None, "tags": None, "id": None})) == read


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"kind": "story"}, "kind"),
        ({"title": ""}, "title"),
        ({"body": 7}, "body"),
        ({"body": "a\x00b"}, "body"),
        ({"body": "half \ud83d"}, "body"),
        ({"tags": "a,b"}, "tags"),
        ({"tags": ["a,b"]}, "tag"),
        ({"status": "quarantined"}, "status"),
        ({"source": "no spaces"}, "source"),
        ({"created_at": "2026-01-01T00:00:00"}, "created_at"),
        ({"created_at": "yesterday"}, "created_at"),
        ({"valid_from": "2026-01-02T00:00:00Z", "valid_until": "2026-01-02T00:00:00Z"}, "valid_until"),
        ({"confidence": 1.5}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"pinned": "yes"}, "pinned"),
        ({"labels": {"fact": 0.2, "gotcha": 0.3}}, "labels"),
        ({"labels": {"story": 1}}, "kind"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"a": "b\x00"}}, "metadata"),
        ({"metadata": {"a": "x" * 9000}}, "metadata"),
        ({"links": [{"kind": "likes", "to": "1"}]}, "links"),
        ({"links": [{"kind": "refines", "to": None}]}, "link"),
        ({"id": "x" * 300}, "id"),
    ],
)
def test_what_is_out_of_bounds_is_refused_by_its_field(fields: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidRequest, match=named):
        portable.read(json.dumps(LINE | fields))


@pytest.mark.parametrize("line", ["", "[]", "null", '{"kind": NaN}', "{" * 100_000, "x" * (portable.LINE_BYTES + 1)])
def test_what_is_no_object_is_refused(line: str) -> None:
    with pytest.raises(InvalidRequest):
        portable.read(line)
