"""What each tool does: a request in the words of the command contract, and its reply as a structure."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, TextContent, Tool

from kapelle.adapters.mcp import tools
from kapelle.adapters.mcp.arguments import problem
from kapelle.adapters.mcp.service import PROPOSE, READ, Agent, RefusedByService, Service
from kapelle.domain.errors import InvalidRequest, NotAllowed, NotFound, Refused, ScanFailed, Unavailable

# A rendered entry, as the command contract has it: `[status] kind: title`, and the body below.
RENDERED = re.compile(r"\[(?P<status>\w+)\] (?P<kind>\w+): (?P<title>[^\n]*)\n(?P<body>.*)", re.DOTALL)
_ENTRY_ID = re.compile(r"Entry (\d+) ")
_AGAIN = "Send the same call again in a moment; nothing is stored twice."
# Code of a fault -> what to do about it.
_ADVICE = {
    InvalidRequest.code: "Correct the argument that is named and call again.",
    NotFound.code: "Take an id from memory_search.",
    NotAllowed.code: "Ask a person of the team; calling again will not help.",
    Refused.code: "Write it anew without what was refused; the same text will be refused again.",
    ScanFailed.code: _AGAIN,
    Unavailable.code: _AGAIN,
}

_Values = Mapping[str, Any]
_Structure = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """How a tool is carried out, and the scope that it needs."""

    tool: Tool
    scope: str
    run: Callable[[Service, Agent, _Values], Awaitable[_Structure]]


async def call(service: Service, agent: Agent, name: str, arguments: _Values) -> CallToolResult:
    """Carry out a tool for an agent; what is refused comes back as an error that says what to do instead."""
    found = _CALLS.get(name)
    if found is None:
        return _error(f"there is no tool of this name; there are {', '.join(_CALLS)}")
    if found.scope not in agent.scopes:
        return _error(f"the token lacks the scope '{found.scope}'. {_ADVICE[NotAllowed.code]}")
    if wrong := problem(found.tool, arguments):
        return _error(wrong)
    try:
        structure = await found.run(service, agent, arguments)
    except RefusedByService as refusal:
        return _error(f"{refusal.message}. {_ADVICE.get(refusal.code, '')}".rstrip())
    return CallToolResult(content=[TextContent(text=_text(structure))], structured_content=structure)


async def _search(service: Service, agent: Agent, values: _Values) -> _Structure:
    reply = await service.memory(agent, "search", values["query"], values.get("kind", ""))
    found = list(zip(reply.ids, reply.entries, reply.clear, strict=True))[: values.get("limit", tools.DEFAULT_LIMIT)]
    return {
        "entries": [
            _excerpt(entry(number, rendered)) | ({} if clear else {"weak": True}) for number, rendered, clear in found
        ]
    }


async def _get(service: Service, agent: Agent, values: _Values) -> _Structure:
    reply = await service.memory(agent, "get", str(values["id"]))
    return entry(values["id"], reply.text)


async def _propose(service: Service, agent: Agent, values: _Values) -> _Structure:
    tags = values.get("tags", [])
    if any("," in tag for tag in tags):
        raise RefusedByService("a tag holds a comma; send it as two tags", InvalidRequest.code)
    reply = await service.memory(agent, "propose", values["kind"], values["title"], values["body"], ",".join(tags))
    named = _ENTRY_ID.match(reply.text)
    return {"message": reply.text} | ({"id": int(named[1])} if named else {})


async def _feedback(service: Service, agent: Agent, values: _Values) -> _Structure:
    reply = await service.memory(agent, "feedback", str(values["id"]), values["vote"])
    return {"message": reply.text}


def entry(number: int, rendered: str) -> _Structure:
    """Read a rendered entry back into its parts."""
    parts = RENDERED.fullmatch(rendered)
    if parts is None:
        raise ValueError("not a rendered entry")
    return {"id": number, **parts.groupdict()}


def _excerpt(whole: _Structure) -> _Structure:
    if len(whole["body"]) <= tools.EXCERPT_CHARACTERS:
        return whole
    return whole | {"body": whole["body"][: tools.EXCERPT_CHARACTERS], "cut": True}


def _text(structure: _Structure) -> str:
    """Render for clients that show text: the contract's own form, each entry after its id."""
    if "message" in structure:
        return str(structure["message"])
    entries = structure.get("entries", [structure])
    return "\n\n".join(map(_rendered, entries)) or "Nothing found. Try other words, or leave out kind."


def _rendered(one: _Structure) -> str:
    cut = f" … (cut; memory_get {one['id']} has all)" if one.get("cut") else ""
    doubt = " (weak match)" if one.get("weak") else ""
    return f"Entry {one['id']}{doubt}\n[{one['status']}] {one['kind']}: {one['title']}\n{one['body']}{cut}"


def _error(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)


_CALLS = {
    one.tool.name: one
    for one in (
        _Call(tool=tools.SEARCH, scope=READ, run=_search),
        _Call(tool=tools.GET, scope=READ, run=_get),
        _Call(tool=tools.PROPOSE, scope=PROPOSE, run=_propose),
        _Call(tool=tools.FEEDBACK, scope=PROPOSE, run=_feedback),
    )
}
