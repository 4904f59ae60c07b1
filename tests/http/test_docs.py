"""docs/http.md: its examples answer as it says, in their order."""

import json
import re
import shlex
import uuid
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.architecture.repository import ROOT
from tests.memory import running_memory
from tests.stack import Temporal, fresh_database
from tests.web import ADMIN, AGENT, Web, running_web
from workers.stack.servers import Addresses

PAGE = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"```sh\n(curl .+?)\n```\n\n```json (\d+)\n(.+?)\n```", re.DOTALL)
EXAMPLES = EXAMPLE.findall(PAGE)


@pytest.fixture
async def web(servers: Addresses) -> AsyncIterator[Web]:
    """A service whose first entry has the number 1."""
    temporal = Temporal(address=servers.temporal_address, namespace="default", task_queue=f"test-{uuid.uuid4().hex}")
    async with (
        fresh_database(servers) as database,
        running_memory(database, servers.nats_url, temporal) as memory,
        running_web(memory) as running,
    ):
        yield running


def test_no_example_is_left_out_by_its_form() -> None:
    assert PAGE.count("```sh") == PAGE.count("```json") == len(EXAMPLES)


async def test_the_examples_answer_as_the_page_says(web: Web) -> None:
    wrong: list[object] = []
    for command, status, expected in EXAMPLES:
        answer = await _run(web, command)
        if answer.status_code != int(status) or not _matches(json.loads(expected), answer.json()):
            wrong.append({"asked": command, "page": expected, "answer": answer.text})

    assert wrong == []


async def _run(web: Web, command: str) -> httpx.Response:
    """Send what a curl command would, for the options that the page uses."""
    filled = command.replace("\\\n", " ").replace("$URL", "").replace("$AGENT", AGENT).replace("$ADMIN", ADMIN)
    _, _, *words = shlex.split(filled)
    method, headers, body, path = "", {}, None, ""
    while words:
        word = words.pop(0)
        match word:
            case "-X":
                method = words.pop(0)
            case "-H":
                name, _, value = words.pop(0).partition(": ")
                headers[name] = value
            case "-d":
                body = words.pop(0)
            case _:
                path = word
    return await web.client.request(method or ("POST" if body else "GET"), path, content=body, headers=headers)


def _matches(expected: object, found: object) -> bool:
    """Compare an answer with the page's, in which … stands for anything."""
    if expected == "…":
        return found is not None
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(_matches, expected, found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(_matches(expected[key], found[key]) for key in expected)
    return expected == found


def test_an_answer_that_differs_is_found() -> None:
    assert _matches({"id": "…", "n": [1]}, {"id": "x", "n": [1]})
    assert not _matches({"id": "…"}, {"id": None})
    assert not _matches({"n": [1]}, {"n": [1, 2]})
    assert not _matches({"n": 1}, {"n": 1, "m": 2})
