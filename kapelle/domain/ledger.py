"""The hash chain of a team's events: what each row's hash covers, for writing and for verifying alike."""

import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import UTC, datetime

GENESIS = bytes(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened to an entry. It holds no text.

    `text_digest` is that of the entry's text where one comes in, and the tombstone's where one goes or comes back.
    """

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A keyed seal of a chain up to row `seq`, whose hash is `hash`. Checkpoints of a team are numbered from 1."""

    number: int
    seq: int
    hash: bytes
    made_at: datetime
    seal: bytes = b""


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
        _utc(event.happened_at),
        event.text_digest.hex() if event.text_digest else None,
        previous_hash.hex(),
    ]
    return hashlib.sha256(json.dumps(fields, separators=(",", ":")).encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What never changes of an entry as long as it is there."""

    title: str
    body: str
    tags: tuple[str, ...]
    source: str
    created_at: datetime
    valid_from: datetime
    valid_until: datetime | None


def text_digest(salt: bytes, stored: Stored) -> bytes:
    """Digest of an entry's text and origin that means nothing without the salt on the entry."""
    fields = [
        stored.title,
        stored.body,
        stored.tags,
        stored.source,
        *(moment and _utc(moment) for moment in (stored.created_at, stored.valid_from, stored.valid_until)),
    ]
    return hashlib.sha256(salt + json.dumps(fields, separators=(",", ":")).encode()).digest()


def checkpoint_seal(key: str, org_id: str, team_id: int, checkpoint: Checkpoint) -> bytes:
    """HMAC-SHA-256 over all of a checkpoint but its seal."""
    fields = [org_id, team_id, checkpoint.number, checkpoint.seq, checkpoint.hash.hex(), _utc(checkpoint.made_at)]
    return hmac.digest(key.encode(), json.dumps(fields, separators=(",", ":")).encode(), hashlib.sha256)


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
