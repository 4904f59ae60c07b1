"""What crosses Temporal when all of an agent, a team or an org is forgotten: ids only."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from temporalio import activity, workflow

from kapelle.contracts.write import request_key
from kapelle.domain.outcomes import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """What to forget: of one team or of all, by one source or by all."""

    org_id: str
    # The team whose people asked; not what is purged.
    asked_in: int
    team_id: int | None
    written_by: str | None
    # What it is, in words.
    on: str
    source: str
    operation_id: str
    # Hexadecimal; the same operation id with another digest is refused.
    request_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """How far a purge has come."""

    purge: Purge
    forgotten: int = 0
    # Why it stopped, as a sentence; empty while nothing stands in the way.
    obstacle: str = ""


def workflow_id(purge: Purge) -> str:
    return f"purge/{request_key(purge.operation_id, purge.request_digest)}"


class PurgeActivities(ABC):
    """The steps of a purge. Each may run more than once: what is forgotten is not found again."""

    @abstractmethod
    @activity.defn(name="purge.some")
    async def some(self, so_far: Purged) -> Purged:
        """Forget some entries, with the histories that carried them; the count grows until none is left.

        Raises:
            Unavailable: when Temporal or the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="purge.finish")
    async def finish(self, purged: Purged) -> Outcome:
        """Record how the purge ended. Idempotent by operation id."""


@workflow.defn(name="PurgeMemory")
class PurgeMemory:
    """Forgets all of an agent, a team or an org, some at a time."""

    @workflow.run
    async def run(self, so_far: Purged) -> Outcome:
        raise NotImplementedError
