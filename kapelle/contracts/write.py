"""What crosses Temporal for a write: scan, embed, dedup, persist."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from temporalio import activity, workflow

from kapelle.domain.dedup import ConflictKind
from kapelle.domain.entries import Draft, Restored
from kapelle.domain.outcomes import Outcome
from kapelle.domain.scan import Finding, Policy

Intent = Literal["propose", "add", "edit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One draft on its way into one team's memory."""

    operation_id: str
    team_id: int
    source: str
    intent: Intent
    draft: Draft
    # Hexadecimal; the same operation id with another digest is refused.
    request_digest: str
    # The entry that an edit supersedes.
    replaces: int | None = None
    # What the team lets its memory hold.
    policy: Policy = Policy()  # noqa: RUF009 - frozen
    # What the scan at the door redacted; the rest is found again by the scan of the workflow.
    findings: tuple[Finding, ...] = ()
    # Stores the draft even if an entry says the same in other words.
    force: bool = False
    # Set for every line of an import, which cannot lift a tombstone.
    restored: Restored | None = None
    # The number of the team's last event when the request came; a text that went after it does not come back by it.
    ledger_seq: int | None = None
    # The agent whose own the entry becomes, live at once and for no other eyes; None for the team's.
    agent_id: int | None = None
    # The entry that this one was made from.
    origin: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Writes of one org that share a workflow. Each has a result of its own."""

    org_id: str
    writes: tuple[Write, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """The scan's answer for one write."""

    # Chat-ready sentence; empty when the draft may be stored.
    refusal: str = ""
    # The draft to go on with, when the scan redacted something.
    redacted: Draft | None = None
    # What was found and let pass.
    findings: tuple[Finding, ...] = ()
    # Why a person must look at the entry before anyone may read it; empty when nobody must.
    quarantine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """The vectors of one write's text, one a part: base64 of little-endian float32. Empty without an embedder."""

    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The vectors of a batch, in the order of its writes."""

    model: str = ""
    vectors: tuple[Vectors, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """An entry that a draft may repeat or contradict, for a person to decide."""

    entry_id: int
    kind: ConflictKind
    score: float
    # Names of rules; never text.
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resemblance:
    """What the team's memory holds that is close to a draft."""

    # A current entry that says the same in other words.
    same_as: int | None = None
    doubts: tuple[Doubt, ...] = ()
    # The newest entry that was looked at; what came later is compared when the draft is persisted.
    seen: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A batch with everything that persisting needs. All but `embedded.model` is in the order of its writes."""

    batch: Batch
    refusals: tuple[str, ...]
    quarantines: tuple[str, ...]
    embedded: Embedded
    resembles: tuple[Resemblance, ...]


def request_key(operation_id: str, request_digest: str) -> str:
    """Return what tells requests apart: another request under the same id must not be taken for a repetition."""
    return f"{operation_id}/{request_digest[:16]}"


def workflow_id(batch: Batch, unique: str) -> str:
    """Return the id of the batch's workflow: a lone write's is that of its request, for a repeated start to find."""
    if len(batch.writes) == 1:
        return f"write/{request_key(batch.writes[0].operation_id, batch.writes[0].request_digest)}"
    return f"write/batch/{unique}"


class WriteActivities(ABC):
    """The steps of a write. All may run more than once."""

    @abstractmethod
    @activity.defn(name="write.scan")
    async def scan(self, batch: Batch) -> tuple[Screened, ...]:
        """Judge each draft by the scan rules. Pure, so repeatable; refusals are values."""

    @abstractmethod
    @activity.defn(name="write.embed")
    async def embed(self, batch: Batch) -> Embedded:
        """Embed each draft's title and body, or answer without vectors. Never fails a write."""

    @abstractmethod
    @activity.defn(name="write.dedup")
    async def dedup(self, prepared: Prepared) -> tuple[Resemblance, ...]:
        """Compare each draft with what is near it in its team's memory, historical entries included. Reads only.

        Raises:
            Unavailable: when the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="write.persist")
    async def persist(self, prepared: Prepared) -> tuple[Outcome, ...]:
        """Store what may be stored, in one transaction under the teams' locks. Idempotent by operation id.

        Raises:
            Unavailable: when the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="write.fail")
    async def fail(self, batch: Batch) -> tuple[Outcome, ...]:
        """Record that writes could not be stored, unless their end is recorded. Idempotent by operation id."""


@workflow.defn(name="WriteMemory")
class WriteMemory:
    """Stores drafts and answers one outcome for each: a refusal is an outcome, not a failure."""

    @workflow.run
    async def run(self, batch: Batch) -> tuple[Outcome, ...]:
        raise NotImplementedError
