"""Files as an outsider sends them: every line is told of, nothing comes twice, and what was forgotten stays away."""

import json
from typing import Any

import pytest

from tests.memory import AGENT, Memory

LINE = {"kind": "gotcha", "title": "Flaky webhook test", "body": "It needs the clock fixture.", "tags": ["ci"]}
SECRET = "AKIA" + "Q3EGRTQ7ZJ5LWXYB"


def lines(*records: dict[str, Any]) -> str:
    return "\n".join(json.dumps(record) for record in records)


async def sent(memory: Memory, content: str, name: str = "a file", **fields: object) -> list[str]:
    """Send a whole file in one request, wait until its last line is done, and return the report."""
    count = str(len(content.split("\n")))
    reply = await memory.ask("import-lines", name, "1", count, content, **fields)
    assert reply["ok"], reply
    while not (await memory.ask("import-report", name, **fields))["text"].endswith("lines imported"):
        pass
    report: list[str] = (await memory.ask("import-report", name, "0", **fields))["entries"]
    return report


async def test_every_line_is_told_of(memory: Memory) -> None:
    content = lines(LINE, LINE, LINE | {"title": "Key", "body": f"Use {SECRET}."}, {"kind": "story"}) + "\nno JSON"

    report = await sent(memory, content, source=AGENT)

    assert report == [
        "1 created: entry 1",
        "2 duplicate: entry 1",
        "3 refused: not stored: an AWS access key id in body, line 1, column 5; "
        "write a placeholder such as <TOKEN> instead",
        "4 refused: unknown memory kind 'story'; expected one of "
        "(convention, decision, event, fact, gotcha, preference, procedure)",
        "5 refused: the line is not valid JSON",
    ]
    assert (await memory.ask("list"))["entries"] == ["[proposed] gotcha: Flaky webhook test\nIt needs the clock fixture."]
