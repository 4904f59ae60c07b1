"""What crosses Temporal when a person decides on an entry: ids only, the text is in the store."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from temporalio import activity, workflow

from kapelle.contracts.write import request_key
from kapelle.domain.outcomes import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A decision on one entry."""

    org_id: str
    team_id: int
    entry_id: int
    source: str
    operation_id: str
    # Hexadecimal; the same operation id with another digest is refused.
    request_digest: str


def accept_id(change: Change) -> str:
    return f"accept/{request_key(change.operation_id, change.request_digest)}"


def forget_id(change: Change) -> str:
    return f"forget/{request_key(change.operation_id, change.request_digest)}"


class CurateActivities(ABC):
    """The steps of curation. Each is one transaction, idempotent by operation id."""

    @abstractmethod
    @activity.defn(name="curate.accept")
    async def accept(self, change: Change) -> Outcome:
        """Make a proposed entry curated. Accepting a curated entry changes nothing and succeeds."""

    @abstractmethod
    @activity.defn(name="curate.forget")
    async def forget(self, change: Change) -> Outcome:
        """Remove an entry and everything derived from it, and leave a tombstone."""


@workflow.defn(name="AcceptEntry")
class AcceptEntry:
    """Accepts one proposed entry."""

    @workflow.run
    async def run(self, change: Change) -> Outcome:
        raise NotImplementedError


@workflow.defn(name="ForgetEntry")
class ForgetEntry:
    """Forgets one entry."""

    @workflow.run
    async def run(self, change: Change) -> Outcome:
        raise NotImplementedError
