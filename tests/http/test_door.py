"""The door itself: the shape of errors, request ids, limits, health, counters, the API's description."""

import json
import re
from typing import Any

import pytest

from kapelle.domain import validation
from tests.web import AGENT, Web, a_memory, code_of

SECRET = "AKIAQ3EGRTQ7ZJ5LWXYB"


async def test_a_callers_request_id_comes_back_and_a_bad_one_is_replaced(web: Web) -> None:
    given = await web.get("/health/live", X_Request_Id="run-7.a_b")
    none = await web.get("/health/live")
    bad = await web.get("/health/live", X_Request_Id="a b<script>")
    long = await web.get("/v1/memories", token=None, X_Request_Id="x" * 65)

    assert given.headers["X-Request-Id"] == "run-7.a_b"
    assert len({answer.headers["X-Request-Id"] for answer in (none, bad, long)}) == 3
    assert all(re.fullmatch(r"[0-9a-f]{32}", answer.headers["X-Request-Id"]) for answer in (none, bad, long))
    assert code_of(long) == "UNAUTHENTICATED"


MALFORMED: tuple[tuple[str, Any, str], ...] = (
    ("no JSON", b"{", "the request is not valid JSON in UTF-8"),
    ("not UTF-8", b'{"kind": "\xff"}', "the request is not valid JSON in UTF-8"),
    ("deeply nested", b'{"metadata":' * 10_000, "the request is not valid JSON in UTF-8"),
    ("an unknown field", a_memory(AKIA=1), "body has a field that is not known"),
    ("an unknown kind", a_memory(kind="story"), "body.kind: Input should be 'convention'"),
    ("a text for a number", a_memory(confidence="1"), "body.confidence: Input should be a valid number"),
    ("over the whole", a_memory(confidence=1.5), "body.confidence: Input should be less than or equal to 1"),
    ("no title", a_memory(title=" "), "the title is empty"),
    ("a long title", a_memory(title="t" * 201), "the title has 201 characters; the limit is 200"),
    ("a long body", a_memory(body="b" * 65_537), "the body has 65537 bytes; the limit is 65536"),
    ("many tags", a_memory(tags=[str(one) for one in range(21)]), "there are 21 tags; the limit is 20"),
    ("a NUL", a_memory(body="a\0b"), "body holds a NUL character, which cannot be stored"),
    ("a NUL in metadata", a_memory(metadata={"a": ["\0"]}), "the metadata holds a NUL character"),
    ("half a pair", b'{"kind": "fact", "title": "\\ud83d", "body": "b"}', "title holds half a surrogate pair"),
    ("large metadata", a_memory(metadata={"a": "x" * 8192}), "the metadata have 8200 bytes; the limit is 8192"),
    ("nested metadata", a_memory(metadata={"a": [[[[[[[[1]]]]]]]]}), "nested deeper than the limit of 8"),
    ("no number of JSON", b'{"kind": "fact", "title": "t", "body": "b", "metadata": {"a": NaN}}', "none in JSON"),
    ("a time without offset", a_memory(valid_from="2026-01-01T00:00:00"), "a time is written with its offset"),
    ("a number as time", a_memory(valid_from=1_700_000_000), "a time is written with its offset"),
    ("a far time", a_memory(valid_from="9999-12-31T23:59:59-14:00"), "valid_from must be a time with its offset"),
    (
        "an end before the start",
        a_memory(valid_from="2026-02-01T00:00:00Z", valid_until="2026-02-01T01:00:00+01:00"),
        "valid_until must be after valid_from",
    ),
    ("an end that is past", a_memory(valid_until="2020-01-01T00:00:00Z"), "valid_until must be in the future"),
    ("a label twice", a_memory(labels=[{"label": "fact"}, {"label": "fact"}]), "a label is given twice"),
    ("a span backwards", a_memory(source_span={"source": "a", "start": 2, "end": 1}), "a span goes from a start"),
    ("a credential", a_memory(body=f"Use {SECRET}."), "not stored: an AWS access key id in body, line 1, column 5"),
    ("one in metadata", a_memory(metadata={"env": [{"key": SECRET}]}), "not stored: an AWS access key id in metadata"),
    ("one as source", a_memory(source_span={"source": SECRET, "start": 1, "end": 2}), "not stored: an AWS access key"),
)


@pytest.mark.parametrize(("body", "message"), [case[1:] for case in MALFORMED], ids=[case[0] for case in MALFORMED])
async def test_what_cannot_be_stored_is_told_by_field_and_limit(web: Web, body: Any, message: str) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {AGENT}", "Content-Type": "application/json"}
    answer = await web.client.post("/v1/memories", content=content, headers=headers)

    assert answer.status_code == 422
    assert code_of(answer) in {"INVALID_REQUEST", "REFUSED"}
    assert message in answer.json()["error"]["message"]
    assert "AKIA" not in answer.text


@pytest.mark.parametrize(
    ("path", "size"),
    [("/v1/memories", 512 * 1024), ("/v1/memories/bulk", 4 * 1024 * 1024), ("/v1/memories/1/forget", 600_000)],
)
async def test_a_request_over_the_limit_is_refused_before_it_is_read(web: Web, path: str, size: int) -> None:
    headers = {"Authorization": f"Bearer {AGENT}", "Content-Type": "application/json"}

    async def in_parts() -> Any:
        for _ in range(size // 4096 + 1):
            yield b" " * 4096

    whole = await web.client.post(path, content=b" " * (size + 1), headers=headers)
    parts = await web.client.post(path, content=in_parts(), headers=headers)

    for answer in (whole, parts):
        assert (answer.status_code, code_of(answer)) == (413, "CONTENT_TOO_LARGE")
        assert re.search(r"larger than the limit of \d+ bytes", answer.json()["error"]["message"])


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "NOT_FOUND"),
        ("DELETE", "/v1/memories/1", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/v1/memories/0", 422, "INVALID_REQUEST"),
        ("GET", f"/v1/memories/{validation.LARGEST_ID + 1}", 422, "INVALID_REQUEST"),
        ("GET", f"/v1/memories/{validation.LARGEST_ID}", 404, "NOT_FOUND"),
        ("GET", "/v1/operations/12", 422, "INVALID_REQUEST"),
        ("GET", "/v1/memories?limit=0", 422, "INVALID_REQUEST"),
        ("GET", "/v1/memories?tag=%00", 422, "INVALID_REQUEST"),
        ("GET", "/v1/memories?team=%00", 403, "NOT_ALLOWED"),
        ("GET", "/v1/memories?as_of=2026-03-03", 422, "INVALID_REQUEST"),
    ],
)
async def test_every_error_has_the_one_shape(web: Web, method: str, path: str, status: int, code: str) -> None:
    answer = await web.call(method, path, token=AGENT)

    assert (answer.status_code, code_of(answer)) == (status, code)
    assert answer.json().keys() == {"error"}


async def test_the_process_is_alive_and_ready(web: Web) -> None:
    for path in ("/health/live", "/health/ready"):
        answer = await web.get(path, token=None)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_counters_tell_findings_writes_and_times_and_no_text(web: Web) -> None:
    await web.post("/v1/memories", a_memory(title="Counted", body=f"Never {SECRET}."), token=AGENT)
    stored = await web.stored(title="Countable", body="One write is counted.")
    await web.get("/v1/memories/Sentinel-in-a-path")
    counters = (await web.get("/metrics", token=None)).text

    assert re.search(r'^kapelle_scan_findings_total\{action="refused",rule="[^"]+"\} [1-9]', counters, re.MULTILINE)
    assert re.search(r'^kapelle_writes_total\{outcome="proposed"\} [1-9]', counters, re.MULTILINE)
    route = 'method="POST",route="/v1/memories",status="201"'
    assert re.search(rf"^kapelle_request_seconds_count\{{{route}\}} [1-9]", counters, re.MULTILINE)
    for text in ("AKIA", "Count", "Sentinel", "demo", "coder", "default", str(stored["operation_id"])):
        assert text not in counters


async def test_the_description_has_examples_and_documents_its_errors(web: Web) -> None:
    described = (await web.get("/v1/openapi.json", token=None)).json()
    missing = [
        f"{method} {path}"
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        if path.startswith("/v1/") and not {"401", "403", "422", "503"} <= operation["responses"].keys()
    ]

    assert missing == []
    assert "HTTPValidationError" not in described["components"]["schemas"]
    assert described["components"]["schemas"]["NewMemory"]["examples"]
    assert {"POST", "GET"} == {method.upper() for methods in described["paths"].values() for method in methods}
