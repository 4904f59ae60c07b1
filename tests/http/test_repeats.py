"""Idempotency keys: the same request is done once and answered the same, another one under the key is refused."""

import asyncio
from typing import Any

import pytest

from tests.contract.holding import held
from tests.web import ADMIN, AGENT, Web, a_memory, code_of

CHANGES: tuple[tuple[str, Any, Any], ...] = (
    ("/v1/memories", a_memory(title="Once", body="It is stored once."), a_memory(title="Once", body="Another.")),
    ("/v1/memories/{id}/feedback", {"vote": "helpful"}, {"vote": "unhelpful"}),
    ("/v1/memories/bulk", {"items": [a_memory(title="Bulk once")]}, {"items": [a_memory(title="Bulk other")]}),
    ("/v1/memories/{id}/supersede", a_memory(title="Newer"), a_memory(title="Newest")),
)
DECISIONS = ("/v1/memories/{id}/accept", "/v1/memories/{id}/forget")


@pytest.mark.parametrize(("path", "body", "other"), CHANGES, ids=[path for path, _, _ in CHANGES])
async def test_the_same_request_is_answered_the_same_and_another_one_is_refused(
    web: Web, path: str, body: Any, other: Any
) -> None:
    stored = await web.stored(title=f"For {path}", body=f"For {path}, an entry.")
    address = path.format(id=stored["id"])
    first = await web.post(address, body, key=f"key{path}")
    again = await web.post(address, body, key=f"key{path}")
    another = await web.post(address, other, key=f"key{path}")

    assert first.status_code in {200, 201, 207}, first.text
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert (another.status_code, code_of(another)) == (409, "CONFLICT")


@pytest.mark.parametrize("path", DECISIONS)
async def test_a_decision_is_made_once_for_a_key(web: Web, path: str) -> None:
    one, two = [await web.stored(title=f"{path} {each}", body=f"Decision {path} {each}.") for each in "ab"]
    first = await web.post(path.format(id=one["id"]), key=path)
    again = await web.post(path.format(id=one["id"]), key=path)
    another = await web.post(path.format(id=two["id"]), key=path)

    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert (another.status_code, code_of(another)) == (409, "CONFLICT")


async def test_a_repeated_answer_stays_what_it_was_when_the_entry_moved_on(web: Web) -> None:
    body = a_memory(title="Moving on", body="First proposed, then accepted.")
    first = await web.post("/v1/memories", body, token=AGENT, key="moving")
    await web.post(f"/v1/memories/{first.json()['id']}/accept")
    again = await web.post("/v1/memories", body, token=AGENT, key="moving")

    assert (again.status_code, again.json()) == (first.status_code, first.json())


async def test_details_are_part_of_the_request(web: Web) -> None:
    body = a_memory(title="Details", body="Said with more.")
    await web.post("/v1/memories", body, key="details")
    for more in ({"pinned": True}, {"metadata": {"a": 1}}, {"confidence": 0.5}, {"tags": ["x"]}):
        assert (await web.post("/v1/memories", {**body, **more}, key="details")).status_code == 409


async def test_keys_of_two_callers_are_two_keys(web: Web) -> None:
    mine = await web.post("/v1/memories", a_memory(title="Mine", body="Of the agent."), token=AGENT, key="shared")
    other = await web.post("/v1/memories", a_memory(title="Yours", body="Of the person."), token=ADMIN, key="shared")

    assert (mine.status_code, other.status_code) == (201, 201)


@pytest.mark.parametrize("key", ["", "a b", "k" * 201, "\u00e4"])
async def test_a_key_that_is_none_is_refused(web: Web, key: str) -> None:
    headers = {b"Authorization": f"Bearer {AGENT}".encode(), b"Idempotency-Key": key.encode("latin-1")}
    answer = await web.client.post("/v1/memories", json=a_memory(), headers=headers)

    assert code_of(answer) == "INVALID_REQUEST"


async def test_a_request_that_is_under_way_is_told_to_come_back(web: Web) -> None:
    body = a_memory(title="Slow", body="It takes its time.")
    async with held(web.memory, "demo") as lock:
        first = asyncio.create_task(web.post("/v1/memories", body, key="slow"))
        await lock.waited_for()
        meanwhile = await web.post("/v1/memories", body, key="slow")
        another = await web.post("/v1/memories", a_memory(title="Other", body="Not that."), key="slow")
    done = await first
    later = await web.post("/v1/memories", body, key="slow")

    assert (meanwhile.status_code, code_of(meanwhile)) == (409, "STILL_RUNNING")
    assert int(meanwhile.headers["Retry-After"]) > 0
    assert another.status_code == 409
    assert (later.status_code, later.json()) == (done.status_code, done.json()) == (201, done.json())
