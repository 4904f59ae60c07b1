"""Entries on one line of JSON each: all that a team knows of an entry, for taking it out and bringing it back."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from kapelle.domain import validation
from kapelle.domain.entries import Draft, Kind, Restored, Status
from kapelle.domain.errors import InvalidRequest

# The largest line that is read: a body of 64 KiB may be six times as long with every character escaped.
LINE_BYTES = 458_752
METADATA_BYTES = 8192
LINKS = 100
NAME_CHARACTERS = 200
LINK_KINDS = frozenset({"supersedes", "contradicts", "refines", "duplicates", "relates_to", "derived_from"})

_KINDS = tuple(map(str, Kind))
_SOURCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A relationship to the entry of another line. `kind` is one of `LINK_KINDS`, `to` the other line's name."""

    kind: str
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line. `name` is what the references of other lines call it; empty where none can."""

    draft: Draft
    restored: Restored
    name: str = ""
    links: tuple[Reference, ...] = ()


def written(record: Record) -> str:
    """Return a record as one line of JSON, without the line break."""
    restored = record.restored
    fields = {
        "id": record.name,
        "kind": record.draft.kind,
        "title": record.draft.title,
        "body": record.draft.body,
        "tags": record.draft.tags,
        "status": restored.status,
        "source": restored.source,
        "created_at": _stamp(restored.created_at),
        "accepted_at": _stamp(restored.accepted_at),
        "accepted_by": restored.accepted_by,
        "valid_from": _stamp(restored.valid_from),
        "valid_until": _stamp(restored.valid_until),
        "confidence": restored.confidence,
        "pinned": restored.pinned,
        "labels": dict(restored.labels),
        "metadata": json.loads(restored.metadata),
        "current": restored.current,
        "links": [{"kind": link.kind, "to": link.to} for link in record.links],
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _stamp(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def read(line: str) -> Record:
    """Read one line. Whatever is left out is as for a new entry.

    Raises:
        InvalidRequest: naming the field and its limit, never its value.
    """
    fields = _Fields(_object(line))
    draft = validation.draft(_kind(fields.text("kind")), fields.text("title"), fields.text("body"), _tags(fields))
    return Record(draft=draft, restored=_restored(fields, draft.kind), name=_name(fields), links=_links(fields))


def _kind(text: str) -> Kind:
    """Read a kind. What is none is not quoted, since the message is kept."""
    if text not in _KINDS:
        raise InvalidRequest(f"unknown memory kind; expected one of ({', '.join(_KINDS)})")
    return Kind(text)


def _object(line: str) -> dict[str, Any]:
    if len(line.encode("utf-8", "surrogatepass")) > LINE_BYTES:
        raise InvalidRequest(f"the line is over the limit of {LINE_BYTES} bytes")
    try:
        found = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise InvalidRequest("the line is not valid JSON") from None
    if not isinstance(found, dict):
        raise InvalidRequest("the line must be a JSON object")
    return found


def _no_constant(name: str) -> object:
    """Refuse NaN and the infinities, which are not JSON."""
    raise ValueError(name)


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of a line, read strictly. An absent field and a null are the same."""

    found: Mapping[str, Any]

    def text(self, name: str) -> str:
        return validation.storable(name, self.found.get(name, ""))

    def maybe(self, name: str) -> str | None:
        value = self.found.get(name)
        return None if value is None or value == "" else validation.storable(name, value)

    def moment(self, name: str) -> datetime | None:
        text = self.maybe(name)
        if text is None:
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None or not 1 < moment.year < 9999:
            raise InvalidRequest(f"{name} must be a time with its offset, such as 2026-01-31T12:00:00Z")
        return moment

    def principal(self, name: str) -> str | None:
        text = self.maybe(name)
        if text is not None and not _SOURCE.fullmatch(text):
            raise InvalidRequest(f"{name} must be a name such as person:ada, of at most 200 characters")
        return text

    def share(self, name: str, default: float) -> float:
        return default if (value := self.found.get(name)) is None else _share(name, value)

    def switch(self, name: str, *, default: bool) -> bool:
        value = self.found.get(name)
        if value is not None and not isinstance(value, bool):
            raise InvalidRequest(f"{name} must be true or false")
        return default if value is None else value

    def of(self, name: str, kind: type[list[Any]] | type[dict[str, Any]]) -> Any:  # Any: JSON.
        value = self.found.get(name)
        if value is not None and not isinstance(value, kind):
            raise InvalidRequest(f"{name} must be a {'list' if kind is list else 'JSON object'}")
        return kind() if value is None else value


def _share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidRequest(f"{name} must be a number from 0 to 1")
    return float(value)


def _tags(fields: _Fields) -> str:
    tags = [validation.storable("a tag", tag) for tag in fields.of("tags", list)]
    if any("," in tag for tag in tags):
        raise InvalidRequest("a tag cannot hold a comma")
    return ",".join(tags)


def _name(fields: _Fields) -> str:
    value = fields.found.get("id")
    name = str(value) if isinstance(value, int) and not isinstance(value, bool) else fields.maybe("id") or ""
    if len(name) > NAME_CHARACTERS:
        raise InvalidRequest(f"id is over the limit of {NAME_CHARACTERS} characters")
    return name


def _links(fields: _Fields) -> tuple[Reference, ...]:
    found = fields.of("links", list)
    if len(found) > LINKS:
        raise InvalidRequest(f"there are {len(found)} links; the limit is {LINKS}")
    return tuple(map(_link, found))


def _link(value: object) -> Reference:
    if not isinstance(value, dict) or value.get("kind") not in LINK_KINDS:
        raise InvalidRequest(f"each of links needs a kind of ({', '.join(sorted(LINK_KINDS))}) and what it is to")
    to = value.get("to")
    name = validation.storable("the end of a link", str(to) if isinstance(to, int) else to)
    return Reference(kind=value["kind"], to=name[:NAME_CHARACTERS])


def _restored(fields: _Fields, kind: Kind) -> Restored:
    status = fields.maybe("status")
    if status not in {None, Status.PROPOSED, Status.CURATED}:
        raise InvalidRequest("status must be proposed or curated")
    valid_from, valid_until = fields.moment("valid_from"), fields.moment("valid_until")
    created_at = fields.moment("created_at")
    if valid_until is not None and (begins := valid_from or created_at) is not None and valid_until <= begins:
        raise InvalidRequest("valid_until must be after valid_from")
    return Restored(
        status=None if status is None else Status(status),
        source=fields.principal("source"),
        created_at=created_at,
        accepted_at=fields.moment("accepted_at"),
        accepted_by=fields.principal("accepted_by"),
        valid_from=valid_from,
        valid_until=valid_until,
        confidence=fields.share("confidence", 1.0),
        pinned=fields.switch("pinned", default=False),
        labels=_labels(fields, kind),
        metadata=_metadata(fields),
        current=fields.switch("current", default=True),
    )


def _labels(fields: _Fields, kind: Kind) -> tuple[tuple[Kind, float], ...]:
    """Read the labels, of which the kind must be one of the surest: the store keeps it so."""
    found = {_kind(label): _share("a label's confidence", share) for label, share in _items(fields)}
    if found and found.get(kind, -1.0) < max(found.values()):
        raise InvalidRequest("kind must be the surest of labels")
    return tuple(found.items())


def _items(fields: _Fields) -> Iterator[tuple[str, object]]:
    for label, share in fields.of("labels", dict).items():
        yield validation.storable("a label", label), share


def _metadata(fields: _Fields) -> str:
    found = fields.of("metadata", dict)
    for text in texts(found):
        validation.storable("metadata", text)
    metadata = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    if len(metadata.encode()) > METADATA_BYTES:
        raise InvalidRequest(f"metadata is over the limit of {METADATA_BYTES} bytes")
    return metadata


def texts(value: object) -> Iterator[str]:
    """Yield every text in a JSON value, the keys of objects included."""
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from texts(one)
        case dict():
            for key, one in value.items():
                yield key
                yield from texts(one)
