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
    # The version of the entry that the caller looked at; empty for any.
    seen: str = ""
    # Why a proposal is rejected, as a person said it. The one text that a decision carries.
    reason: str = ""
    # Whether the caller may decide on what is quarantined.
    maintains: bool = False
    # The agent that asks: it may decide on entries of its own, too.
    agent_id: int | None = None


def accept_id(change: Change) -> str:
    return f"accept/{request_key(change.operation_id, change.request_digest)}"


def forget_id(change: Change) -> str:
    return f"forget/{request_key(change.operation_id, change.request_digest)}"


def reject_id(change: Change) -> str:
    return f"reject/{request_key(change.operation_id, change.request_digest)}"


class CurateActivities(ABC):
    """The steps of curation. Each is one transaction, idempotent by operation id."""

    @abstractmethod
    @activity.defn(name="curate.accept")
    async def accept(self, change: Change) -> Outcome:
        """Make a proposed entry curated. Accepting a curated entry changes nothing and succeeds."""

    @abstractmethod
    @activity.defn(name="curate.forget")
    async def forget(self, change: Change) -> Outcome:
        """Remove an entry and everything derived from it, and leave a tombstone and a receipt."""

    @abstractmethod
    @activity.defn(name="curate.reject")
    async def reject(self, change: Change) -> Outcome:
        """Remove what is only proposed or quarantined as `forget` does, and keep why."""

    @abstractmethod
    @activity.defn(name="curate.clear")
    async def clear(self, change: Change) -> int:
        """Delete the histories of the workflows that carried an entry's text, and add to the receipt.

        Returns how many cannot be deleted yet, because they run. May run any number of times.

        Raises:
            Unavailable: when Temporal or the database does not answer; retried.
        """


@workflow.defn(name="AcceptEntry")
class AcceptEntry:
    """Accepts one proposed entry."""

    @workflow.run
    async def run(self, change: Change) -> Outcome:
        raise NotImplementedError


@workflow.defn(name="RejectEntry")
class RejectEntry:
    """Rejects one entry that nobody stands behind yet."""

    @workflow.run
    async def run(self, change: Change) -> Outcome:
        raise NotImplementedError


@workflow.defn(name="ForgetEntry")
class ForgetEntry:
    """Forgets one entry."""

    @workflow.run
    async def run(self, change: Change) -> Outcome:
        raise NotImplementedError
