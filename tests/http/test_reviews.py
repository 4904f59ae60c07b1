"""Reviews over HTTP: what was seen is what is decided about, and what is rejected is gone."""

from typing import Any

from tests.web import ADMIN, AGENT, Web, code_of

BODY = "The payments webhook retries {0} times with a delay of {0}0 seconds."


async def _proposed(web: Web, number: int) -> int:
    answer = await web.call(
        "POST",
        "/v1/memories",
        {"kind": "gotcha", "title": f"Webhook {number}", "body": BODY.format(number)},
        token=AGENT,
    )
    entry_id: int = answer.json()["id"]
    return entry_id


async def _shown(web: Web, entry_id: int) -> dict[str, Any]:
    shown: dict[str, Any] = (await web.call("GET", f"/v1/memories/{entry_id}", token=ADMIN)).json()
    return shown


async def test_an_entry_is_accepted_by_the_version_that_was_shown_and_by_no_other(web: Web) -> None:
    entry_id = await _proposed(web, 21)
    version = (await _shown(web, entry_id))["version"]

    other = await web.call("POST", f"/v1/memories/{entry_id}/accept", {"version": "0123456789abcdef"}, token=ADMIN)
    taken = await web.call("POST", f"/v1/memories/{entry_id}/accept", {"version": version}, token=ADMIN)

    assert (other.status_code, code_of(other)) == (409, "CONFLICT")
    assert (taken.status_code, taken.json()["status"]) == (200, "curated")


async def test_a_rejected_entry_leaves_its_reason_and_not_its_text(web: Web) -> None:
    entry_id = await _proposed(web, 22)

    rejected = await web.call("POST", f"/v1/memories/{entry_id}/reject", {"reason": "Said elsewhere."}, token=ADMIN)
    again = await web.call("POST", f"/v1/memories/{entry_id}/accept", token=ADMIN)
    gone = await web.call("GET", f"/v1/memories/{entry_id}", token=ADMIN)
    history = await web.call("GET", f"/v1/memories/{entry_id}/history", token=ADMIN)
    receipt = await web.call("GET", f"/v1/memories/{entry_id}/receipt", token=ADMIN)

    assert rejected.status_code == 200
    assert again.status_code in {404, 409}
    assert gone.status_code == 404
    assert "retries" not in history.text + receipt.text
    assert [event["event"] for event in history.json()["events"]] == ["proposed", "rejected"]
    assert receipt.json()["lines"]


async def test_an_agent_rejects_nothing_and_sees_nothing_quarantined(web: Web) -> None:
    entry_id = await _proposed(web, 23)

    answers = [
        await web.call("POST", f"/v1/memories/{entry_id}/reject", token=AGENT),
        await web.call("GET", "/v1/quarantined", token=AGENT),
    ]

    assert [code_of(answer) for answer in answers] == ["NOT_ALLOWED", "NOT_ALLOWED"]
    assert (await _shown(web, entry_id))["status"] == "proposed"


async def test_a_maintainer_sees_what_is_quarantined_and_releases_it(web: Web) -> None:
    await web.memory.team("personal-data", "demo", "quarantine")
    body = {"kind": "fact", "title": "On call", "body": "Write to jana.kovarova@firma-kolo.cz when the queue is full."}
    held_id = (await web.call("POST", "/v1/memories", body, token=AGENT)).json()["id"]

    listed = (await web.call("GET", "/v1/quarantined", token=ADMIN)).json()["entries"]
    [held] = [entry for entry in listed if entry["id"] == held_id]
    released = await web.call("POST", f"/v1/memories/{held_id}/accept", {"version": held["version"]}, token=ADMIN)
    await web.memory.team("personal-data", "demo", "default")

    assert released.status_code == 200
    assert (await _shown(web, held_id))["status"] in {"proposed", "curated"}


async def test_an_entry_is_shown_with_the_conflicts_that_nobody_has_settled(web: Web) -> None:
    text = "The invoice job for region north runs {0} times a day."
    bodies = [{"kind": "fact", "title": "Invoice job", "body": text.format(number)} for number in (4, 9)]
    first, second = [(await web.call("POST", "/v1/memories", body, token=AGENT)).json()["id"] for body in bodies]

    [conflict] = (await _shown(web, first))["conflicts"]
    await web.call("POST", f"/v1/conflicts/{conflict['id']}/resolve", {"decision": "keep-both"}, token=ADMIN)

    assert (conflict["kind"], conflict["other_id"]) == ("contradiction", second)
    assert (await _shown(web, first))["conflicts"] == []
