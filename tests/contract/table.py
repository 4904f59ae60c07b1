"""Rows of the command contract: what was done before, one request, and its exact reply.

Texts may hold placeholders. `<team>` is the row's own team. A step before the request that is named `a` binds `<a>` to
the entry id in its reply; a placeholder in the reply that nothing has bound yet stands for a number that it reports.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from tests.memory import PERSON, Memory

_PLACEHOLDER = re.compile(r"<([a-z]+)>")
_FIRST_NUMBER = re.compile(r"\d+")
_TEAMS = count(1)
# The people of every row's team. The admin who makes the team is in none.
ROLES = {"vic": "viewer", "mel": "member", "max": "maintainer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. `fields` are those of the JSON object; a field that is None is left out."""

    fields: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    # Binds the entry id of the reply to this name.
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    title: str
    given: tuple[Request, ...] = ()
    ask: Request
    reply: Mapping[str, Any]


def ask(*args: object, name: str = "", headers: Mapping[str, str] | None = None, **fields: object) -> Request:
    """Ask the memory command as the admin, unless the fields name somebody else."""
    whole: dict[str, object] = {"command": "memory", "team": "<team>", "args": list(args)}
    if "source" not in fields and "user" not in fields:
        whole["user"] = PERSON
    return Request(fields={**whole, **fields}, headers=headers or {}, name=name)


def team(*args: object, **fields: str | None) -> Request:
    """Ask the team command as the admin, unless the fields name somebody else."""
    request = ask(*args, name="", headers=None, **fields)
    return replace(request, fields={**request.fields, "command": "team", "team": None})


def ok(text: str, *entries: str, listed: bool = False) -> dict[str, Any]:
    """The reply of success. `listed` is for an empty list, which is not an absent one."""
    reply: dict[str, Any] = {"ok": True, "text": text}
    return {**reply, "entries": list(entries)} if entries or listed else reply


def no(error: str) -> dict[str, Any]:
    return {"ok": False, "error": error}


def row(title: str, *requests: Request, reply: Mapping[str, Any]) -> Row:
    """A row whose last request is the one that the reply answers."""
    *given, last = requests
    return Row(title=title, given=tuple(given), ask=last, reply=reply)


async def play(memory: Memory, line: Row) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play a row in a team of its own, and return the reply and what it should be."""
    bound = await make_team(memory, *(person for person in ROLES if person in repr(line)))
    for step in line.given:
        reply = await send(memory, step, bound)
        assert reply["ok"], (step, reply)
    reply = await send(memory, line.ask, bound)
    learn(line.reply, reply, bound)
    return reply, fill(line.reply, bound)


async def make_team(memory: Memory, *people: str) -> dict[str, str]:
    """Make a team with these people in their roles, and return the first placeholders."""
    slug = f"row-{next(_TEAMS)}"
    requests = [("create", slug), *(("add-member", slug, person, ROLES[person]) for person in people)]
    for request in requests:
        reply = await memory.team(*request)
        assert reply["ok"], reply
    return {"team": slug}


async def send(memory: Memory, request: Request, bound: dict[str, str]) -> dict[str, Any]:
    """Send a request with its placeholders filled, and bind the entry id of the reply to the request's name."""
    fields = {name: value for name, value in fill(request.fields, bound).items() if value is not None}
    reply = await memory.send(json.dumps(fields).encode(), dict(request.headers) or None)
    if request.name:
        number = _FIRST_NUMBER.search(reply.get("text", ""))
        assert number is not None, (request, reply)
        bound[request.name] = number[0]
    return reply


def fill(value: Any, bound: Mapping[str, str]) -> Any:
    """Put what is bound in the place of placeholders, in all strings of a JSON value."""
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda found: bound.get(found[1], found[0]), value)
    if isinstance(value, Mapping):
        return {key: fill(item, bound) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fill(item, bound) for item in value]
    return value


def learn(expected: Any, actual: Any, bound: dict[str, str]) -> None:
    """Bind the placeholders that the actual reply is the first to name."""
    if isinstance(expected, str) and isinstance(actual, str):
        _learn_text(fill(expected, bound), actual, bound)
    elif isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key in expected.keys() & actual.keys():
            learn(expected[key], actual[key], bound)
    elif isinstance(expected, list) and isinstance(actual, list):
        for wanted, given in zip(expected, actual, strict=False):
            learn(wanted, given, bound)


def _learn_text(expected: str, actual: str, bound: dict[str, str]) -> None:
    parts = _PLACEHOLDER.split(expected)
    pattern = "".join(_group(part) if place % 2 else re.escape(part) for place, part in enumerate(parts))
    if found := re.fullmatch(pattern, actual):
        bound.update(found.groupdict())


def _group(name: str) -> str:
    """Times and operation ids have a form of their own; every other placeholder is a number."""
    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    forms = {"when": time, "then": time, "last": time, "operation": r"[0-9a-f-]{36}", "token": r"kap_\S{20,}"}
    return f"(?P<{name}>{forms.get(name, '[0-9]+')})"
