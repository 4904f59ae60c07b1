"""The JSON envelope: any bytes get one reply, and what is no request is told so."""

import json

import pytest

from kapelle.adapters.nats.server import SUBJECT
from kapelle.adapters.nats.wire import ERROR_HEADER
from tests.contract.table import make_team
from tests.memory import AGENT, Memory

LIST = {"command": "memory", "team": "demo", "args": ["list"], "source": AGENT}
NOT_JSON = "the request is not valid JSON in UTF-8"
NOT_OBJECT = "the request must be a JSON object"
DEEP = 100_000

BYTES = {
    "nothing": (b"", NOT_JSON),
    "a blank": (b" ", NOT_JSON),
    "text": (b"list", NOT_JSON),
    "an open brace": (b"{", NOT_JSON),
    "a trailing comma": (b'{"command": "memory",}', NOT_JSON),
    "two objects": (b"{}{}", NOT_JSON),
    "single quotes": (b"{'command': 'memory'}", NOT_JSON),
    "a NUL": (b"\0", NOT_JSON),
    "invalid UTF-8": (b'{"command": "\xff\xfe"}', NOT_JSON),
    "UTF-8 cut short": (b'{"command": "\xe2\x82"}', NOT_JSON),
    "half a surrogate pair in UTF-8": (b'{"command": "\xed\xa0\xbd"}', NOT_JSON),
    "UTF-16": (json.dumps(LIST).encode("utf-16"), NOT_JSON),
    "UTF-32": (json.dumps(LIST).encode("utf-32-le"), NOT_JSON),
    "a line end in a string": (b'{"command": "mem\nory"}', NOT_JSON),
    "deep lists": (b"[" * DEEP + b"]" * DEEP, NOT_JSON),
    "deep objects": (b'{"a":' * DEEP + b"1" + b"}" * DEEP, NOT_JSON),
    "deep nesting in a field": (b'{"command": "memory", "args": ' + b"[" * DEEP + b"]" * DEEP + b"}", NOT_JSON),
    "a number of 5,000 digits": (b'{"command": ' + b"9" * 5_000 + b"}", NOT_JSON),
    "NaN": (b"NaN", NOT_JSON),
    "infinity in a field": (json.dumps({**LIST, "team": float("inf")}).encode(), NOT_JSON),
    "a list": (b'["list"]', NOT_OBJECT),
    "a number": (b"12", NOT_OBJECT),
    "a huge number": (b"1e999999", NOT_OBJECT),
    "a string": (b'"list"', NOT_OBJECT),
    "null": (b"null", NOT_OBJECT),
    "true": (b"true", NOT_OBJECT),
    "an empty object": (b"{}", "command must be a string"),
    "a huge number in a field": (b'{"command": 1e999999}', "command must be a string"),
    "a number of 4,000 digits": (b'{"command": ' + b"9" * 4_000 + b"}", "command must be a string"),
}


@pytest.mark.parametrize(("data", "error"), BYTES.values(), ids=BYTES)
async def test_what_is_no_request_is_told_so(data: bytes, error: str, shared: Memory) -> None:
    assert await shared.send(data) == {"ok": False, "error": error}


@pytest.mark.parametrize("more", [{"version": 2}, {"nested": {"a": [None]}}, {"request_id": None}, {"request_id": ""}])
async def test_fields_that_say_nothing_change_nothing(more: dict[str, object], shared: Memory) -> None:
    assert (await shared.send(json.dumps({**LIST, **more}).encode()))["ok"]


async def test_a_byte_order_mark_or_blanks_around_the_object_are_no_obstacle(shared: Memory) -> None:
    assert (await shared.send(b" \n" + json.dumps(LIST).encode() + b"\r\n"))["ok"]


async def test_a_field_that_is_there_twice_is_refused_or_read_as_one(shared: Memory) -> None:
    whole = json.dumps(LIST)
    reply = await shared.send((whole[:-1] + ', "args": ["export"]}').encode())
    assert reply == {"ok": False, "error": NOT_JSON} or reply["text"] in {"0 entries exported", "0 entries"}


async def test_a_message_that_wants_no_reply_is_left_alone(shared: Memory) -> None:
    team = await make_team(shared)
    request = {"command": "memory", "team": team["team"], "args": ["add", "fact", "T", "B"], "user": "ada"}
    await shared.nats.publish("kapelle.controller.command", json.dumps(request).encode())
    await shared.nats.flush()
    assert (await shared.ask("list", team=team["team"]))["text"] == "0 entries"


async def test_escapes_and_plain_characters_are_the_same_request(shared: Memory) -> None:
    team = await make_team(shared)
    request = {"command": "memory", "team": team["team"], "args": ["add", "fact", "Größe", "🎈"], "user": "ada"}
    first = await shared.send(json.dumps(request, ensure_ascii=True).encode())
    again = await shared.send(json.dumps(request, ensure_ascii=False).encode())
    assert again["text"] == first["text"].replace("added", "already says this")


@pytest.mark.parametrize(
    ("args", "code"), [(["get", "999999"], "not_found"), (["get", "x"], "invalid_request"), (["list"], None)]
)
async def test_a_refusal_has_its_code_in_a_header(args: list[str], code: str | None, shared: Memory) -> None:
    reply = await shared.nats.request(SUBJECT, json.dumps({**LIST, "args": args}).encode(), timeout=30)

    assert (reply.headers or {}).get(ERROR_HEADER) == code
