"""Who may do what over HTTP: tokens with scopes, roles, and bodies that claim to be somebody else."""

from typing import Any

import pytest

from tests.web import ADMIN, AGENT, Web, a_memory, code_of

PROPOSE = ("POST", "/v1/memories", a_memory(title="Scopes", body="Each scope lets do something."))
READ = ("GET", "/v1/memories", None)
CURATE = ("POST", "/v1/memories/1/accept", None)
MANAGE = ("GET", "/v1/operations", None)


async def token(web: Web, *args: str, **fields: Any) -> str:
    """Have a token made, and return it."""
    reply = await web.memory.team("create-token", "demo", *args, **fields)
    assert reply["ok"], reply
    return str(reply["text"]).rpartition(" ")[2]


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer kap_wrong", "Basic a2FwX2FkbWlu", "Bearer kap_\u00e4"])
async def test_without_a_valid_token_nothing_is_told(web: Web, header: str) -> None:
    headers = {b"Authorization": header.encode("latin-1")} if header else {}
    answer = await web.client.get("/v1/memories", headers=headers)

    assert (answer.status_code, code_of(answer)) == (401, "UNAUTHENTICATED")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("scopes", "allowed"),
    [
        ("read", [READ]),
        ("propose", [PROPOSE]),
        ("curate", [CURATE]),
        ("admin", [MANAGE]),
        ("read,propose,curate,admin", [READ, PROPOSE, CURATE, MANAGE]),
    ],
)
async def test_a_token_does_what_its_scopes_say_and_no_more(web: Web, scopes: str, allowed: list[Any]) -> None:
    made = await token(web, "person:ada", scopes)
    for request in (READ, PROPOSE, CURATE, MANAGE):
        answer = await web.call(*request, token=made)
        assert (answer.status_code == 403) is (request not in allowed), (request, answer.text)


async def test_an_agents_token_can_never_curate(web: Web) -> None:
    refused = await web.memory.team("create-token", "demo", "agent:coder", "curate")
    stored = await web.stored(title="Curation", body="Agents do not curate.")
    address = f"/v1/memories/{stored['id']}"
    answers = [
        await web.post(f"{address}/accept", token=AGENT),
        await web.post(f"{address}/forget", token=AGENT),
        await web.post(f"{address}/supersede", a_memory(title="Better"), token=AGENT),
        await web.post("/v1/memories", a_memory(title="Curated", status="curated"), token=AGENT),
        await web.post("/v1/conflicts/1/resolve", {"decision": "keep-both"}, token=AGENT),
        await web.post("/v1/memories", a_memory(title="Forced", force=True), token=AGENT),
    ]

    assert refused["ok"] is False
    assert {(answer.status_code, code_of(answer)) for answer in answers} == {(403, "NOT_ALLOWED")}


async def test_a_body_that_names_somebody_else_is_refused(web: Web) -> None:
    for token, claim in (
        (AGENT, {"org_id": "acme"}),
        (AGENT, {"agent_id": "demo/other"}),
        (AGENT, {"team": "payments"}),
        (ADMIN, {"agent_id": "demo/coder"}),
    ):
        for path, body in (("", a_memory(**claim)), ("/search", {"query": "x", **claim}), ("/1/accept", claim)):
            answer = await web.post(f"/v1/memories{path}", body, token=token)
            assert (answer.status_code, code_of(answer)) == (403, "NOT_ALLOWED"), (claim, path)
    same = {"org_id": "default", "agent_id": "demo/coder", "team": "demo"}
    answer = await web.post("/v1/memories", a_memory(title="Same", body="It says who asks.", **same), token=AGENT)
    assert answer.status_code == 201


async def test_a_revoked_token_is_good_for_nothing_at_once(web: Web) -> None:
    made = await token(web, "agent:coder")
    before = await web.get("/v1/memories", token=made)
    listed = (await web.memory.team("list-tokens", "demo"))["entries"]
    number = listed[-1].partition(" ")[0]
    revoked = await web.memory.team("revoke-token", "demo", number)

    assert before.status_code == 200
    assert revoked["text"] == f"Token {number} of agent:coder is revoked."
    assert (await web.get("/v1/memories", token=made)).status_code == 401
    assert "revoked" in (await web.memory.team("list-tokens", "demo"))["entries"][-1]


async def test_an_expired_token_is_good_for_nothing(web: Web) -> None:
    made = await token(web, "agent:coder", "read", "1")
    assert (await web.get("/v1/memories", token=made)).status_code == 200
    await web.memory.rows(
        "update ibex_core.access_tokens set expires_at = now() "
        "where token_id = (select max(token_id) from ibex_core.access_tokens)"
    )

    assert (await web.get("/v1/memories", token=made)).status_code == 401


async def test_a_token_is_kept_as_its_hash_alone(web: Web) -> None:
    made = await token(web, "agent:coder", "read", "never", "nightly run")
    rows = await web.memory.rows("select t::text as row from ibex_core.access_tokens as t")
    operations = await web.memory.rows("select o::text as row from ibex_core.operations as o")
    (line,) = [one for one in (await web.memory.team("list-tokens", "demo"))["entries"] if "nightly run" in one]

    assert made not in str(rows) + str(operations)
    assert line.endswith("agent:coder (read; until it is revoked) for nightly run")


async def test_a_repeated_request_makes_one_token_and_shows_it_once(web: Web) -> None:
    first = await web.memory.team("create-token", "demo", "agent:coder", request_id="token-1")
    again = await web.memory.team("create-token", "demo", "agent:coder", request_id="token-1")

    assert "kap_" in first["text"]
    assert "kap_" not in again["text"]


@pytest.mark.parametrize(
    "args",
    [
        ("robot:x",),
        ("coder",),
        ("agent:nobody",),
        ("person:stranger",),
        ("agent:coder", "root"),
        ("agent:coder", "read", "0"),
        ("agent:coder", "read", "4000"),
        ("agent:coder", "read", "90", "two\nlines"),
    ],
)
async def test_a_token_that_cannot_be_is_refused(web: Web, args: tuple[str, ...]) -> None:
    assert (await web.memory.team("create-token", "demo", *args))["ok"] is False


async def test_a_persons_token_is_made_by_that_person_or_an_admin(web: Web) -> None:
    for person, role in (("max", "maintainer"), ("mel", "member"), ("vic", "viewer")):
        await web.memory.team("add-member", "demo", person, role)

    async def may(user: str, holder: str) -> bool:
        reply = await web.memory.team("create-token", "demo", holder, user=user)
        return bool(reply["ok"])

    assert await may("mel", "person:mel")
    assert await may("max", "agent:coder")
    assert await may("ada", "person:mel")
    assert not await may("max", "person:mel")
    assert not await may("mel", "agent:coder")
    assert not await may("mel", "person:ada")
    assert (await web.memory.team("create-token", "demo", "agent:coder", source="agent:demo/coder"))["ok"] is False


async def test_a_viewer_reads_and_does_not_write(web: Web) -> None:
    await web.memory.team("add-member", "demo", "vera", "viewer")
    made = await token(web, "person:vera", "read,propose")

    assert (await web.get("/v1/memories", token=made)).status_code == 200
    assert code_of(await web.post("/v1/memories", a_memory(), token=made)) == "NOT_ALLOWED"


async def test_who_leaves_the_team_is_let_in_no_longer(web: Web) -> None:
    await web.memory.team("add-member", "demo", "lea", "member")
    made = await token(web, "person:lea")
    assert (await web.get("/v1/memories?team=demo", token=made)).status_code == 200
    await web.memory.team("remove-member", "demo", "lea")

    assert (await web.get("/v1/memories?team=demo", token=made)).status_code == 403


async def test_a_person_in_several_teams_says_which(web: Web) -> None:
    await web.memory.team("create", "second")
    await web.memory.team("add-member", "demo", "tom")
    await web.memory.team("add-member", "second", "tom")
    made = await token(web, "person:tom")

    assert code_of(await web.get("/v1/memories", token=made)) == "INVALID_REQUEST"
    assert (await web.get("/v1/memories?team=second", token=made)).json()["entries"] == []
    assert code_of(await web.get("/v1/memories?team=nowhere", token=made)) == "NOT_FOUND"
    assert (await web.get("/v1/memories?team=second", token=AGENT)).status_code == 403
