"""What became of a write, and its wording: the answer that callers see and that a retry is given again."""

from dataclasses import dataclass
from enum import StrEnum

# What a caller is told when something broke for good; the operation's row and its workflow say more to an operator.
NOT_STORED = "the write could not be stored; the same request may be tried again"


class Code(StrEnum):
    """How a write ended."""

    PROPOSED = "proposed"
    ADDED = "added"
    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    # Stored for a person to look at before anyone may read it.
    QUARANTINED = "quarantined"
    FORGOTTEN = "forgotten"
    REJECTED = "rejected"
    RESOLVED = "resolved"
    # A conflict was resolved, and both entries stay.
    KEPT_BOTH = "kept-both"
    RATED = "rated"
    # A team command was carried out.
    TOLD = "told"
    EXPORTED = "exported"
    # An export that ended as text, with a reason.
    NO_PULL_REQUEST = "no-pull-request"
    # Taken back before anything was stored.
    CANCELLED = "cancelled"
    # Understood and not stored: the same request would be refused again.
    REFUSED = "refused"
    # There is nothing by that id, as far as the caller may know.
    MISSING = "missing"
    # Somebody else decided first; the reason says who, and what.
    CONFLICT = "conflict"
    # Something broke. The same request may be made again.
    FAILED = "failed"


_SENTENCES = {
    Code.PROPOSED: "Entry {0.entry_id} proposed.",
    Code.ADDED: "Entry {0.entry_id} added.",
    Code.ACCEPTED: "Entry {0.entry_id} accepted.",
    Code.DUPLICATE: "Entry {0.entry_id} already says this.",
    Code.SUPERSEDED: "Entry {0.entry_id} supersedes entry {0.other_id}.",
    Code.QUARANTINED: "Entry {0.entry_id} is quarantined until a person has looked at it: {0.reason}.",
    Code.FORGOTTEN: "Entry {0.entry_id} forgotten.",
    Code.REJECTED: "Entry {0.entry_id} rejected.",
    Code.RESOLVED: "Conflict {0.conflict_id} resolved: entry {0.entry_id} supersedes entry {0.other_id}.",
    Code.KEPT_BOTH: "Conflict {0.conflict_id} resolved: entries {0.entry_id} and {0.other_id} both stay.",
    Code.RATED: "{0.reason}",
    Code.TOLD: "{0.reason}",
    Code.EXPORTED: "{0.reason}",
    Code.NO_PULL_REQUEST: "no pull request: {0.reason}",
    Code.REFUSED: "{0.reason}",
    Code.CONFLICT: "{0.reason}",
    Code.MISSING: "{0.reason}",
    Code.CANCELLED: "the operation was cancelled, and nothing was stored",
    Code.FAILED: "{0.reason}",
}

_NOT_DONE = frozenset({Code.REFUSED, Code.CONFLICT, Code.MISSING, Code.FAILED, Code.CANCELLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of one write. Holds ids and a reason, never memory text."""

    code: Code
    entry_id: int | None = None
    # The entry that was superseded, or that is kept beside the other.
    other_id: int | None = None
    # The conflict that was resolved.
    conflict_id: int | None = None
    # One chat-ready sentence when the write was refused or failed; else what the other fields cannot say.
    reason: str = ""
    # All votes on an entry, after one was given.
    helpful: int = 0
    unhelpful: int = 0

    @property
    def stands(self) -> bool:
        """Whether a retry of the same request gets this very answer."""
        return self.code is not Code.FAILED

    @property
    def ok(self) -> bool:
        return self.code not in _NOT_DONE

    def describe(self) -> str:
        """Return the sentence of the command contract."""
        return _SENTENCES[self.code].format(self)


def refused(reason: str) -> Outcome:
    return Outcome(code=Code.REFUSED, reason=reason)


def conflict(reason: str) -> Outcome:
    return Outcome(code=Code.CONFLICT, reason=reason)


def missing(reason: str) -> Outcome:
    return Outcome(code=Code.MISSING, reason=reason)
