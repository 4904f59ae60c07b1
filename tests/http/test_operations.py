"""Operations: how far one is, taking one back, those that are stuck; over HTTP and over NATS."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.contract.holding import Held, held
from tests.memory import running_memory
from tests.stack import Temporal, fresh_database
from tests.web import ADMIN, AGENT, Web, a_memory, code_of, running_web
from workers.stack.servers import Addresses

NOBODYS = "6b1f8f5e-4d0e-4c39-9a63-1d0f6a2d7c11"


@pytest.fixture(scope="module")
async def web(servers: Addresses) -> AsyncIterator[Web]:
    """A service that lets a caller go after half a second."""
    temporal = Temporal(address=servers.temporal_address, namespace="default", task_queue=f"test-{uuid.uuid4().hex}")
    async with (
        fresh_database(servers) as database,
        running_memory(database, servers.nats_url, temporal, reply_seconds=0.5) as memory,
        running_web(memory) as running,
    ):
        yield running


async def under_way(web: Web, lock: Held, title: str, token: str = AGENT) -> dict[str, Any]:
    """Begin a write that waits for its team's lock, and return the answer that names its operation."""
    answer = await web.post("/v1/memories", a_memory(title=title, body=f"{title} waits."), token=token)
    await lock.waited_for()
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/v1/operations/{answer.json()['operation_id']}"
    assert answer.headers["Retry-After"] == "1"
    told: dict[str, Any] = answer.json()
    return told


async def ended(web: Web, operation_id: str) -> dict[str, Any]:
    """Return an operation once it has ended."""
    async with asyncio.timeout(20):
        while True:
            found: dict[str, Any] = (await web.get(f"/v1/operations/{operation_id}")).json()
            if found["finished_at"] is not None:
                return found


async def stored_by_now(web: Web, title: str) -> dict[str, Any]:
    """Store an entry, however long it takes, and return the end of its operation."""
    answer = await web.post("/v1/memories", a_memory(title=title, body=f"{title} is stored."), token=AGENT)
    return await ended(web, answer.json()["operation_id"])


async def test_a_write_that_takes_long_is_followed_by_its_operation(web: Web) -> None:
    async with held(web.memory, "demo") as lock:
        begun = await under_way(web, lock, "Slow")
        address = f"/v1/operations/{begun['operation_id']}"
        running = (await web.get(address, token=AGENT)).json()
        over_nats = await web.memory.ask("operation", begun["operation_id"])
    done = await ended(web, begun["operation_id"])

    assert (running["state"], running["operation"], running["text"]) == ("running", "propose", None)
    assert over_nats["text"] == f"Operation {begun['operation_id']} running"
    assert (done["state"], done["text"]) == ("succeeded", f"Entry {done['id']} proposed.")


async def test_what_is_cancelled_is_never_stored(web: Web) -> None:
    async with held(web.memory, "demo") as lock:
        begun = await under_way(web, lock, "Regretted")
        address = f"/v1/operations/{begun['operation_id']}"
        cancelled = await web.post(f"{address}/cancel", token=AGENT)
        again = await web.post(f"{address}/cancel", token=AGENT)
    marker = await stored_by_now(web, "Marker")
    shown = (await web.get(address, token=AGENT)).json()

    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    assert (again.status_code, again.json()) == (200, cancelled.json())
    assert (shown["state"], shown["id"]) == ("cancelled", None)
    rows = await web.memory.rows("select title from ibex_core.memories where id <= $1", marker["id"])
    assert "Regretted" not in [row["title"] for row in rows]
    assert (await web.memory.ask("operation", begun["operation_id"]))["text"].endswith(" cancelled")


async def test_a_repeated_request_is_told_that_it_was_cancelled(web: Web) -> None:
    body = a_memory(title="Twice", body="It is cancelled, and asked for again.")
    async with held(web.memory, "demo") as lock:
        begun = await web.post("/v1/memories", body, token=AGENT, key="twice")
        await lock.waited_for()
        meanwhile = await web.post("/v1/memories", body, token=AGENT, key="twice")
        await web.post(f"/v1/operations/{begun.json()['operation_id']}/cancel", token=AGENT)
    await ended(web, begun.json()["operation_id"])
    again = await web.post("/v1/memories", body, token=AGENT, key="twice")

    assert code_of(meanwhile) == "STILL_RUNNING"
    assert (again.status_code, code_of(again)) == (409, "CONFLICT")


async def test_cancelling_one_write_keeps_no_other_from_being_stored(web: Web) -> None:
    async with held(web.memory, "demo") as lock:
        first = await under_way(web, lock, "Alone")
        # These arrive while a batch of the team runs, and share the next one.
        batch = await asyncio.gather(
            *(web.post("/v1/memories", a_memory(title=f"Batch {one}"), key=f"b{one}") for one in range(9))
        )
        told = [answer.json() for answer in batch if answer.status_code == 202]
        victim = (told or [first])[0]["operation_id"]
        cancelled = await web.post(f"/v1/operations/{victim}/cancel")
    states = [(await ended(web, one["operation_id"]))["state"] for one in (first, *told)]

    assert cancelled.status_code == 200
    assert states.count("cancelled") == 1
    assert set(states) <= {"cancelled", "succeeded"}


async def test_what_has_ended_cannot_be_cancelled(web: Web) -> None:
    stored = await stored_by_now(web, "Ended")
    answer = await web.post(f"/v1/operations/{stored['operation_id']}/cancel", token=AGENT)
    over_nats = await web.memory.ask("cancel", stored["operation_id"])

    assert (answer.status_code, code_of(answer)) == (409, "CONFLICT")
    assert over_nats["ok"] is False
    assert (await web.get(f"/v1/memories/{stored['id']}")).status_code == 200


async def test_a_decision_can_be_cancelled_too(web: Web) -> None:
    stored = await stored_by_now(web, "Kept")
    async with held(web.memory, "demo") as lock:
        begun = await web.post(f"/v1/memories/{stored['id']}/forget")
        await lock.waited_for()
        over_nats = await web.memory.ask("cancel", begun.json()["operation_id"])
    await ended(web, begun.json()["operation_id"])

    assert begun.status_code == 202
    assert over_nats["text"] == f"Operation {begun.json()['operation_id']} cancelled"
    assert (await web.get(f"/v1/memories/{stored['id']}")).status_code == 200


async def test_an_operation_is_shown_to_those_who_may_alone(web: Web) -> None:
    reply = await web.memory.team("add-agent", "demo", "reader")
    other = str(reply["text"]).rpartition(" ")[2]
    await web.memory.team("add-member", "demo", "mel")
    async with held(web.memory, "demo") as lock:
        begun = await under_way(web, lock, "Private")
        address = f"/v1/operations/{begun['operation_id']}"
        seen = [(await web.get(address, token=token)).status_code for token in (AGENT, ADMIN, other)]
        nobodys = await web.get(f"/v1/operations/{NOBODYS}", token=other)
        others = await web.get(address, token=other)
        stopped = await web.post(f"{address}/cancel", token=other)
        member = await web.memory.ask("cancel", begun["operation_id"], user="mel")
        over_nats = await web.memory.ask("operation", begun["operation_id"], source="agent:demo/reader")

    assert seen == [200, 200, 404]
    assert stopped.status_code == 404
    assert (await ended(web, begun["operation_id"]))["state"] == "succeeded"
    assert member["error"] == "an operation is cancelled by whoever began it, or by a maintainer"
    assert over_nats["error"] == f"there is no operation {begun['operation_id']} in this team"
    message = others.json()["error"]["message"]
    assert message.replace(begun["operation_id"], NOBODYS) == nobodys.json()["error"]["message"]


async def test_stuck_operations_are_listed_for_those_who_may(web: Web) -> None:
    async with held(web.memory, "demo") as lock:
        begun = await under_way(web, lock, "Stuck")
        await web.memory.rows(
            "update ibex_core.operations set started_at = now() - interval '2 minutes' where operation_id = $1",
            begun["operation_id"],
        )
        stuck = (await web.get("/v1/operations")).json()["operations"]
        longer = (await web.get("/v1/operations?older_than=600")).json()["operations"]
        over_nats = await web.memory.ask("operations")
        forbidden = await web.get("/v1/operations", token=AGENT)
        agent = await web.memory.ask("operations", source="agent:demo/coder")

    assert [one["operation_id"] for one in stuck] == [begun["operation_id"]]
    assert longer == []
    assert over_nats["text"] == "1 operation not finished"
    assert over_nats["entries"][0].endswith(f"propose running: {begun['operation_id']}")
    assert forbidden.status_code == 403
    assert agent["error"] == "the operations of a team are listed for its maintainers"


async def test_what_no_worker_has_taken_is_queued_and_what_is_gone_has_failed(web: Web) -> None:
    client, services = web.memory.services.temporal, web.memory.services
    untaken = f"write/untaken/{uuid.uuid4()}"
    handle = await client.start_workflow("WriteMemory", id=untaken, task_queue=f"nobody-{uuid.uuid4()}")

    assert await services.writer.state_of(untaken) == "queued"
    await handle.terminate()
    assert await services.writer.state_of(untaken) == "failed"
    assert await services.writer.state_of("write/that-never-was") == "failed"
