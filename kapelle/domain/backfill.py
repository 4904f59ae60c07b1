"""What a backfill of embeddings found and did, in words."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Numbers of entries: in scope, without a vector of `model` at the beginning, and what became of those."""

    model: str = ""
    entries: int = 0
    missing: int = 0
    embedded: int = 0
    # Refused by the model; the next run tries them again.
    passed_over: int = 0
    # What the model last said to one of those.
    refusal: str = ""
    # Why it ended early: one clause, never text of an entry.
    stopped: str = ""
    # Whether searches go by the model because of this run.
    switched: bool = False

    def describe(self) -> str:
        """Return what was missing and what was done about it."""
        return " ".join(filter(None, (self._found(), self._refused(), self._stopped(), self._switched())))

    def describe_missing(self) -> str:
        """Return what is missing, when nothing was done about it."""
        if not self.missing:
            return self._found()
        return f"{self._of_entries()} no vector of {self.model}. This was a dry run: nothing was embedded."

    def describe_progress(self) -> str:
        """Return how far it has come."""
        done = self.embedded + self.passed_over
        return f"{self.embedded} of {self.missing} embedded with {self.model}, {max(0, self.missing - done)} to go"

    def _of_entries(self) -> str:
        return f"{self.missing} of {_entries(self.entries)} {'has' if self.missing == 1 else 'have'}"

    def _found(self) -> str:
        if self.stopped and not self.model:
            return ""
        if not self.entries:
            return f"There is no entry to embed with {self.model}."
        if not self.missing:
            return f"Every one of {_entries(self.entries)} has a vector of {self.model}."
        return f"{self.missing} of {_entries(self.entries)} had no vector of {self.model}; {self.embedded} embedded."

    def _refused(self) -> str:
        if not self.passed_over:
            return ""
        return f"{_entries(self.passed_over)} refused by the model and found by words alone ({self.refusal})."

    def _stopped(self) -> str:
        return f"The backfill stopped: {self.stopped}." if self.stopped else ""

    def _switched(self) -> str:
        return "Searches go by this model now." if self.switched else ""


def _entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number} entries"
