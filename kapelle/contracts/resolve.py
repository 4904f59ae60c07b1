"""What crosses Temporal when a person settles a conflict: ids only."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from temporalio import activity, workflow

from kapelle.contracts.write import request_key
from kapelle.domain.outcomes import Outcome

Decision = Literal["keep-both", "keep-first", "keep-second"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """A decision on one conflict. First is the older entry of the pair."""

    org_id: str
    team_id: int
    conflict_id: int
    decision: Decision
    source: str
    operation_id: str
    # Hexadecimal; the same operation id with another digest is refused.
    request_digest: str
    # The versions of the two entries that the caller looked at, with a hyphen between them; empty for any.
    seen: str = ""


def workflow_id(resolution: Resolution) -> str:
    return f"resolve/{request_key(resolution.operation_id, resolution.request_digest)}"


class ResolveActivities(ABC):
    """The one step of settling a conflict."""

    @abstractmethod
    @activity.defn(name="resolve.settle")
    async def settle(self, resolution: Resolution) -> Outcome:
        """Keep both entries and link them, or let one supersede the other. Idempotent by operation id.

        Raises:
            Unavailable: when the database does not answer; retried.
        """


@workflow.defn(name="ResolveConflict")
class ResolveConflict:
    """Settles one conflict."""

    @workflow.run
    async def run(self, resolution: Resolution) -> Outcome:
        raise NotImplementedError
