"""What files of others become, as far as it maps."""

import json
from typing import Any

import pytest

from kapelle.adapters.files import formats
from kapelle.adapters.files.items import Item, UnknownFormat
from kapelle.domain import portable


def entries(text: str, name: str = "file.json") -> list[dict[str, Any]]:
    """Return the entries that a file is read into. Each is one that the service reads."""
    found = [item for item in formats.read(text, name=name) if item.line]
    for item in found:
        portable.read(item.line)
    return [json.loads(item.line) for item in found]


def problems(text: str, name: str = "file.json") -> list[tuple[str, str]]:
    return [(item.place, item.problem) for item in formats.read(text, name=name) if item.problem]


MEM0 = {
    "id": "ea925981-272f-40dd-b576-be64e4871429",
    "memory": "The team prefers squash merges.",
    "hash": "abc",
    "user_id": "dana",
    "metadata": {"type": "preference", "run": 7},
    "categories": ["git", "workflow"],
    "created_at": "2024-07-01T10:00:00-07:00",
    "updated_at": None,
}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"results": [MEM0]}),
        json.dumps({"count": 1, "next": None, "results": [MEM0]}),
        json.dumps([MEM0]),
        json.dumps(MEM0),
    ],
)
def test_memories_of_mem0_keep_their_text_categories_and_time(text: str) -> None:
    assert entries(text) == [
        {
            "id": MEM0["id"],
            "kind": "preference",
            "title": "The team prefers squash merges.",
            "body": "The team prefers squash merges.",
            "tags": ["git", "workflow", "preference"],
            "created_at": "2024-07-01T10:00:00-07:00",
            "metadata": {"mem0": {"type": "preference", "run": 7}},
        }
    ]


def test_a_backup_of_openmemory_names_categories_by_their_ids_and_leaves_out_what_is_gone() -> None:
    kept = {"id": "1", "content": "Deploys run at noon.", "state": "active", "category_ids": ["c1"], "metadata": {}}
    text = json.dumps(
        {
            "user": {"user_id": "dana"},
            "categories": [{"id": "c1", "name": "facts"}],
            "memories": [kept, kept | {"id": "2", "state": "deleted"}],
        }
    )

    assert [(entry["kind"], entry["tags"]) for entry in entries(text)] == [("fact", ["facts"])]
    assert problems(text) == [("memory 2", "it is deleted in mem0")]


def test_lines_of_an_openmemory_backup_are_memories_too() -> None:
    line = {"id": "1", "content": "Deploys run at noon.", "state": "active", "categories": ["ops"], "metadata": {}}

    assert entries("\n".join([json.dumps(line), json.dumps(line)]), "memories.jsonl")[1]["tags"] == ["ops"]


GRAPH = [
    {"type": "entity", "name": "billing", "entityType": "service", "observations": ["Runs on port 80", "Is in Go"]},
    {"type": "entity", "name": "auth", "entityType": "service", "observations": []},
    {"type": "relation", "from": "billing", "to": "auth", "relationType": "calls"},
    {"type": "relation", "from": "gone", "to": "auth", "relationType": "calls"},
]


def test_entities_of_a_graph_hold_their_observations_and_relations() -> None:
    text = "\n".join(map(json.dumps, GRAPH)) + "\n"

    assert entries(text, "memory.jsonl") == [
        {
            "id": "billing",
            "kind": "fact",
            "title": "billing",
            "body": "- Runs on port 80\n- Is in Go\n- calls auth",
            "tags": ["service"],
            "links": [{"kind": "relates_to", "to": "auth"}],
        },
        {"id": "auth", "kind": "fact", "title": "auth", "body": "auth", "tags": ["service"]},
    ]
    assert problems(text, "memory.jsonl") == [("line 4", "it is a relation of an entity that is not in the file")]


def test_a_graph_as_the_servers_tool_answers_is_the_same() -> None:
    document = {"entities": GRAPH[:2], "relations": GRAPH[2:3]}

    assert entries(json.dumps(document)) == entries("\n".join(map(json.dumps, GRAPH)), "memory.jsonl")


NOTE = """---
title: "Authentication Design"
type: decision
tags:
  - auth
  - security
permalink: designs/authentication-design
created: 2025-02-01T09:00:00+01:00
owner: dana
---

# Authentication Design

## Observations
- [decision] Tokens live 15 minutes #security

## Relations
- implements [[API Security]]
- supersedes [[Old Design]]
"""


def test_a_note_keeps_its_text_tags_relations_and_own_fields() -> None:
    assert entries(NOTE, "designs/auth.md") == [
        {
            "id": "Authentication Design",
            "kind": "decision",
            "title": "Authentication Design",
            "body": NOTE.partition("# Authentication Design\n")[2].strip(),
            "tags": ["auth", "security"],
            "created_at": "2025-02-01T09:00:00+01:00",
            "metadata": {"note": {"owner": "dana"}},
            "links": [{"kind": "relates_to", "to": "API Security"}, {"kind": "supersedes", "to": "Old Design"}],
        }
    ]


def test_a_note_without_a_title_has_that_of_its_file() -> None:
    assert entries("---\ntags: [a, 'b c']\n---\nText.", "folder/coffee.md")[0] | {"kind": ""} == {
        "id": "coffee",
        "kind": "",
        "title": "coffee",
        "body": "Text.",
        "tags": ["a", "b c"],
    }


def test_each_heading_with_a_text_is_an_entry_of_the_kind_above_it() -> None:
    text = (
        "# Our notes\n\n## Gotchas\n\n### Flaky test ###\n\nNeeds the clock.\n\n```sh\n# no heading\n```\n\n"
        "## Deploys\nAt noon.\n"
    )

    found = entries(text, "NOTES.md")

    assert [(entry["kind"], entry["title"], entry["body"]) for entry in found] == [
        ("gotcha", "Flaky test", "Needs the clock.\n\n```sh\n# no heading\n```"),
        ("fact", "Deploys", "At noon."),
    ]


def test_lines_of_ours_are_sent_as_they_are_and_empty_ones_are_left_out() -> None:
    line = '{"kind":"fact","title":"A","body":"B"}'

    assert formats.read(f"{line}\r\n\nnonsense\n", name="memory.jsonl") == (
        Item(place="line 1", line=line),
        Item(place="line 3", line="nonsense"),
    )


@pytest.mark.parametrize("text", ["", "words", "[1, 2]", '{"a": 1}', "null"])
def test_a_file_of_no_known_format_is_refused_with_those_that_there_are(text: str) -> None:
    with pytest.raises(UnknownFormat, match="jsonl, markdown, mem0, basic-memory, mcp"):
        formats.read(text, name="file.json")
