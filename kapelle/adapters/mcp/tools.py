"""The tools as agents see them: names, flat schemas, hints. Every word costs each agent's context, so there are few."""

from typing import Any

from mcp_types import Tool, ToolAnnotations

from kapelle.domain import validation
from kapelle.domain.entries import Kind

HIGHEST_LIMIT = 20
DEFAULT_LIMIT = 5
# A search shows this much of each body; `memory_get` shows all of it.
EXCERPT_CHARACTERS = 1000

# JSON Schema is a tree of values of any kind.
_Schema = dict[str, Any]


def _object(required: tuple[str, ...], **properties: _Schema) -> _Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_STRING: _Schema = {"type": "string"}
_INTEGER: _Schema = {"type": "integer"}
_KIND: _Schema = {"type": "string", "enum": [kind.value for kind in Kind]}
_ID: _Schema = {"type": "integer", "minimum": 1}
_ENTRY = ("id", "status", "kind", "title", "body")
_ENTRY_TYPES: dict[str, _Schema] = {name: _INTEGER if name == "id" else _STRING for name in _ENTRY}


def _hints(*, reads: bool) -> ToolAnnotations:
    # A proposal or a vote that is made twice is there once.
    return ToolAnnotations(
        read_only_hint=reads, destructive_hint=None if reads else False, idempotent_hint=True, open_world_hint=False
    )


SEARCH = Tool(
    name="memory_search",
    description=(
        "Search the team's shared memory: conventions, decisions, gotchas, procedures. Use before starting work and "
        "when stuck. `curated` was reviewed by a person, `proposed` was not. Long bodies are cut; memory_get has all. "
        "A `weak` match may be about something else."
    ),
    input_schema=_object(
        ("query",),
        query={"type": "string", "minLength": 1},
        kind=_KIND,
        limit={"type": "integer", "minimum": 1, "maximum": HIGHEST_LIMIT, "default": DEFAULT_LIMIT},
    ),
    output_schema=_object(
        ("entries",),
        entries={
            "type": "array",
            "items": _object(_ENTRY, **_ENTRY_TYPES, cut={"type": "boolean"}, weak={"type": "boolean"}),
        },
    ),
    annotations=_hints(reads=True),
)
GET = Tool(
    name="memory_get",
    description="One entry in full.",
    input_schema=_object(("id",), id=_ID),
    output_schema=_object(_ENTRY, **_ENTRY_TYPES),
    annotations=_hints(reads=True),
)
PROPOSE = Tool(
    name="memory_propose",
    description=(
        "Propose what the team should remember, for a person to review. One lasting fact an entry, understandable "
        "alone; no credentials, no personal data. What is there already is not stored again."
    ),
    input_schema=_object(
        ("kind", "title", "body"),
        kind=_KIND,
        title={"type": "string", "minLength": 1, "maxLength": validation.TITLE_CHARACTERS},
        body={"type": "string", "minLength": 1},
        tags={"type": "array", "items": _STRING, "maxItems": validation.TAGS},
    ),
    output_schema=_object(("message",), message=_STRING, id=_INTEGER),
    annotations=_hints(reads=False),
)
FEEDBACK = Tool(
    name="memory_feedback",
    description="Say whether an entry that you used was helpful. The last vote counts.",
    input_schema=_object(("id", "vote"), id=_ID, vote={"type": "string", "enum": ["helpful", "unhelpful"]}),
    output_schema=_object(("message",), message=_STRING),
    annotations=_hints(reads=False),
)
TOOLS = (SEARCH, GET, PROPOSE, FEEDBACK)
