"""A tenant gets nothing of another one: over every door, by every id, text, cursor, key, error and counter."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from tests.isolation import attempts, tenants
from tests.isolation.tenants import OURS, SENTINEL, THEIR_ADMIN, THEIR_AGENT, THEIRS, Secrets, serving
from tests.stack import Database, fresh_database
from tests.web import ADMIN, AGENT, Web, a_memory
from workers.stack.servers import Addresses

AT_LEAST = 200
AT_ONCE = 16
# What may stand in no answer: our words. Numbers are compared with what an id that never was is answered.
FORBIDDEN = (SENTINEL,)
SEARCHES = (SENTINEL, f"{SENTINEL} curated", "runs 4 times a day", "xylozon", f"{SENTINEL}.md", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What we have, and every row of it before they begin to ask."""

    servers: Addresses
    database: Database
    secrets: Secrets
    rows: dict[str, list[str]]


@pytest.fixture(scope="module")
async def scene(servers: Addresses) -> AsyncIterator[Scene]:
    async with fresh_database(servers) as database:
        async with serving(servers, database, OURS, sandbox=False) as web:
            secrets = await tenants.fill(web)
            await _require_all_seen(web, secrets)
            rows = await tenants.rows_of(web.memory, OURS)
        yield Scene(servers=servers, database=database, secrets=secrets, rows=rows)


async def _require_all_seen(web: Web, secrets: Secrets) -> None:
    """The control: whoever owns it sees all of it by the same requests, so that an empty answer means something."""
    entries = secrets.entries
    gone = {"quarantined", "forgotten"}
    for what, entry_id in entries.items():
        shown = await web.get(f"/v1/memories/{entry_id}", token=AGENT)
        history = await web.get(f"/v1/memories/{entry_id}/history", token=AGENT)
        over_nats = await web.memory.ask("get", str(entry_id))
        assert (SENTINEL in shown.text) is (what not in gone), what
        assert history.status_code == 200, what
        assert (SENTINEL in json.dumps(over_nats)) is (what not in {*gone, "own"}), what
    for operation_id in secrets.operations:
        assert (await web.get(f"/v1/operations/{operation_id}")).status_code == 200
        assert (await web.memory.ask("operation", operation_id))["ok"]
    for query in (SENTINEL, f"{SENTINEL} curated", "runs 4 times a day"):
        assert SENTINEL in (await web.post("/v1/memories/search", {"query": query}, token=AGENT)).text
        assert SENTINEL in json.dumps(await web.memory.ask("search", query))
    for key, body in secrets.keys.items():
        repeated = (await web.post("/v1/memories", body, token=AGENT, key=key)).json()
        assert repeated.get("id") or repeated["error"]["code"] == "REFUSED"
    for name in ("list", "export", "conflicts"):
        assert SENTINEL in json.dumps(await web.memory.ask(name)), name
    for address, cursor in secrets.cursors.items():
        assert SENTINEL in (await web.get(f"{address}&cursor={cursor}")).text
    assert SENTINEL in json.dumps(await web.memory.team("show", tenants.OUR_TEAM))


async def test_nothing_of_ours_is_given_to_them_by_any_way_of_asking(scene: Scene) -> None:
    async with serving(scene.servers, scene.database, THEIRS, sandbox=False) as web:
        asked = list(attempts.by_id(web, scene.secrets))
        nobodys = await _answers({one.way: partial(one.send, one.nobodys) for one in asked})
        answers = await _answers({one.name: partial(one.send, one.secret) for one in asked})
        leaks = [one.leak(answers[one.name], nobodys[one.way], FORBIDDEN) for one in asked]
        others = {**await _by_text(web), **await _by_list(web, scene.secrets)}
        after = await tenants.rows_of(web.memory, OURS)

    assert [leak for leak in leaks if leak] == []
    assert [name for name, answer in others.items() if SENTINEL in answer] == []
    assert len(answers) == len(asked)
    assert len({*answers, *others}) >= AT_LEAST
    assert after == scene.rows


async def _answers(asked: dict[str, Callable[[], Coroutine[Any, Any, str]]]) -> dict[str, str]:
    """Ask for all, some at a time, and return the answers by name."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(ask: Callable[[], Coroutine[Any, Any, str]]) -> str:
        async with turns:
            return await ask()

    return dict(zip(asked, await asyncio.gather(*map(one, asked.values())), strict=True))


async def _by_text(web: Web) -> dict[str, str]:
    """Ask by words."""
    answers: dict[str, str] = {}
    for query in SEARCHES:
        body = {"query": query, "limit": 200, "min_similarity": 0}
        for who, token in (("admin", THEIR_ADMIN), ("agent", THEIR_AGENT)):
            answers[f"http {who} search {query!r}"] = (await web.post("/v1/memories/search", body, token=token)).text
        answers[f"nats search {query!r}"] = json.dumps(await web.memory.ask("search", query))
    return answers


async def _by_list(web: Web, secrets: Secrets) -> dict[str, str]:
    """Ask for everything there is, go on where our lists went on, and look at the counters."""
    answers: dict[str, str] = {}
    paths = ["", "?limit=200", "?status=active", "?status=proposed&status=curated", f"?tag={SENTINEL}", "?kind=gotcha"]
    paths += [f"{address.partition('memories')[2]}&cursor={cursor}" for address, cursor in secrets.cursors.items()]
    for path in paths:
        for who, token in (("admin", THEIR_ADMIN), ("agent", THEIR_AGENT)):
            answers[f"http {who} list {path}"] = (await web.get(f"/v1/memories{path}", token=token)).text
    for path in ("/v1/conflicts", "/v1/operations", "/metrics", "/health/ready", "/v1/openapi.json", f"/{SENTINEL}x"):
        answers[f"http {path}"] = (await web.get(path, token=THEIR_ADMIN)).text
    for args in (("list",), ("export",), ("conflicts",), ("operations", "1"), ("backfill",)):
        answers[f"nats {args[0]}"] = json.dumps(await web.memory.ask(*args))
    for args in (("list",), ("show", "demo"), ("list-tokens", "demo")):
        answers[f"nats team {args[0]}"] = json.dumps(await web.memory.team(*args))
    answers["nats embeddings"] = json.dumps(await web.memory.ask("status", command="embeddings"))
    return answers


async def test_their_copy_of_our_text_is_no_duplicate_and_no_conflict_of_ours(scene: Scene) -> None:
    async with serving(scene.servers, scene.database, THEIRS, sandbox=False) as web:
        stored: list[dict[str, Any]] = []
        for what, body in scene.secrets.bodies.items():
            # The same text under the same key, by callers of the same names: theirs is a new entry all the same.
            plain = {key: value for key, value in body.items() if key != "visibility"}
            near = {**plain, "title": f"{what}, in other words"}
            for name, text in ((f"{SENTINEL}-{what}", plain), (f"near-{what}", near)):
                answer = await web.post("/v1/memories", text, token=THEIR_AGENT, key=name)
                assert answer.status_code in {201, 409}, answer.text
                stored.append(answer.json())
        ours = set(scene.secrets.entries.values())
        named = {one.get("id") or one["error"].get("existing_memory_id") for one in stored}
        conflicts = (await web.get("/v1/conflicts", token=THEIR_ADMIN)).json()["conflicts"]
        after = await tenants.rows_of(web.memory, OURS)

    assert not named & ours
    assert not {pair["first_id"] for pair in conflicts} & ours
    assert after == scene.rows


async def test_one_connection_serves_tenants_in_turn_with_errors_between(scene: Scene) -> None:
    async with serving(scene.servers, scene.database, THEIRS, pool_size=1, sandbox=False) as web:
        mine = await web.stored(title="Theirs", body="It is theirs alone.", token=THEIR_AGENT)
        for turn in range(20):
            ours, theirs = scene.secrets.entries["curated"], mine["id"]
            assert SENTINEL in (await web.get(f"/v1/memories/{ours}", token=ADMIN)).text
            assert (await web.get(f"/v1/memories/{ours}", token=THEIR_ADMIN)).status_code == 404
            assert (await web.get(f"/v1/memories/{theirs}", token=ADMIN)).status_code == 404
            # What the database itself refuses ends a transaction in the middle.
            far = await web.post("/v1/memories", a_memory(title=f"T{turn}", kind="story"), token=ADMIN)
            assert far.status_code == 422
            found = await web.post("/v1/memories/search", {"query": SENTINEL, "limit": 200}, token=THEIR_AGENT)
            assert str(ours) not in [str(one["entry"]["id"]) for one in found.json()["results"]]
            listed = (await web.get("/v1/memories?limit=200", token=ADMIN)).json()["entries"]
            assert theirs not in [entry["id"] for entry in listed]
