"""The hash chain of a team's events: what each row's hash covers, for writing and for verifying alike."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime

GENESIS = bytes(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened to an entry. It holds no text."""

    memory_id: int
    event: str
    actor: str
    operation_id: str
    happened_at: datetime
    other_id: int | None = None
    text_digest: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An event in its place in the chain."""

    seq: int
    event: Event
    previous_hash: bytes
    hash: bytes


def chain(org_id: str, team_id: int, *, seq: int, head: bytes, events: tuple[Event, ...]) -> tuple[Link, ...]:
    """Append `events` to the chain whose last row has number `seq` and hash `head`."""
    links: list[Link] = []
    for event in events:
        seq += 1
        link = Link(seq=seq, event=event, previous_hash=head, hash=row_hash(org_id, team_id, seq, event, head))
        links.append(link)
        head = link.hash
    return tuple(links)


def row_hash(org_id: str, team_id: int, seq: int, event: Event, previous_hash: bytes) -> bytes:
    """SHA-256 over the row's fields in a fixed order as compact JSON, the predecessor's hash included."""
    fields = [
        org_id,
        team_id,
        seq,
        event.memory_id,
        event.event,
        event.other_id,
        event.actor,
        event.operation_id,
        event.happened_at.astimezone(UTC).isoformat(timespec="microseconds"),
        event.text_digest.hex() if event.text_digest else None,
        previous_hash.hex(),
    ]
    return hashlib.sha256(json.dumps(fields, separators=(",", ":")).encode()).digest()


def text_digest(salt: bytes, title: str, body: str) -> bytes:
    """Digest of an entry's text that means nothing without the salt on the entry."""
    return hashlib.sha256(b"\0".join((salt, title.encode(), body.encode()))).digest()
