"""Entries: what a team remembers, and the words for its kinds and states."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The text of an entry before it is stored: validated, not yet scanned."""

    kind: Kind
    title: str
    body: str
    tags: tuple[str, ...] = ()


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

    def render(self) -> str:
        """Return the block that is shown to a model or a person as it is."""
        return f"[{self.status}] {self.kind}: {self.title}\n{self.body}"
