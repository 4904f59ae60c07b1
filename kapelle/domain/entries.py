"""Entries: what a team remembers, and the words for its kinds and states."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Kind(StrEnum):
    """The primary category of an entry."""

    CONVENTION = "convention"
    DECISION = "decision"
    EVENT = "event"
    FACT = "fact"
    GOTCHA = "gotcha"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"


class Status(StrEnum):
    """How far an entry's review has come."""

    PROPOSED = "proposed"
    CURATED = "curated"
    # An agent's own entry, live without review.
    ACTIVE = "active"
    # Needs a person before anyone may read it.
    QUARANTINED = "quarantined"


class Visibility(StrEnum):
    """Who may read an entry: everybody in the team, or the one agent whose own it is."""

    TEAM = "team"
    AGENT = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A further category of an entry; of all of them the surest is its kind. `confidence` is in 0..1."""

    kind: Kind
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where in a source a text was learnt: the first and the last line, or characters, as the source counts them."""

    source: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What a writer may say of an entry beside its text."""

    labels: tuple[Label, ...] = ()
    # A JSON object in canonical form; empty for none.
    metadata: str = ""
    # In 0..1.
    confidence: float = 1.0
    pinned: bool = False
    span: Span | None = None


PLAIN = Details()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The text of an entry before it is stored: validated, not yet scanned."""

    kind: Kind
    title: str
    body: str
    tags: tuple[str, ...] = ()
    # Half-open; from now on and without end, if left out.
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    details: Details = PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What an import brings back of an entry beside its text. None is as for a new entry."""

    status: Status | None = None
    source: str | None = None
    created_at: datetime | None = None
    accepted_at: datetime | None = None
    accepted_by: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    # In 0..1, of the entry and of each label; without labels, the kind is the only one.
    confidence: float = 1.0
    labels: tuple[tuple[Kind, float], ...] = ()
    pinned: bool = False
    # A JSON object.
    metadata: str = "{}"
    # False for what was superseded.
    current: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One stored memory."""

    id: int
    kind: Kind
    status: Status
    title: str
    body: str
    tags: tuple[str, ...]
    source: str
    created_at: datetime

    @property
    def version(self) -> str:
        """Return what changes with anything that a reviewer reads of the entry, and with nothing else."""
        read = json.dumps([self.id, self.kind, self.title, self.body, self.tags], separators=(",", ":"))
        return hashlib.sha256(read.encode()).hexdigest()[:16]

    def render(self) -> str:
        """Return the block that is shown to a model or a person as it is."""
        return f"[{self.status}] {self.kind}: {self.title}\n{self.body}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An entry with all that is kept of it."""

    entry: Entry
    visibility: Visibility
    # Whose own it is, by its name in the team.
    agent: str | None
    details: Details
    valid_from: datetime
    valid_until: datetime | None
    # Neither superseded nor outside of its validity.
    current: bool
    superseded_by: int | None
    accepted_at: datetime | None
    accepted_by: str | None
    helpful: int
    unhelpful: int

    @property
    def usefulness(self) -> float:
        """The share of helpful votes, smoothed (Laplace's rule of succession): 0.5 without votes, never 0 or 1."""
        return (self.helpful + 1) / (self.helpful + self.unhelpful + 2)
