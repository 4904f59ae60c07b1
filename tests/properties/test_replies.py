"""Whatever is sent, one well-formed reply comes back, and it says nothing of the inside."""

import json
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from kapelle.adapters.nats.server import SUBJECT
from tests.memory import Memory, running_memory
from tests.properties import generator, storm
from tests.properties.replies import malformed
from tests.stack import Temporal, fresh_database
from workers.stack.servers import Addresses

_TEXT = some.text(some.characters(codec=None), max_size=60)
_JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | _TEXT,
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)
_OPERATIONS = (
    "search",
    "get",
    "list",
    "propose",
    "add",
    "accept",
    "edit",
    "forget",
    "export",
    "history",
    "feedback",
    "operation",
)
_REQUESTS = some.fixed_dictionaries(
    {
        "command": some.sampled_from(("memory", "team")) | _JSON,
        "args": some.tuples(some.sampled_from(_OPERATIONS), _TEXT | _JSON, _TEXT, _TEXT).map(list) | _JSON,
        "team": some.just("demo") | _JSON,
    },
    optional={"source": some.just("agent:demo/coder") | _JSON, "user": some.just("ada") | _JSON, "request_id": _JSON},
)
# Servers are slower on a busy machine, and how fast they are is not what is tested.
_EXAMPLES = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
async def service(servers: Addresses) -> AsyncIterator[Memory]:
    temporal = Temporal(address=servers.temporal_address, namespace="default", task_queue=f"test-{uuid.uuid4().hex}")
    async with fresh_database(servers) as database, running_memory(database, servers.nats_url, temporal) as memory:
        yield memory


async def answer(service: Memory, data: bytes) -> bytes:
    reply: bytes = (await service.nats.request(SUBJECT, data, timeout=60)).data
    return reply


@_EXAMPLES
@given(data=some.binary(max_size=2000))
async def test_any_bytes_get_a_well_formed_refusal(service: Memory, data: bytes) -> None:
    reply = await answer(service, data)
    assert malformed(reply) == ""
    assert not json.loads(reply)["ok"]


@_EXAMPLES
@given(value=_JSON)
async def test_any_json_gets_a_well_formed_refusal(service: Memory, value: Any) -> None:
    reply = await answer(service, json.dumps(value).encode())
    assert malformed(reply) == ""
    assert not json.loads(reply)["ok"]


@_EXAMPLES
@given(request=_REQUESTS)
async def test_any_request_that_is_nearly_right_gets_a_well_formed_reply(
    service: Memory, request: dict[str, Any]
) -> None:
    reply = await answer(service, json.dumps(request).encode())
    assert malformed(reply) == ""
    assert b"something went wrong" not in reply


async def test_many_chance_requests_at_once_get_one_reply_each(service: Memory) -> None:
    seen = await storm.send_all(service, generator.requests(20_261_130, 300))
    assert seen.wrong == []
    assert seen.replies == 300


def test_the_generator_repeats_itself_for_a_seed_only() -> None:
    assert list(generator.requests(1, 50)) == list(generator.requests(1, 50))
    assert list(generator.requests(1, 50)) != list(generator.requests(2, 50))


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"[]",
        b'{"ok": 1}',
        b'{"ok": true}',
        b'{"ok": true, "text": 1}',
        b'{"ok": true, "text": "", "entries": [1]}',
        b'{"ok": true, "text": "", "more": 1}',
        b'{"ok": false}',
        b'{"ok": false, "error": ""}',
        b'{"ok": false, "error": "a\\nb"}',
        b'{"ok": false, "error": "KeyError"}',
        b'{"ok": false, "error": "in server.py"}',
        b'{"ok": false, "error": "x", "text": ""}',
        b'{"ok": false, "error": "\xff"}',
    ],
)
def test_a_malformed_reply_is_seen_as_such(reply: bytes) -> None:
    assert malformed(reply)
