"""Requests and replies against the server's limit on messages."""

import json
import re

import pytest
from nats.errors import MaxPayloadError

from tests.contract.table import make_team
from tests.memory import Memory

CUT = re.compile(r"17 entries \((\d+) left out: a reply holds at most (\d+) bytes\)")


def request(size: int) -> bytes:
    """A request of exactly so many bytes."""
    whole = {"command": "memory", "team": "demo", "args": ["search", ""], "user": "ada"}
    whole["args"] = ["search", "q" * (size - len(json.dumps(whole)))]
    return json.dumps(whole).encode()


async def test_a_reply_that_would_not_fit_is_cut_to_whole_entries(shared: Memory) -> None:
    slug = (await make_team(shared))["team"]
    # Nothing in common, so that no entry is compared with another.
    names = [letter * 4 for letter in "αβγδεζηθικλμνξοπρ"]
    bodies = [name[0] * 32_500 for name in names]
    for name, body in zip(names, bodies, strict=True):
        assert (await shared.ask("add", "fact", name, body, team=slug))["text"].endswith(" added.")

    for operation, newest_first in (("list", True), ("export", False)):
        reply = await shared.ask(operation, team=slug)
        said = CUT.fullmatch(reply["text"].replace(" exported", ""))
        assert said is not None, reply["text"]
        kept = len(reply["entries"])
        assert kept + int(said[1]) == len(names)
        assert 0 < kept < len(names)
        assert int(said[2]) <= shared.nats.max_payload
        order = range(len(names))[::-1] if newest_first else range(len(names))
        assert reply["entries"] == [f"[curated] fact: {names[number]}\n{bodies[number]}" for number in order[:kept]]


async def test_the_largest_entry_can_be_shown(shared: Memory) -> None:
    slug = (await make_team(shared))["team"]
    body = "\x0b".join(["\\"] * 32_768) + "\\"
    reply = await shared.ask("add", "fact", "Escapes", body.replace("\x0b", '"')[:65_536], team=slug)
    shown = await shared.ask("get", reply["text"].split()[1], team=slug)
    assert shown["text"] == "[curated] fact: Escapes\n" + body.replace("\x0b", '"')[:65_536]


async def test_a_request_over_the_limit_is_refused_with_the_limit(shared: Memory) -> None:
    whole = request(shared.nats.max_payload)
    reply = await shared.send(whole)
    assert not reply["ok"]
    said = re.fullmatch(rf"the request has {len(whole)} bytes; the limit is (\d+)", reply["error"])
    assert said is not None, reply
    limit = int(said[1])
    assert (await shared.send(request(limit + 1)))[
        "error"
    ] == f"the request has {limit + 1} bytes; the limit is {limit}"
    assert (await shared.send(request(limit)))["error"] == "the query is over the limit of 131072 bytes"


async def test_what_the_server_would_not_carry_does_not_leave_the_client(shared: Memory) -> None:
    with pytest.raises(MaxPayloadError):
        await shared.send(request(shared.nats.max_payload + 1))
