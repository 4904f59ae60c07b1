"""What crosses Temporal for an import: ids and counts. The lines themselves wait in the store."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from temporalio import activity, workflow

from kapelle.contracts.write import Write


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One file on its way into one team's memory."""

    org_id: str
    team_id: int
    import_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Some waiting lines of an import, by their numbers."""

    of: Import
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an import has come, in lines. `lines` is the whole file's; what is in no other count has not arrived."""

    lines: int
    waiting: int = 0
    created: int = 0
    duplicate: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def done(self) -> int:
        return self.created + self.duplicate + self.refused + self.failed

    @property
    def finished(self) -> bool:
        return self.done >= self.lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A line as it waits in the store: scanned, and never part of a history."""

    write: Write
    # Why a person must look at the entry before anyone may read it; empty when nobody must.
    quarantine: str = ""


def workflow_id(one: Import) -> str:
    return f"import/{one.team_id}/{one.import_id}"


class ImportActivities(ABC):
    """The steps of an import. All may run more than once: each write has an operation id of its own."""

    @abstractmethod
    @activity.defn(name="import.next")
    async def next(self, one: Import) -> Lines:
        """Return the lines that wait and come next, in the order of the file. Reads only.

        Raises:
            Unavailable: when the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="import.store")
    async def store(self, lines: Lines) -> Progress:
        """Embed, compare and persist these lines as every write is, and record what became of each.

        With the last line of the file come the relationships between its entries.

        Idempotent by the operation ids of the lines; those that do not wait any more are left alone.

        Raises:
            Unavailable: when the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="import.fail")
    async def fail(self, lines: Lines) -> Progress:
        """Record that these lines could not be stored, unless they do not wait any more."""


@workflow.defn(name="ImportMemory")
class ImportMemory:
    """Takes an import's lines into the memory, batch by batch, as long as lines arrive."""

    @workflow.run
    async def run(self, one: Import) -> Progress:
        raise NotImplementedError

    @workflow.signal(name="arrived")
    def arrived(self) -> None:
        """Say that more lines wait."""
        raise NotImplementedError
