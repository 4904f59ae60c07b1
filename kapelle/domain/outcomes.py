"""What became of a write, and its wording: the answer that callers see and that a retry is given again."""

from dataclasses import dataclass
from enum import StrEnum


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
    RESOLVED = "resolved"
    # Understood and not stored: the same request would be refused again.
    REFUSED = "refused"
    # Something broke. The same request may be made again.
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of one write. Holds ids and a reason, never memory text."""

    code: Code
    entry_id: int | None = None
    # The entry that was superseded, or that is kept beside the other.
    other_id: int | None = None
    # The conflict that was resolved.
    conflict_id: int | None = None
    kept_both: bool = False
    # One chat-ready sentence when the write was refused or failed.
    reason: str = ""

    @property
    def stands(self) -> bool:
        """Whether a retry of the same request gets this very answer."""
        return self.code is not Code.FAILED

    @property
    def ok(self) -> bool:
        return self.code not in {Code.REFUSED, Code.FAILED}

    def describe(self) -> str:
        """Return the sentence of the command contract."""
        match self.code:
            case Code.DUPLICATE:
                return f"Entry {self.entry_id} already says this."
            case Code.SUPERSEDED:
                return f"Entry {self.entry_id} supersedes entry {self.other_id}."
            case Code.QUARANTINED:
                return f"Entry {self.entry_id} is quarantined until a person has looked at it: {self.reason}."
            case Code.RESOLVED if self.kept_both:
                return f"Conflict {self.conflict_id} resolved: entries {self.entry_id} and {self.other_id} both stay."
            case Code.RESOLVED:
                return f"Conflict {self.conflict_id} resolved: entry {self.entry_id} supersedes entry {self.other_id}."
            case Code.REFUSED | Code.FAILED:
                return self.reason
            case _:
                return f"Entry {self.entry_id} {self.code}."


def refused(reason: str) -> Outcome:
    return Outcome(code=Code.REFUSED, reason=reason)
