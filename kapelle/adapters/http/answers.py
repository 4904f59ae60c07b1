"""What callers get, as the description of the API shows it."""

import json
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from kapelle.domain.entries import Entry, Kind, Record, Status, Visibility
from kapelle.domain.ledger import Event
from kapelle.domain.outcomes import Code
from kapelle.operations.results import Doubt, Operated, Pair, Rated, Running, Told, Written
from kapelle.store.search import Hit

State = Literal["queued", "running", "succeeded", "failed", "cancelled"]
# What an entry is after a write that ended so.
_STATUS = {
    Code.PROPOSED: "proposed",
    Code.ADDED: "curated",
    Code.ACCEPTED: "curated",
    Code.SUPERSEDED: "curated",
    Code.QUARANTINED: "quarantined",
    Code.RESOLVED: "curated",
}


class LabelAnswer(BaseModel):
    """A category with how sure it is."""

    label: Kind
    confidence: float


class SpanAnswer(BaseModel):
    """Where in a source a text was learnt."""

    source: str
    start: int
    end: int


class VotesAnswer(BaseModel):
    """The votes on an entry, and the share of helpful ones, smoothed: (helpful + 1) / (all + 2)."""

    helpful: int
    unhelpful: int
    usefulness: float = Field(examples=[0.5])


class MemoryAnswer(BaseModel):
    """One entry."""

    id: int = Field(examples=[12])
    kind: Kind
    status: Status
    visibility: Visibility
    title: str
    body: str
    version: str = Field(description="Of title and body; a decision that names it is about no other text.")
    tags: list[str]
    labels: list[LabelAnswer]
    metadata: dict[str, Any]
    confidence: float
    pinned: bool
    source: str = Field(description="Who wrote it.", examples=["agent:payments/coder"])
    agent: str | None = Field(description="Whose own it is, if it is an agent's.")
    source_span: SpanAnswer | None
    created_at: datetime
    valid_from: datetime
    valid_until: datetime | None
    current: bool = Field(description="Neither superseded nor outside of its validity.")
    superseded_by: int | None
    accepted_at: datetime | None
    accepted_by: str | None
    feedback: VotesAnswer

    @classmethod
    def of(cls, record: Record) -> "MemoryAnswer":
        entry, details = record.entry, record.details
        span = details.span
        return cls(
            id=entry.id,
            kind=entry.kind,
            status=entry.status,
            visibility=record.visibility,
            title=entry.title,
            body=entry.body,
            version=entry.version,
            tags=list(entry.tags),
            labels=[LabelAnswer(label=one.kind, confidence=one.confidence) for one in details.labels],
            metadata=json.loads(details.metadata) if details.metadata else {},
            confidence=details.confidence,
            pinned=details.pinned,
            source=entry.source,
            agent=record.agent,
            source_span=None if span is None else SpanAnswer(source=span.source, start=span.start, end=span.end),
            created_at=entry.created_at,
            valid_from=record.valid_from,
            valid_until=record.valid_until,
            current=record.current,
            superseded_by=record.superseded_by,
            accepted_at=record.accepted_at,
            accepted_by=record.accepted_by,
            feedback=VotesAnswer(helpful=record.helpful, unhelpful=record.unhelpful, usefulness=record.usefulness),
        )


class DoubtAnswer(BaseModel):
    """An open conflict of an entry."""

    id: int
    kind: str = Field(examples=["contradiction"])
    score: float
    reasons: list[str] = Field(description="Names of the rules that see a difference.")
    other_id: int = Field(description="The entry on the other side.")


class ShownMemoryAnswer(MemoryAnswer):
    """One entry with the conflicts that nobody has settled."""

    conflicts: list[DoubtAnswer]

    @classmethod
    def with_doubts(cls, record: Record, doubts: tuple[Doubt, ...]) -> "ShownMemoryAnswer":
        """Show an entry, and what speaks against it."""
        told = [
            DoubtAnswer(
                id=one.conflict_id, kind=one.kind, score=one.score, reasons=list(one.reasons), other_id=one.other_id
            )
            for one in doubts
        ]
        return cls(**MemoryAnswer.of(record).model_dump(), conflicts=told)


class HotEntryAnswer(BaseModel):
    """One entry of those that a caller needs most."""

    id: int = Field(examples=[12])
    kind: Kind
    status: Status
    title: str
    body: str
    tags: list[str]
    source: str
    created_at: datetime

    @classmethod
    def of(cls, entry: Entry) -> "HotEntryAnswer":
        return cls(
            id=entry.id,
            kind=entry.kind,
            status=entry.status,
            title=entry.title,
            body=entry.body,
            tags=list(entry.tags),
            source=entry.source,
            created_at=entry.created_at,
        )


class HotAnswer(BaseModel):
    """The best curated entries and the caller's own: pinned ones first, then by use and freshness."""

    entries: list[HotEntryAnswer]


class PageAnswer(BaseModel):
    """Entries, the newest first, and where the next page begins."""

    entries: list[MemoryAnswer]
    next_cursor: str | None = Field(description="Null on the last page.")


class WhyAnswer(BaseModel):
    """Why a hit is where it is."""

    legs: dict[str, float] = Field(
        description="What found it, each with its score in 0..1.", examples=[{"words": 0.7, "meaning": 0.8}]
    )
    relevance: float = Field(description="The legs together.")
    shifts: dict[str, float] = Field(description="Small bounded shifts.", examples=[{"feedback": 0.01}])
    score: float
    clear: bool = Field(description="Whether it clearly has to do with the question, or is only the nearest there is.")


class HitAnswer(BaseModel):
    """One entry that was found; the rank counts from 1."""

    rank: int
    entry: MemoryAnswer
    why: WhyAnswer


class FoundAnswer(BaseModel):
    """The hits, the best first, curated before proposed."""

    results: list[HitAnswer]

    @classmethod
    def of(cls, hits: tuple[Hit, ...], records: dict[int, Record]) -> "FoundAnswer":
        """Show hits. What was forgotten since it was found is left out."""
        there = [hit for hit in hits if hit.entry.id in records]
        return cls(
            results=[
                HitAnswer(rank=rank, entry=MemoryAnswer.of(records[hit.entry.id]), why=_why(hit))
                for rank, hit in enumerate(there, start=1)
            ]
        )


def _why(hit: Hit) -> WhyAnswer:
    legs = {"words": hit.why.words, "meaning": hit.why.cosine}
    return WhyAnswer(
        legs={name: score for name, score in legs.items() if score is not None},
        relevance=hit.why.relevance,
        shifts=dict(hit.why.shifts),
        score=hit.why.score,
        clear=hit.why.clear,
    )


class WriteAnswer(BaseModel):
    """What became of a write or a decision."""

    operation_id: str
    state: State
    text: str = Field(description="One sentence for people.", examples=["Entry 12 proposed."])
    id: int | None = Field(None, description="The entry; null while the write is under way.", examples=[12])
    status: Status | None = Field(None, description="The entry's, right after the write.")
    other_id: int | None = Field(None, description="The entry that was superseded, or is kept beside it.")

    @classmethod
    def of(cls, result: Written | Running, *, own: bool = False) -> "WriteAnswer":
        """Show a result by what is on record of it alone, so that a repeated request is shown the same."""
        if isinstance(result, Running):
            text = f"Still running as operation {result.operation_id}."
            return cls(operation_id=result.operation_id, state="running", text=text)
        outcome = result.outcome
        status = Status.ACTIVE if own and outcome.code is Code.ADDED else _STATUS.get(outcome.code)
        return cls(
            operation_id=result.operation_id,
            state="succeeded",
            text=outcome.describe(),
            id=outcome.entry_id,
            status=None if status is None else Status(status),
            other_id=outcome.other_id,
        )


class RatedAnswer(BaseModel):
    """All votes on an entry, after yours."""

    id: int
    feedback: VotesAnswer

    @classmethod
    def of(cls, rated: Rated) -> "RatedAnswer":
        votes = VotesAnswer(helpful=rated.helpful, unhelpful=rated.unhelpful, usefulness=rated.usefulness)
        return cls(id=rated.entry_id, feedback=votes)


class OperationAnswer(BaseModel):
    """One operation."""

    operation_id: str
    operation: str = Field(examples=["propose"])
    state: State
    started_at: datetime
    finished_at: datetime | None
    text: str | None = Field(description="How it ended, in one sentence.")
    id: int | None = Field(description="The entry that it is about, once it has ended.")

    @classmethod
    def of(cls, found: Operated) -> "OperationAnswer":
        outcome = found.outcome
        return cls(
            operation_id=found.operation_id,
            operation=found.name,
            state=found.state,
            started_at=found.started_at,
            finished_at=found.finished_at,
            text=None if outcome is None else outcome.describe(),
            id=None if outcome is None else outcome.entry_id,
        )


class OperationsAnswer(BaseModel):
    """Operations that have not ended, the oldest first."""

    operations: list[OperationAnswer]


class EventAnswer(BaseModel):
    """One thing that happened to an entry."""

    event: str = Field(examples=["accepted"])
    actor: str = Field(examples=["person:ada"])
    at: datetime
    operation_id: str
    other_id: int | None

    @classmethod
    def of(cls, event: Event) -> "EventAnswer":
        return cls(
            event=event.event,
            actor=event.actor,
            at=event.happened_at,
            operation_id=event.operation_id,
            other_id=event.other_id,
        )


class HistoryAnswer(BaseModel):
    """What happened to an entry, the oldest first."""

    id: int
    events: list[EventAnswer]


class HeldEntryAnswer(BaseModel):
    """One entry that nobody may read before a maintainer has looked at it."""

    id: int = Field(examples=[12])
    kind: Kind
    title: str
    body: str
    version: str = Field(description="Of title and body; a decision that names it is about no other text.")
    tags: list[str]
    source: str
    created_at: datetime

    @classmethod
    def of(cls, entry: Entry) -> "HeldEntryAnswer":
        return cls(
            id=entry.id,
            kind=entry.kind,
            title=entry.title,
            body=entry.body,
            version=entry.version,
            tags=list(entry.tags),
            source=entry.source,
            created_at=entry.created_at,
        )


class ConflictAnswer(BaseModel):
    """Two entries that may contradict or repeat each other; `first_id` is the older one."""

    id: int
    kind: str = Field(examples=["near_duplicate"])
    score: float
    reasons: list[str] = Field(description="Names of the rules that see a difference.")
    first_id: int
    second_id: int
    version: str = Field(description="Of both texts; a decision that names it is about no others.")

    @classmethod
    def of(cls, pair: Pair) -> "ConflictAnswer":
        return cls(
            id=pair.conflict_id,
            kind=pair.kind,
            score=pair.score,
            reasons=list(pair.reasons),
            first_id=pair.first.id,
            second_id=pair.second.id,
            version=f"{pair.first.version}-{pair.second.version}",
        )


class ConflictsAnswer(BaseModel):
    """Open conflicts, the most pressing first."""

    conflicts: list[ConflictAnswer]


class QuarantinedAnswer(BaseModel):
    """Entries that wait for a maintainer, the oldest first."""

    entries: list[HeldEntryAnswer]


class ToldAnswer(BaseModel):
    """A sentence, and what it rests on, line by line."""

    text: str
    lines: list[str]

    @classmethod
    def of(cls, told: Told) -> "ToldAnswer":
        return cls(text=told.text, lines=list(told.lines or ()))


class HealthAnswer(BaseModel):
    """The process is well."""

    status: Literal["ok"] = "ok"
