"""The pages of the command contract name every operation, and their examples answer as they say, in their order."""

import json
import re
from typing import Any

from kapelle.operations import OPERATIONS
from tests.architecture.repository import ROOT
from tests.memory import Memory

COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
TEAM = (ROOT / "docs" / "commands-team.md").read_text(encoding="utf-8")
EMBEDDINGS = (ROOT / "docs" / "commands-embeddings.md").read_text(encoding="utf-8")
TOKENS = (ROOT / "docs" / "commands-tokens.md").read_text(encoding="utf-8")
PAGE = COMMANDS + TEAM + EMBEDDINGS + TOKENS
EXAMPLE = re.compile(r"```json request\n(.+)\n```\n\n```json reply\n(.+)\n```")
EXAMPLES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (json.loads(request), json.loads(reply)) for request, reply in EXAMPLE.findall(PAGE)
]


def test_every_operation_has_a_heading_with_its_usage() -> None:
    pages = (("memory", COMMANDS), ("team", TEAM), ("embeddings", EMBEDDINGS), ("tokens", TOKENS))
    for command, section in pages:
        usages = {operation.usage() for operation in OPERATIONS[command].values()}
        headings = set(re.findall(r"^##+ `(.+)`$", section, re.MULTILINE))
        assert headings == usages


def test_every_operation_has_an_example() -> None:
    shown = {(request["command"], request["args"][0]) for request, _ in EXAMPLES}

    assert shown == {(command, name) for command, operations in OPERATIONS.items() for name in operations}


def test_no_example_is_left_out_by_its_form() -> None:
    assert PAGE.count("```json") == 2 * len(EXAMPLES)


async def test_the_examples_answer_as_the_page_says(memory: Memory) -> None:
    wrong: list[object] = []
    for request, expected in EXAMPLES:
        reply = await memory.send(json.dumps(request).encode())
        if not _matches(expected, reply):
            wrong.append({"asked": request["args"], "page": expected, "reply": reply})

    assert wrong == []


def _matches(expected: object, found: object) -> bool:
    """Compare a reply with the page's, in which … stands for anything within a line."""
    if isinstance(expected, str) and isinstance(found, str):
        return re.fullmatch(re.escape(expected).replace("…", ".+"), found) is not None
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(_matches, expected, found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(_matches(expected[key], found[key]) for key in expected)
    return expected == found


def test_a_reply_that_differs_is_found() -> None:
    assert _matches({"text": "at …Z", "n": [True]}, {"text": "at 12:00Z", "n": [True]})
    assert not _matches({"text": "at …Z"}, {"text": "at 12:00"})
    assert not _matches({"text": "a"}, {"text": "a", "entries": []})
