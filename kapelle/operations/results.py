"""What operations answer, before any door puts it into words."""

from dataclasses import dataclass
from datetime import datetime

from kapelle.domain.dedup import ConflictKind
from kapelle.domain.entries import Entry
from kapelle.domain.ledger import Event
from kapelle.domain.outcomes import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The hits of a search, best first."""

    entries: tuple[Entry, ...]
    # For each entry, whether it clearly has to do with the question.
    clear: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """An open conflict as one of its two entries is shown it."""

    conflict_id: int
    kind: ConflictKind
    score: float
    # Names of the rules that see a difference.
    reasons: tuple[str, ...]
    other_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One entry, with the conflicts that nobody has settled, the most pressing first."""

    entry: Entry
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Curated entries, oldest first."""

    entries: tuple[Entry, ...]
    # Why there is no pull request, where one was asked for.
    obstacle: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    outcome: Outcome
    operation_id: str = ""
    # What led there, where that is told.
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A write or an export that is on its way and goes on without the caller."""

    operation_id: str
    # How far it is, where that can be told: one sentence.
    progress: str = ""
    # What it has done so far, where that is told.
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operated:
    """An operation: queued, running, succeeded, failed or cancelled. `outcome` is None until it has ended."""

    operation_id: str
    name: str
    state: str
    started_at: datetime
    finished_at: datetime | None
    outcome: Outcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """Operations that have not ended, the oldest first."""

    operations: tuple[Operated, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    entry_id: int
    events: tuple[Event, ...]
    # Why the entry was rejected, if it was and somebody said.
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    entry_id: int
    helpful: int
    unhelpful: int

    @property
    def usefulness(self) -> float:
        """The share of helpful votes, smoothed as in `Record.usefulness`."""
        return (self.helpful + 1) / (self.helpful + self.unhelpful + 2)

    def describe(self) -> str:
        return f"Entry {self.entry_id}: {self.helpful} helpful, {self.unhelpful} unhelpful."


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two entries that may contradict or repeat each other, the older one first."""

    conflict_id: int
    kind: ConflictKind
    score: float
    # Names of the rules that see a difference.
    reasons: tuple[str, ...]
    first: Entry
    second: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class InConflict:
    """Open conflicts, the most pressing first."""

    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An answer that is a sentence and perhaps some lines, as team administration gives."""

    text: str
    lines: tuple[str, ...] | None = None
    # What a repetition of the request is told, where the text must not be kept.
    again: str | None = None


Result = (
    Found | Shown | Listed | Exported | Written | Running | Operated | Unfinished | History | Rated | InConflict | Told
)
