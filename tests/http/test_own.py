"""Entries of an agent's own: live at once, for that agent alone, and offered to the team when it likes."""

from typing import Any

import pytest

from tests.web import ADMIN, AGENT, Web, a_memory, code_of


@pytest.fixture
async def other(web: Web) -> str:
    """The token of another agent of the same team."""
    reply = await web.memory.team("add-agent", "demo", "reviewer")
    if not reply["ok"]:
        reply = await web.memory.team("create-token", "demo", "agent:reviewer")
    return str(reply["text"]).rpartition(" ")[2]


async def own(web: Web, title: str, **fields: Any) -> dict[str, Any]:
    return await web.stored(title=title, body=f"{title} is the agent's own.", visibility="agent", **fields)


async def found(web: Web, query: str, token: str) -> list[int]:
    answer = await web.post("/v1/memories/search", {"query": query}, token=token)
    return [result["entry"]["id"] for result in answer.json()["results"]]


async def test_an_own_entry_is_live_at_once_and_no_other_caller_sees_it(web: Web, other: str) -> None:
    stored = await own(web, "Gazelle")
    address = f"/v1/memories/{stored['id']}"
    shown = (await web.get(address, token=AGENT)).json()
    listed = (await web.get("/v1/memories?status=active", token=AGENT)).json()["entries"]

    assert (stored["status"], shown["visibility"], shown["agent"]) == ("active", "agent", "coder")
    assert stored["id"] in [entry["id"] for entry in listed]
    assert await found(web, "gazelle", AGENT) == [stored["id"]]
    for token in (ADMIN, other):
        assert (await web.get(address, token=token)).status_code == 404
        assert await found(web, "gazelle", token) == []
        assert (await web.get("/v1/memories?status=active", token=token)).json()["entries"] == []
        for path, body in (("feedback", {"vote": "helpful"}), ("propose", None)):
            assert (await web.post(f"{address}/{path}", body, token=token)).status_code == 404
    assert (await web.post(f"{address}/forget", token=ADMIN)).status_code == 404
    assert (await web.post(f"{address}/accept", token=ADMIN)).status_code == 404


async def test_no_door_of_the_team_shows_an_own_entry(web: Web) -> None:
    stored = await own(web, "Okapi")
    ask = web.memory.ask
    replies = [
        await ask("list"),
        await ask("search", "okapi"),
        await ask("export"),
        await ask("get", str(stored["id"])),
        await ask("conflicts"),
        await ask("feedback", str(stored["id"]), "helpful"),
        await ask("list", source="agent:demo/coder"),
    ]

    assert "Okapi" not in str(replies)


async def test_an_own_text_is_no_duplicate_of_the_teams_and_one_of_itself(web: Web, other: str) -> None:
    text = {"title": "Tapirs", "body": "Tapirs swim."}
    await web.stored(**text)
    mine = await web.stored(**text, visibility="agent")
    again = await web.post("/v1/memories", a_memory(**text, visibility="agent"), token=AGENT)
    theirs = await web.post("/v1/memories", a_memory(**text, visibility="agent"), token=other)

    assert (again.status_code, again.json()["error"]["existing_memory_id"]) == (409, mine["id"])
    assert theirs.status_code == 201


async def test_an_own_entry_is_offered_to_the_team_and_stays_the_agents(web: Web) -> None:
    stored = await own(web, "Manatee", tags=["sea"], metadata={"run": 3})
    offered = await web.post(f"/v1/memories/{stored['id']}/propose", token=AGENT)
    shown = (await web.get(f"/v1/memories/{offered.json()['id']}")).json()
    links = await web.memory.rows(
        "select kind, to_id from ibex_core.memory_relationships where from_id = $1", offered.json()["id"]
    )

    assert (offered.status_code, offered.json()["status"]) == (201, "proposed")
    assert (shown["visibility"], shown["tags"], shown["metadata"]) == ("team", ["sea"], {"run": 3})
    assert links == [{"kind": "derived_from", "to_id": stored["id"]}]
    assert (await web.get(f"/v1/memories/{stored['id']}", token=AGENT)).status_code == 200


async def test_an_own_entry_is_forgotten_by_its_agent_and_does_not_come_back(web: Web) -> None:
    stored = await own(web, "Ibis")
    forgotten = await web.post(f"/v1/memories/{stored['id']}/forget", token=AGENT)
    again = await web.post(
        "/v1/memories", a_memory(title="Ibis", body="Ibis is the agent's own.", visibility="agent"), token=AGENT
    )
    team = await web.post("/v1/memories", a_memory(title="Ibis", body="Ibis is the agent's own."), token=AGENT)

    assert forgotten.status_code == 200
    assert await found(web, "ibis", ADMIN) == [team.json()["id"]]
    assert code_of(again) == "REFUSED"
    # What an agent forgot of its own is no word on what the team may know.
    assert team.status_code == 201


async def test_what_a_person_would_have_to_look_at_is_not_kept_as_an_own_entry(web: Web) -> None:
    await web.memory.team("personal-data", "demo", "quarantine")
    body = a_memory(title="Contact", body="Ask barbara.liskov@mit.edu about it.", visibility="agent")
    answer = await web.post("/v1/memories", body, token=AGENT)
    await web.memory.team("personal-data", "demo", "default")

    assert code_of(answer) == "REFUSED"


async def test_only_an_agent_has_entries_of_its_own_and_none_is_curated(web: Web) -> None:
    person = await web.post("/v1/memories", a_memory(visibility="agent"), token=ADMIN)
    curated = await web.post("/v1/memories", a_memory(visibility="agent", status="curated"), token=AGENT)

    assert code_of(person) == code_of(curated) == "INVALID_REQUEST"
