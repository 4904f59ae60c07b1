"""What crosses Temporal when entries without a vector get one: ids and numbers only, texts stay in the store."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from temporalio import activity, workflow

from kapelle.contracts.write import request_key
from kapelle.domain.backfill import Tally
from kapelle.domain.outcomes import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A backfill of one team, or of all teams of an org; the rest is what a run leaves to the one that continues it."""

    org_id: str
    team_id: int | None = None
    # Whose order it is; empty for the schedule's.
    source: str = ""
    operation_id: str = ""
    # Hexadecimal; the same operation id with another digest is refused.
    request_digest: str = ""
    tally: Tally = Tally()  # noqa: RUF009 - frozen
    # Where to go on: teams to come, the first of them under way, and its last entry that was looked at.
    teams: tuple[int, ...] = ()
    after: int = 0
    # What was missing when the teams were last asked for; below 0 before that.
    lacking: int = -1
    # Transient failures in a row.
    failures: int = 0
    paused: bool = False


def workflow_id(order: Order) -> str:
    return f"backfill/{request_key(order.operation_id, order.request_digest)}"


def schedule_id(org_id: str) -> str:
    """Return the id of an org's schedule; the workflows that it starts append their time to it."""
    return f"backfill/{org_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What is missing. Without a model, `stopped` or `wait_seconds` says why."""

    model: str = ""
    alias: str = ""
    entries: int = 0
    missing: int = 0
    teams: tuple[int, ...] = ()
    stopped: str = ""
    wait_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A stretch of a team's entries: those after the last one that was looked at."""

    org_id: str
    team_id: int
    model: str
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Paged:
    """What became of a page."""

    after: int
    embedded: int = 0
    passed_over: int = 0
    # What the model last said to an entry that it refused.
    refusal: str = ""
    # The team has no further entry without a vector.
    finished: bool = False
    # How long to wait before going on: what the provider asked for, or 0.
    wait_seconds: float = 0.0
    # The provider failed in a way that passes; the workflow waits longer each time in a row.
    failing: str = ""
    # Going on makes no sense.
    stopped: str = ""


class BackfillActivities(ABC):
    """The steps of a backfill. Providers that limit or fail are values, so that they use up no attempt."""

    @abstractmethod
    @activity.defn(name="backfill.survey")
    async def survey(self, order: Order) -> Survey:
        """Make the wanted model known, and tell what lacks a vector of it. Repeatable.

        Raises:
            Unavailable: when the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="backfill.page")
    async def page(self, page: Page) -> Paged:
        """Embed and store some seconds' worth of entries, batch by batch, each in a transaction of its own.

        Idempotent by entry and model: what has a vector is not embedded again.

        Raises:
            Unavailable: when the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="backfill.settle")
    async def settle(self, order: Order) -> bool:
        """Let searches go by the model if it covers everything for the first time; True if it came to that.

        Idempotent by model.

        Raises:
            Unavailable: when the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="backfill.record")
    async def record(self, order: Order) -> Outcome:
        """Record how the order ended, if somebody may ask for it. Idempotent by operation id.

        Raises:
            Unavailable: when the database does not answer; retried.
        """


@workflow.defn(name="BackfillEmbeddings")
class BackfillEmbeddings:
    """Gives every entry in scope a vector of the wanted model. `pause` and `resume` are signals."""

    @workflow.run
    async def run(self, order: Order) -> Outcome:
        raise NotImplementedError

    @workflow.signal
    async def pause(self) -> None:
        """Stop after the page that is under way, until `resume`."""
        raise NotImplementedError

    @workflow.signal
    async def resume(self) -> None:
        """Go on."""
        raise NotImplementedError

    @workflow.query
    def progress(self) -> str:
        """Say how far it has come."""
        raise NotImplementedError
