"""What callers send, as the description of the API shows it. Limits of texts are the domain's, and checked there."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt
from pydantic.config import JsonDict

from kapelle.domain import validation
from kapelle.domain.entries import Details, Draft, Kind, Label, Visibility
from kapelle.domain.errors import InvalidRequest
from kapelle.domain.rules import ranking
from kapelle.operations.search import Wanted
from kapelle.store.search import DEFAULT_LIMIT, HIGHEST_LIMIT

BULK_ITEMS = 100

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)")


def _timestamp(value: object) -> object:
    """Let through only what is written as RFC 3339 has it, with its offset; numbers would be guessed at."""
    if not (isinstance(value, str) and _MOMENT.fullmatch(value)) and not isinstance(value, datetime):
        raise ValueError("a time is written with its offset, such as 2026-03-03T12:00:00Z")
    return value


Moment = Annotated[AwareDatetime, BeforeValidator(_timestamp)]
Version = Annotated[str | None, Field(max_length=40, description="As the answer that was reviewed named it.")]
# A JSON number; a text that looks like one is not taken for it.
Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]


class Body(BaseModel):
    """A body knows all its fields: what is misspelt is told, not left out."""

    model_config = ConfigDict(extra="forbid")


class Claims(Body):
    """Who asks is said by the token. A body may say it again, and is refused if it says something else."""

    org_id: str | None = Field(None, max_length=200)
    agent_id: str | None = Field(None, max_length=200, description="Such as payments/coder.")
    team: str | None = Field(None, max_length=200)


class LabelBody(Body):
    """A category beside the kind."""

    label: Kind
    confidence: Share = 1.0


class SpanBody(Body):
    """Where in a source the text was learnt, both ends included."""

    source: str = Field(max_length=2000, examples=["docs/webhooks.md"])
    start: StrictInt = Field(ge=0, le=validation.LARGEST_PLACE, examples=[10])
    end: StrictInt = Field(ge=0, le=validation.LARGEST_PLACE, examples=[14])


class Text(Claims):
    """An entry's text and what is said about it."""

    kind: Kind = Field(examples=["gotcha"])
    title: str = Field(description=f"One line of at most {validation.TITLE_CHARACTERS} characters.")
    body: str = Field(description=f"At most {validation.BODY_BYTES} bytes.")
    tags: list[str] = Field([], max_length=200, description=f"At most {validation.TAGS}.")
    labels: list[LabelBody] = Field([], max_length=len(Kind), description="The surest becomes the kind.")
    metadata: dict[str, Any] = Field({}, description=f"At most {validation.METADATA_BYTES} bytes of JSON.")
    confidence: Share = 1.0
    pinned: StrictBool = False
    valid_from: Moment | None = Field(None, description="From the moment of writing on, if left out.")
    valid_until: Moment | None = Field(None, description="The entry holds before this moment; for good, if left out.")
    source_span: SpanBody | None = None

    def validity(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """Return from when on and until when the entry holds. Raises `InvalidRequest` for no interval."""
        return validation.validity(self.valid_from, self.valid_until, now)

    def draft(self) -> Draft:
        """Return the draft.

        Raises:
            InvalidRequest: naming the field and its limit.
        """
        if any("," in tag for tag in self.tags):
            raise InvalidRequest("a tag must not hold a comma")
        for name, text in (("title", self.title), ("body", self.body), *(("a tag", tag) for tag in self.tags)):
            validation.storable(name, text)
        draft = validation.draft(self.kind, self.title, self.body, ",".join(self.tags))
        return Draft(kind=draft.kind, title=draft.title, body=draft.body, tags=draft.tags, details=self._details())

    def _details(self) -> Details:
        if len({label.label for label in self.labels}) < len(self.labels):
            raise InvalidRequest("a label is given twice")
        span = self.source_span
        return Details(
            labels=tuple(Label(kind=label.label, confidence=label.confidence) for label in self.labels),
            metadata=validation.metadata(self.metadata),
            confidence=self.confidence,
            pinned=self.pinned,
            span=None if span is None else validation.span(span.source, span.start, span.end),
        )


_EXAMPLE: JsonDict = {
    "kind": "gotcha",
    "title": "Webhook retries",
    "body": "The payments webhook retries 3 times with a delay of 10 seconds.",
    "tags": ["payments", "webhooks"],
    "confidence": 0.9,
    "source_span": {"source": "docs/webhooks.md", "start": 10, "end": 14},
}


class NewMemory(Text):
    """An entry to store."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    visibility: Visibility = Field(
        Visibility.TEAM,
        description="team: for everybody in it, after review. agent: live at once, for this agent alone.",
    )
    status: Literal["proposed", "curated"] = Field(
        "proposed", description="curated takes a person with the scope curate, and needs no review."
    )
    force: StrictBool = Field(
        default=False, description="Store it although an entry says the same in other words; for people."
    )


class BulkBody(Claims):
    """Entries to store, each on its own."""

    items: list[NewMemory] = Field(min_length=1, max_length=BULK_ITEMS)


class SearchBody(Claims):
    """What to look for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "webhook retries", "limit": 5}]})

    query: str = Field(description=f"At most {validation.QUERY_BYTES} bytes.")
    limit: StrictInt = Field(DEFAULT_LIMIT, ge=1, le=HIGHEST_LIMIT)
    kinds: list[Kind] = Field([], max_length=len(Kind))
    tags: list[str] = Field([], max_length=validation.TAGS, description="Entries that have all of them.")
    min_similarity: Share = Field(ranking.JUNK, description="Least relevance of what was compared by meaning.")
    as_of: Moment | None = Field(None, description="The moment whose validity counts; now, if left out.")
    include_proposed: StrictBool = True

    def wanted(self) -> Wanted:
        """Return what to look for. Raises `InvalidRequest` for what cannot be stored and so not be found."""
        return Wanted(
            kinds=tuple(self.kinds),
            tags=tuple(validation.storable("a tag", tag) for tag in self.tags),
            limit=self.limit,
            include_proposed=self.include_proposed,
            min_similarity=self.min_similarity,
        )


class FeedbackBody(Claims):
    """One vote a caller, which can be changed."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"vote": "helpful"}]})

    vote: Literal["helpful", "unhelpful"]


class ResolveBody(Claims):
    """How a conflict is settled. The first entry of a conflict is the older one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"decision": "keep-second"}]})

    decision: Literal["keep-both", "keep-first", "keep-second"]
    version: Version = None


class AcceptBody(Claims):
    """The text that was reviewed."""

    version: Version = None


class RejectBody(AcceptBody):
    """Why an entry is rejected, and the text that was reviewed."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "Only true for one service."}]})

    reason: str | None = Field(None, description="Kept in the entry's history; its text is not.")


class NoBody(Claims):
    """Nothing but, if anything, who asks."""
