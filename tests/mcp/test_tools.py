"""The tools through the SDK's own client, over both transports, before the real service."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp_types import CallToolResult, TextContent

from kapelle.adapters.mcp import curated
from kapelle.adapters.mcp.tools import EXCERPT_CHARACTERS, TOOLS
from tests.mcp.doors import Door
from tests.memory import Memory

TOKEN = "kap_agent"
NOTE = {"kind": "gotcha", "title": "Webhook test is flaky", "body": "It needs the clock fixture.", "tags": ["ci"]}


def text(result: CallToolResult) -> str:
    return "\n".join(one.text for one in result.content if isinstance(one, TextContent))


async def answered(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool, check its answer against its own output schema, and return it."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, text(result)
    schema = next(tool.output_schema for tool in TOOLS if tool.name == name)
    assert schema is not None
    Draft202012Validator(schema).validate(result.structured_content)
    found: dict[str, Any] = result.structured_content
    return found


async def refused(client: Client, name: str, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return text(result)


async def test_every_tool_is_listed_and_can_be_called(door: Door, memory: Memory) -> None:
    async with door(TOKEN) as client:
        listed = (await client.list_tools()).tools
        proposed = await answered(client, "memory_propose", **NOTE)
        found = await answered(client, "memory_search", query="flaky webhook", kind="gotcha")
        got = await answered(client, "memory_get", id=proposed["id"])
        rated = await answered(client, "memory_feedback", id=proposed["id"], vote="helpful")

    entry = {"id": 1, "status": "proposed", "kind": "gotcha", "title": NOTE["title"], "body": NOTE["body"]}
    assert [tool.name for tool in listed] == ["memory_search", "memory_get", "memory_propose", "memory_feedback"]
    assert proposed == {"message": "Entry 1 proposed.", "id": 1}
    assert (found, got) == ({"entries": [entry]}, entry)
    assert rated == {"message": "Entry 1: 1 helpful, 0 unhelpful."}
    assert await memory.rows("select source from ibex_core.memories") == [{"source": "agent:demo/coder"}]


async def test_the_hints_tell_reading_from_writing(door: Door) -> None:
    async with door(TOKEN) as client:
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

    assert {name: hint.read_only_hint for name, hint in hints.items() if hint} == {
        "memory_search": True,
        "memory_get": True,
        "memory_propose": False,
        "memory_feedback": False,
    }
    assert all(hint and hint.idempotent_hint and not hint.destructive_hint for hint in hints.values())


async def test_the_same_proposal_again_is_stored_once(door: Door, memory: Memory) -> None:
    async with door(TOKEN) as client:
        await answered(client, "memory_propose", **NOTE)
        again = await answered(client, "memory_propose", **NOTE)

    assert again["id"] == 1
    assert await memory.rows("select count(*) from ibex_core.memories") == [{"count": 1}]


async def test_an_error_says_what_to_send_instead(door: Door) -> None:
    secret = "AKIA" + "Q3EGRZ7MNB2XWL5T"
    async with door(TOKEN) as client:
        missing = await refused(client, "memory_get", id=99)
        unknown = await refused(client, "memory_search", query="x", kinds=["fact"])
        wrong = await refused(client, "memory_propose", kind="rumour", title="t", body="b")
        left_out = await refused(client, "memory_propose", kind="fact", title="t")
        comma = await refused(client, "memory_propose", kind="fact", title="t", body="b", tags=["a,b"])
        credential = await refused(client, "memory_propose", kind="fact", title="t", body=f"aws_key = {secret}")
        nothing = await refused(client, "memory_forget", id=1)

    assert missing == "there is no entry 99 in this team. Take an id from memory_search."
    assert unknown.endswith("memory_search takes query, kind (optional), limit (optional)")
    assert wrong.startswith("kind must be one of convention, decision, event, fact,")
    assert left_out.startswith("body is missing; memory_propose takes kind, title, body, tags (optional)")
    assert comma.startswith("a tag holds a comma; send it as two tags.")
    assert credential.endswith("the same text will be refused again.")
    assert secret not in credential
    assert nothing.endswith("there are memory_search, memory_get, memory_propose, memory_feedback")


async def test_a_long_body_is_cut_in_a_search_and_whole_when_asked_for(door: Door, memory: Memory) -> None:
    body = "release train " * 300
    await memory.ask("add", "procedure", "Release", body.strip())
    async with door(TOKEN) as client:
        (found,) = (await answered(client, "memory_search", query="release"))["entries"]
        got = await answered(client, "memory_get", id=found["id"])

    assert found["cut"] is True
    assert len(found["body"]) == EXCERPT_CHARACTERS
    assert got["body"] == body.strip()


async def test_the_resource_holds_the_curated_entries_alone(door: Door, memory: Memory) -> None:
    await memory.ask("add", "decision", "PostgreSQL", "We keep everything in PostgreSQL.")
    await memory.ask("propose", "fact", "Rumour", "Nobody has looked at this.")
    async with door(TOKEN) as client:
        (listed,) = (await client.list_resources()).resources
        (content,) = (await client.read_resource(listed.uri)).contents

    assert content.model_dump()["text"] == (
        "Entry 1\n[curated] decision: PostgreSQL\nWe keep everything in PostgreSQL."
    )


async def test_the_resource_is_bounded_and_says_what_it_leaves_out(door: Door, memory: Memory) -> None:
    for number, words in enumerate(("red apple", "green pear", "blue plum")):
        await memory.ask("add", "fact", f"Fruit {words}", f"{words} number {number} is sold here. " * 300)
    async with door(TOKEN) as client:
        (content,) = (await client.read_resource(curated.URI)).contents

    shown = content.model_dump()["text"]
    assert len(shown) < curated.CHARACTERS + 100
    assert shown.endswith("1 more were left out; memory_search finds them.")


def test_the_whole_list_costs_an_agent_less_than_1500_tokens() -> None:
    listed = "".join(tool.model_dump_json(by_alias=True, exclude_none=True) for tool in TOOLS)

    assert len(listed) / 4 < 1500


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_valid_and_inputs_flat(tool: Any) -> None:
    Draft202012Validator.check_schema(tool.input_schema)
    Draft202012Validator.check_schema(tool.output_schema)

    for name, schema in tool.input_schema["properties"].items():
        assert schema["type"] in {"string", "integer"} or schema["items"] == {"type": "string"}, name
