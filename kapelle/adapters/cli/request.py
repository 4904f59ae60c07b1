"""The JSON that goes to the service, and the reply that comes back."""

import json
from dataclasses import dataclass
from typing import Any

from kapelle.adapters.cli.config import Config
from kapelle.adapters.cli.outcomes import NoAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply: `text` and perhaps `entries` if `ok`, `error` if not."""

    ok: bool
    text: str
    # None where the reply has no entries, which differs from having none to show.
    entries: tuple[str, ...] | None
    # The entries' numbers, in the same order, from services that send them.
    ids: tuple[int, ...]
    document: str
    # Of one entry: its open conflicts, from services that send them.
    conflicts: tuple[str, ...] = ()
    # Of a refusal: its code, from services that send one.
    code: str = ""
    # What a long run has done so far, from services that send it.
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request; an empty `request_id` leaves it out."""

    command: str
    arguments: tuple[str, ...]
    request_id: str = ""
    # Ask for the entries' numbers beside the rendered entries, which do not hold them.
    numbered: bool = False
    # Ask for what a long run has done so far, and for an answer that comes soon.
    stepwise: bool = False
    # Ask for the entries' versions, by which a decision says what it is about.
    versioned: bool = False
    # Ask for the open conflicts of the entry that is shown.
    doubtful: bool = False
    # `as_of`, `valid_from` and `valid_until`, those of them that were given.
    moments: tuple[tuple[str, str], ...] = ()


def encode(request: Request, config: Config) -> bytes:
    """Return the request's bytes."""
    fields: dict[str, Any] = {"command": request.command, "team": config.team, "args": request.arguments}  # Any: JSON.
    fields |= {"source": config.source} if config.source else {"user": config.user}
    if request.request_id:
        fields["request_id"] = request.request_id
    fields |= dict(request.moments)
    if request.versioned:
        fields["versions"] = True
    if request.doubtful:
        fields["conflicts"] = True
    if request.numbered:
        fields["ids"] = True
    if request.stepwise:
        fields["steps"] = True
    return json.dumps(fields).encode()


def decode(content: bytes, code: str = "") -> Reply:
    """Read a reply, and the code of its error that came beside it.

    Raises:
        NoAnswer: it is none.
    """
    try:
        found = json.loads(content)
        text = found["text"] if found["ok"] is True else found["error"]
        entries, ids = found.get("entries"), found.get("ids") or ()
        return Reply(
            ok=found["ok"] is True,
            text=str(text),
            entries=None if entries is None else tuple(str(entry) for entry in entries),
            ids=tuple(int(number) for number in ids),
            document=json.dumps(found, ensure_ascii=False),
            conflicts=tuple(str(conflict) for conflict in found.get("conflicts") or ()),
            code=code,
            steps=tuple(str(step) for step in found.get("steps") or ()),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        raise NoAnswer("what came back is not a reply of the memory service") from None
