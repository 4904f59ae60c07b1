"""Fifty writes of every kind at once by a client that repeats each, by its request id, until it is answered."""

import asyncio
import json
import random
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import nats
from nats.aio.client import Client
from nats.errors import Error as NatsError

SUBJECT = "kapelle.controller.command"
# How long a whole round may take before it counts as stuck.
ROUND_SECONDS = 120.0
_REPLY_SECONDS = 6.0
_PAUSE_SECONDS = 0.2
_RUNNING = "Still running as operation "


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One write of a round. `marker` is in the title of what it stores, and nowhere else."""

    team: str
    args: tuple[str, ...]
    request_id: str
    marker: str


@dataclass(slots=True, kw_only=True)
class Told:
    """What the callers were told: by request id, the final text. `tries` counts requests over all writes."""

    answers: dict[str, str] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    tries: int = 0


class Caller:
    """A patient client."""

    def __init__(self, client: Client, person: str) -> None:
        self.client = client
        self._person = person
        self._gone = asyncio.Event()

    async def ask(self, command: str, team: str, *args: str, request_id: str = "") -> dict[str, Any] | None:
        """Ask once; None when no answer came."""
        request = {"command": command, "team": team, "args": args, "user": self._person, "request_id": request_id}
        try:
            message = await self.client.request(SUBJECT, json.dumps(request).encode(), timeout=_REPLY_SECONDS)
        except (NatsError, TimeoutError):
            return None
        reply: dict[str, Any] = json.loads(message.data)
        return reply

    async def until_done(self, write: Write, told: Told) -> str:
        """Repeat a write until it is answered for good, and return the text."""
        while True:
            told.tries += 1
            reply = await self.ask("memory", write.team, *write.args, request_id=write.request_id)
            if reply and reply["ok"] and not reply["text"].startswith(_RUNNING):
                text: str = reply["text"]
                return text
            if reply and not reply["ok"]:
                told.refusals.append(reply["error"])
            await self.pause()

    async def pause(self) -> None:
        """Wait as long as a client waits before it tries again."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._gone.wait(), _PAUSE_SECONDS)


async def connect(url: str, person: str) -> Caller:
    """Connect for good, however often the server goes away."""

    async def ignore(_error: Exception) -> None:
        """The server is killed on purpose."""

    client = await nats.connect(url, error_cb=ignore, max_reconnect_attempts=-1, reconnect_time_wait=0.1)
    return Caller(client, person)


async def prepare(caller: Caller, chance: random.Random) -> list[Write]:
    """Make three teams with entries to edit, accept and forget, and return fifty writes in a chance order."""
    stamp = uuid.uuid4().hex[:8]
    writes: list[Write] = []
    for team in (f"kill-{stamp}-{number}" for number in range(3)):
        await _said(caller, "team", team, "create", team)
        writes += [_write(team, "propose", "fact") for _ in range(6)]
        writes += [_write(team, "add", "decision") for _ in range(5)]
        for operation in ("edit", "accept", "forget"):
            for _ in range(2 if operation != "edit" or not team.endswith("0") else 1):
                title = f"before {uuid.uuid4().hex}"
                said = await _said(caller, "memory", team, "propose", "fact", title, "Something to decide on.")
                writes.append(_change(team, operation, said.split()[1]))
    chance.shuffle(writes)
    return writes


async def run(caller: Caller, writes: Sequence[Write], told: Told, *, after: Callable[[int], None]) -> None:
    """Do all writes at once; `after` hears how many are answered each time one more is.

    Raises:
        TimeoutError: when a write is never answered.
    """

    async def one(write: Write) -> None:
        told.answers[write.request_id] = await caller.until_done(write, told)
        after(len(told.answers))

    async with asyncio.timeout(ROUND_SECONDS), asyncio.TaskGroup() as group:
        for write in writes:
            group.create_task(one(write))


def _write(team: str, operation: str, kind: str) -> Write:
    marker = uuid.uuid4().hex
    return Write(
        team=team, args=(operation, kind, f"note {marker}", "A body."), request_id=uuid.uuid4().hex, marker=marker
    )


def _change(team: str, operation: str, entry_id: str) -> Write:
    marker = uuid.uuid4().hex if operation == "edit" else ""
    text = ("fact", f"note {marker}", "A better body.") if marker else ()
    return Write(team=team, args=(operation, entry_id, *text), request_id=uuid.uuid4().hex, marker=marker)


async def _said(caller: Caller, command: str, team: str, *args: str) -> str:
    reply = await caller.ask(command, team, *args)
    assert reply is not None, args
    assert reply["ok"], reply
    text: str = reply["text"]
    return text
