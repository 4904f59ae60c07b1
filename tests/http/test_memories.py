"""Entries over HTTP: stored, found, listed, shown, rated, superseded, forgotten."""

from tests.web import ADMIN, AGENT, Web, a_memory, code_of

DETAILS = {
    "tags": ["payments", "webhooks"],
    "labels": [{"label": "fact", "confidence": 0.4}],
    "metadata": {"run": 7, "files": ["a.py", {"line": 3}]},
    "confidence": 0.75,
    "pinned": True,
    "valid_until": "2999-01-01T00:00:00Z",
    "source_span": {"source": "docs/webhooks.md", "start": 10, "end": 14},
}


async def test_what_is_stored_is_shown_with_everything_that_was_said_of_it(web: Web) -> None:
    stored = await web.stored(title="All of it", body="Everything is kept.", **DETAILS)
    shown = (await web.get(f"/v1/memories/{stored['id']}", token=AGENT)).json()

    assert stored | {"text": f"Entry {stored['id']} proposed.", "status": "proposed", "state": "succeeded"} == stored
    assert {name: shown[name] for name in ("tags", "metadata", "pinned", "source_span")} == {
        name: DETAILS[name] for name in ("tags", "metadata", "pinned", "source_span")
    }
    assert shown["confidence"] == 0.75
    assert shown["valid_until"].startswith("2999-01-01T00:00:00")
    assert [label["label"] for label in shown["labels"]] == ["gotcha", "fact"]
    assert (shown["source"], shown["visibility"], shown["current"]) == ("agent:demo/coder", "team", True)


async def test_an_entry_is_found_with_the_legs_that_found_it_and_its_place(web: Web) -> None:
    stored = await web.stored(title="Zeppelin mooring", body="Moor the zeppelin at the north mast.")
    found = (await web.post("/v1/memories/search", {"query": "zeppelin mast", "limit": 3}, token=AGENT)).json()
    first = found["results"][0]

    assert (first["rank"], first["entry"]["id"]) == (1, stored["id"])
    assert 0 < first["why"]["legs"]["words"] <= 1
    assert first["why"]["score"] == min(1, first["why"]["relevance"] + sum(first["why"]["shifts"].values()))


async def test_a_search_is_narrowed_by_kind_tag_review_and_moment(web: Web) -> None:
    text = {"title": "Quokka census", "body": "Quokkas are counted in spring."}
    stored = await web.stored(**text, tags=["island"], valid_until="2998-01-01T00:00:00Z")

    async def ids(**wanted: object) -> list[int]:
        answer = await web.post("/v1/memories/search", {"query": "quokka", **wanted})
        return [result["entry"]["id"] for result in answer.json()["results"]]

    assert await ids() == await ids(kinds=["gotcha"]) == await ids(tags=["island"]) == [stored["id"]]
    assert await ids(kinds=["event"]) == await ids(tags=["island", "sea"]) == []
    assert await ids(include_proposed=False) == []
    assert await ids(as_of="2997-01-01T00:00:00Z") == [stored["id"]]
    assert await ids(as_of="2999-01-01T00:00:00+02:00") == await ids(as_of="2020-01-01T00:00:00Z") == []


async def test_a_text_that_is_there_already_is_answered_with_its_entry(web: Web) -> None:
    text = {"title": "Pangolins", "body": "Pangolins have scales."}
    stored = await web.stored(**text)
    again = await web.post("/v1/memories", a_memory(**text))

    assert (again.status_code, code_of(again)) == (409, "DUPLICATE_CONTENT")
    assert again.json()["error"]["existing_memory_id"] == stored["id"]


async def test_the_list_comes_page_by_page_newest_first_and_misses_nothing(web: Web) -> None:
    wanted = [(await web.stored(title=f"Page {one}", body=f"Text {one}.", tags=["paged"]))["id"] for one in range(5)]
    seen: list[int] = []
    address = "/v1/memories?tag=paged&limit=2"
    sizes = []
    cursor = ""
    while True:
        page = (await web.get(f"{address}{cursor}")).json()
        seen += [entry["id"] for entry in page["entries"]]
        sizes.append(len(page["entries"]))
        # What comes in meanwhile is newer than every later page, and moves none of them.
        await web.stored(title=f"Between {len(sizes)}", body=f"Between {len(sizes)}.", tags=["paged"])
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"

    assert seen == sorted(wanted, reverse=True)
    assert sizes == [2, 2, 1]


async def test_a_cursor_is_good_for_its_own_list_alone(web: Web) -> None:
    for one in range(2):
        await web.stored(title=f"Cursor {one}", body=f"Text of cursor {one}.", tags=["cursor"])
    cursor = (await web.get("/v1/memories?tag=cursor&limit=1")).json()["next_cursor"]

    assert (await web.get(f"/v1/memories?tag=cursor&limit=5&cursor={cursor}")).status_code == 200
    for address, token in (
        (f"/v1/memories?cursor={cursor}", ADMIN),
        (f"/v1/memories?tag=cursor&limit=1&cursor={cursor}", AGENT),
        (f"/v1/memories?tag=cursor&limit=1&cursor={cursor[:-2]}AA", ADMIN),
        ("/v1/memories?cursor=!!", ADMIN),
    ):
        assert code_of(await web.get(address, token=token)) == "INVALID_REQUEST"


async def test_a_person_adds_accepts_supersedes_and_forgets(web: Web) -> None:
    first = await web.stored(title="Axolotls", body="Axolotls live in lakes.")
    accepted = await web.post(f"/v1/memories/{first['id']}/accept")
    better = await web.post(f"/v1/memories/{first['id']}/supersede", a_memory(title="Axolotls", body="In canals."))
    old = (await web.get(f"/v1/memories/{first['id']}")).json()
    new = better.json()["id"]
    forgotten = await web.post(f"/v1/memories/{new}/forget")

    assert (accepted.status_code, accepted.json()["status"]) == (200, "curated")
    assert (better.status_code, better.json()["other_id"]) == (201, first["id"])
    assert better.headers["Location"] == f"/v1/memories/{new}"
    assert (old["current"], old["superseded_by"], old["accepted_by"]) == (False, new, "person:ada")
    assert (forgotten.status_code, forgotten.json()["text"]) == (200, f"Entry {new} forgotten.")
    assert (await web.get(f"/v1/memories/{new}")).status_code == 404
    history = (await web.get(f"/v1/memories/{new}/history")).json()
    assert [event["event"] for event in history["events"]] == ["added", "forgotten"]


async def test_a_conflict_is_listed_and_settled(web: Web) -> None:
    old = await web.stored(title="Backups of narwhal", body="The narwhal backup runs 3 times a day at noon.")
    new = await web.stored(title="Backups of narwhal", body="The narwhal backup runs 5 times a day at noon.")
    (pair,) = [one for one in (await web.get("/v1/conflicts")).json()["conflicts"] if one["first_id"] == old["id"]]
    settled = await web.post(f"/v1/conflicts/{pair['id']}/resolve", {"decision": "keep-second"})

    assert pair["second_id"] == new["id"]
    assert (settled.status_code, settled.json()["id"], settled.json()["other_id"]) == (200, new["id"], old["id"])


async def test_a_vote_is_one_a_caller_changes_and_is_smoothed(web: Web) -> None:
    stored = await web.stored(title="Votes", body="One vote a caller.")
    address = f"/v1/memories/{stored['id']}/feedback"

    async def vote(word: str, token: str) -> dict[str, object]:
        votes: dict[str, object] = (await web.post(address, {"vote": word}, token=token)).json()["feedback"]
        return votes

    assert await vote("helpful", AGENT) == {"helpful": 1, "unhelpful": 0, "usefulness": 2 / 3}
    assert await vote("helpful", AGENT) == {"helpful": 1, "unhelpful": 0, "usefulness": 2 / 3}
    assert await vote("helpful", ADMIN) == {"helpful": 2, "unhelpful": 0, "usefulness": 3 / 4}
    assert await vote("unhelpful", ADMIN) == {"helpful": 1, "unhelpful": 1, "usefulness": 2 / 4}


async def test_votes_move_near_equals_and_not_a_clear_match(web: Web) -> None:
    plain = await web.stored(title="Ocelot feeding", body="Ocelot feeding is at dawn, in pen one.")
    praised = await web.stored(title="Ocelot feeding", body="Ocelot feeding is at dusk, in pen two.")
    weak = await web.stored(title="Keys", body="The keys hang beside the door, where the ocelot cannot reach them.")

    async def order() -> list[int]:
        answer = await web.post("/v1/memories/search", {"query": "ocelot feeding"})
        return [result["entry"]["id"] for result in answer.json()["results"]]

    for token in (ADMIN, AGENT):
        for entry, word in ((plain, "helpful"), (praised, "unhelpful"), (weak, "helpful")):
            await web.post(f"/v1/memories/{entry['id']}/feedback", {"vote": word}, token=token)
    assert await order() == [plain["id"], praised["id"], weak["id"]]

    for token in (ADMIN, AGENT):
        for entry, word in ((plain, "unhelpful"), (praised, "helpful")):
            await web.post(f"/v1/memories/{entry['id']}/feedback", {"vote": word}, token=token)
    assert await order() == [praised["id"], plain["id"], weak["id"]]


async def test_a_bulk_request_answers_each_item_for_itself(web: Web) -> None:
    there = await web.stored(title="Bulk", body="It is there.")
    items = [
        a_memory(title="Bulk one", body="The first of the bulk."),
        a_memory(title="Bulk", body="It is there."),
        a_memory(title=" ", body="It has no title."),
        a_memory(title="Bulk key", body="Use AKIAQ3EGRTQ7ZJ5LWXYB for it."),
    ]
    answer = await web.post("/v1/memories/bulk", {"items": items}, token=AGENT)
    results = answer.json()["results"]

    assert answer.status_code == 207
    assert [(one["index"], one["status"]) for one in results] == [(0, 201), (1, 409), (2, 422), (3, 422)]
    assert results[1]["answer"]["error"]["existing_memory_id"] == there["id"]
    assert results[3]["answer"]["error"]["code"] == "REFUSED"
    assert "AKIA" not in answer.text


async def test_what_is_quarantined_is_accepted_as_an_operation_and_shown_to_nobody(web: Web) -> None:
    await web.memory.team("personal-data", "demo", "quarantine")
    answer = await web.post("/v1/memories", a_memory(title="Contact", body="Ask grace.hopper@navy.mil about it."))
    await web.memory.team("personal-data", "demo", "default")
    told = answer.json()

    assert (answer.status_code, told["status"], told["state"]) == (202, "quarantined", "succeeded")
    assert (await web.get(f"/v1/memories/{told['id']}")).status_code == 404
    assert (await web.get(f"/v1/operations/{told['operation_id']}")).json()["state"] == "succeeded"
