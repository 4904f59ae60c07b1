"""What crosses Temporal for what runs by itself on the ledger and on what was forgotten."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from temporalio import activity, workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """One round over all teams of an org."""

    org_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a round did: teams that were sealed, teams whose ledgers do not hold, histories deleted, copies let go."""

    sealed: int = 0
    broken: tuple[int, ...] = ()
    histories: int = 0
    released: int = 0


def schedule_id(org_id: str) -> str:
    """Return the id of an org's schedule; the workflows that it starts append their time to it."""
    return f"upkeep/{org_id}"


class UpkeepActivities(ABC):
    """The steps of a round. Each may run more than once: it finds nothing left to do then."""

    @abstractmethod
    @activity.defn(name="upkeep.seal")
    async def seal(self, order: Upkeep) -> Kept:
        """Prove each team's ledger and seal what is new in it; one that does not hold is named and not sealed.

        Raises:
            Unavailable: when the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="upkeep.sweep")
    async def sweep(self, order: Upkeep) -> Kept:
        """Delete histories that carry forgotten texts still, and kept copies that no hold covers any more.

        Raises:
            Unavailable: when Temporal or the database does not answer; retried.
        """


@workflow.defn(name="KeepLedger")
class KeepLedger:
    """Seals the ledgers, and clears what could not be cleared when it was forgotten."""

    @workflow.run
    async def run(self, order: Upkeep) -> Kept:
        raise NotImplementedError
