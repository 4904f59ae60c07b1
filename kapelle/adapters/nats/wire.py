"""The command contract's JSON: a request read strictly, a reply that fits."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from kapelle.domain import validation
from kapelle.domain.callers import claim
from kapelle.domain.errors import InvalidRequest
from kapelle.operations import Call, find

REQUEST_ID_HEADER = "Nats-Msg-Id"
TIMEOUT_HEADER = "Kapelle-Timeout-Ms"
# On a refusal: the code of the fault, for programs.
ERROR_HEADER = "Kapelle-Error"
# What the envelope of a cut reply needs beside its entries.
ENVELOPE_BYTES = 256
# A comma, and an id or a pair of versions with its own.
ENTRY_BYTES = 36


def read(data: bytes, headers: Mapping[str, str] | None, *, patience: float) -> Call:
    """Read a request.

    Raises:
        InvalidRequest: one sentence naming what is wrong.
    """
    request = _object(data)
    command = validation.storable("command", request.get("command"))
    name, *arguments = _arguments(request.get("args"))
    team = request.get("team")
    return Call(
        operation=find(command, name),
        arguments=tuple(arguments),
        claim=claim(request.get("source"), request.get("user")),
        team=None if team is None else validation.storable("team", team),
        request_id=_request_id(request.get("request_id"), headers or {}),
        patience=_patience(headers or {}, patience),
        force=_switch("force", request),
        wants_ids=_switch("ids", request),
        wants_steps=_switch("steps", request),
        wants_versions=_switch("versions", request),
        wants_clear=_switch("clear", request),
        wants_conflicts=_switch("conflicts", request),
        as_of=_moment("as_of", request),
        valid_from=_moment("valid_from", request),
        valid_until=_moment("valid_until", request),
    )


Beside = Mapping[str, Sequence[int | str] | None]


def write(text: str, entries: tuple[str, ...] | None, beside: Beside | None = None, *, limit: int) -> bytes:
    """Encode a reply of at most `limit` bytes: entries that do not fit are left out whole, and `text` says how many.

    `beside` holds lists that have one value an entry; those that are None are left out.
    """
    lists = {name: values for name, values in (beside or {}).items() if values is not None}
    if entries is None:
        return _encode({"ok": True, "text": text} | lists)
    whole = _encode({"ok": True, "text": text, "entries": entries} | lists)
    if len(whole) <= limit:
        return whole
    room = limit - len(text.encode()) - ENVELOPE_BYTES
    kept = 0
    for entry in entries:
        room -= len(_encode(entry)) + ENTRY_BYTES * (1 + len(lists))
        if room < 0:
            break
        kept += 1
    text = f"{text} ({len(entries) - kept} left out: a reply holds at most {limit} bytes)"
    cut = {name: values[:kept] for name, values in lists.items()}
    return _encode({"ok": True, "text": text, "entries": entries[:kept]} | cut)


def with_steps(reply: bytes, steps: tuple[str, ...]) -> bytes:
    """Add to a reply what its operation has done so far."""
    return reply[:-1] + b',"steps":' + _encode(steps) + b"}"


def refuse(error: str) -> bytes:
    return _encode({"ok": False, "error": error})


def _encode(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _object(data: bytes) -> dict[str, Any]:
    try:
        request = json.loads(data.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise InvalidRequest("the request is not valid JSON in UTF-8") from None
    if not isinstance(request, dict):
        raise InvalidRequest("the request must be a JSON object")
    return request


def _no_constant(name: str) -> object:
    """Refuse NaN and the infinities, which are not JSON."""
    raise ValueError(name)


def _arguments(value: object) -> list[str]:
    if not isinstance(value, list) or not value:
        raise InvalidRequest('args must be a list that begins with the operation, such as ["list"]')
    if not all(isinstance(argument, str) for argument in value):
        raise InvalidRequest("every one of args must be a string")
    return value


def _request_id(field: object, headers: Mapping[str, str]) -> str | None:
    value = field if field is not None else headers.get(REQUEST_ID_HEADER)
    if value is None or value == "":
        return None
    text = validation.storable("request_id", value)
    if len(text) > validation.REQUEST_ID_CHARACTERS:
        raise InvalidRequest(f"request_id is over the limit of {validation.REQUEST_ID_CHARACTERS} characters")
    return text


def _switch(name: str, request: Mapping[str, object]) -> bool:
    value = request.get(name, False)
    if not isinstance(value, bool):
        raise InvalidRequest(f"{name} must be true or false")
    return value


def _moment(name: str, request: Mapping[str, object]) -> datetime | None:
    value = request.get(name)
    if value is None or value == "":
        return None
    return validation.moment(name, validation.storable(name, value))


def _patience(headers: Mapping[str, str], default: float) -> float:
    """Leave a margin for the reply's way when a caller says how long it waits."""
    text = headers.get(TIMEOUT_HEADER, "")
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        return default
    return min(default, max(0.05, int(text) / 1000 - 0.3))
