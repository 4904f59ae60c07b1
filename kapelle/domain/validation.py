"""The limits of what a caller may send. Every door and every import goes through these functions."""

import json
import re
import unicodedata
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from kapelle.domain.entries import Draft, Kind, Span
from kapelle.domain.errors import InvalidRequest

TITLE_CHARACTERS = 200
BODY_BYTES = 65_536
TAGS = 20
TAG_CHARACTERS = 50
QUERY_BYTES = 131_072
REQUEST_ID_CHARACTERS = 200
REASON_CHARACTERS = 500
METADATA_BYTES = 8_192
METADATA_DEPTH = 8
SOURCE_CHARACTERS = 500
LARGEST_PLACE = 2**31 - 1
LARGEST_ID = 2**63 - 1
# A year, which no operation lasts.
LONGEST_SECONDS = 31_536_000

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_PERSON = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}")
_AGENT = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
_HOST = re.compile(r"(?=.{1,253}$)(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
_VERSION = re.compile(r"|[0-9a-f]{16}(-[0-9a-f]{16})?")
_KINDS = ", ".join(Kind)
# Letters and symbols that show nothing: fillers of Hangul, the empty Braille cell.
_BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
# Categories whose characters show nothing by themselves: controls, format characters, spaces, combining marks.
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Zs", "Zl", "Zp", "Mn", "Me"})


def storable(name: str, value: object) -> str:
    """Return `value` if it is text that PostgreSQL can hold.

    Raises:
        InvalidRequest: for anything but a string, a NUL, or half a surrogate pair.
    """
    if not isinstance(value, str):
        raise InvalidRequest(f"{name} must be a string")
    if "\x00" in value:
        raise InvalidRequest(f"{name} holds a NUL character, which cannot be stored")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidRequest(f"{name} holds half a surrogate pair, which is not valid text")
    return value


def moment(name: str, value: str) -> datetime:
    """Read a time, which must name its offset.

    Raises:
        InvalidRequest: for anything else.
    """
    try:
        found: datetime | None = datetime.fromisoformat(value)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or not 1 < found.year < 9999:
        raise InvalidRequest(f"{name} must be a time with its offset, such as 2026-03-03T12:00:00Z")
    return found


def interval(valid_from: datetime | None, valid_until: datetime | None) -> None:
    """Refuse an interval of validity that holds no moment."""
    if valid_from is not None and valid_until is not None and valid_until <= valid_from:
        raise InvalidRequest("valid_until must be after valid_from")


def reason(value: str) -> str:
    """Read why something is decided: some words, on any number of lines."""
    if len(value) > REASON_CHARACTERS:
        raise InvalidRequest(f"the reason has {len(value)} characters; the limit is {REASON_CHARACTERS}")
    return value.strip()


def version(value: str) -> str:
    """Read the version of an entry, or those of two entries with a hyphen between them; empty for any."""
    if not _VERSION.fullmatch(value):
        raise InvalidRequest("the version must be one that a reply named, such as 3f2a9c0b71d4e865")
    return value


def kind(value: str) -> Kind:
    try:
        return Kind(value)
    except ValueError:
        # Only what cannot be a credential that went to the wrong place is shown again.
        shown = value if len(value) <= 20 and (value == "" or value.isalpha()) else "…"
        raise InvalidRequest(f"unknown memory kind '{shown}'; expected one of ({_KINDS})") from None


def kind_or_any(value: str) -> Kind | None:
    """Read a kind filter, in which the empty string means any kind."""
    return kind(value) if value else None


def number(name: str, value: str) -> int:
    """Read an id, a decimal string."""
    if not (value.isascii() and value.isdecimal() and len(value) <= 19 and 0 < int(value) <= LARGEST_ID):
        raise InvalidRequest(f"{name} must be a positive whole number in decimal digits, such as 12")
    return int(value)


def operation_id(value: str) -> str:
    try:
        return str(uuid.UUID(value))
    except ValueError:
        raise InvalidRequest("the operation id must be a UUID, as the reply named it") from None


def slug(value: str) -> str:
    if not _SLUG.fullmatch(value):
        raise InvalidRequest("a team's slug has 1 to 63 lower-case letters, digits and hyphens")
    return value


def person(value: str) -> str:
    if not _PERSON.fullmatch(value):
        raise InvalidRequest("a person's id has 1 to 100 letters, digits and any of . _ @ + -")
    return value


def agent_name(value: str) -> str:
    if not _AGENT.fullmatch(value):
        raise InvalidRequest("an agent's name has 1 to 63 lower-case letters, digits and any of . _ -")
    return value


def host(value: str) -> str:
    """Read a host of the allowlist: exact, or `*.` before the one that all others end with."""
    if not _HOST.fullmatch(value.strip().lower()):
        raise InvalidRequest(
            "a host looks like wiki.example.com, or *.example.com for all below it, without scheme or path"
        )
    return value.strip().lower()


def query(value: str) -> str:
    if len(value.encode()) > QUERY_BYTES:
        raise InvalidRequest(f"the query is over the limit of {QUERY_BYTES} bytes")
    return value


def draft(kind_text: str, title: str, body: str, tags_csv: str) -> Draft:
    """Read the parts of an entry.

    Raises:
        InvalidRequest: naming the field and its limit.
    """
    return Draft(kind=kind(kind_text), title=_title(title), body=_body(body), tags=_tags(tags_csv))


def _blank(text: str) -> bool:
    return all(character in _BLANKS or unicodedata.category(character) in _UNSEEN for character in text)


def _title(value: str) -> str:
    title = value.strip()
    if _blank(title):
        raise InvalidRequest("the title is empty")
    if len(title) > TITLE_CHARACTERS:
        raise InvalidRequest(f"the title has {len(title)} characters; the limit is {TITLE_CHARACTERS}")
    if len(title.splitlines()) > 1:
        raise InvalidRequest("the title must be one line")
    return title


def _body(value: str) -> str:
    if _blank(value):
        raise InvalidRequest("the body is empty")
    size = len(value.encode())
    if size > BODY_BYTES:
        raise InvalidRequest(f"the body has {size} bytes; the limit is {BODY_BYTES}")
    return value


def _tags(csv: str) -> tuple[str, ...]:
    tags = tuple(dict.fromkeys(tag for part in csv.split(",") if (tag := part.strip())))
    if len(tags) > TAGS:
        raise InvalidRequest(f"there are {len(tags)} tags; the limit is {TAGS}")
    if any(len(tag) > TAG_CHARACTERS for tag in tags):
        raise InvalidRequest(f"a tag is over the limit of {TAG_CHARACTERS} characters")
    if any(len(tag.splitlines()) > 1 or not tag.isprintable() for tag in tags):
        raise InvalidRequest("a tag must be one line of printable characters")
    return tags


def metadata(value: Mapping[str, Any]) -> str:
    """Return a JSON object in canonical form, and the empty string for an empty one.

    Raises:
        InvalidRequest: naming the limit.
    """
    if not value:
        return ""
    if _depth(value) > METADATA_DEPTH:
        raise InvalidRequest(f"the metadata are nested deeper than the limit of {METADATA_DEPTH}")
    for part in _strings(value):
        storable("the metadata", part)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
    except (ValueError, TypeError):
        raise InvalidRequest("the metadata hold a number that is none in JSON") from None
    if len(text.encode()) > METADATA_BYTES:
        raise InvalidRequest(f"the metadata have {len(text.encode())} bytes; the limit is {METADATA_BYTES}")
    return text


def _depth(value: object) -> int:
    """Count nested objects and lists, at most one more than the limit."""
    depth, level = 0, [value]
    while level and depth <= METADATA_DEPTH:
        inner = [one for one in level if isinstance(one, dict | list)]
        depth += bool(inner)
        level = [each for one in inner for each in (one.values() if isinstance(one, dict) else one)]
    return depth


def _strings(value: object) -> Iterator[str]:
    """Yield every key and every text of JSON that is not nested too deeply."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def span(source: str, start: int, end: int) -> Span:
    """Read where a text was learnt."""
    name = storable("the span's source", source).strip()
    if not name or len(name) > SOURCE_CHARACTERS or not name.isprintable():
        raise InvalidRequest(f"the span's source is one line of 1 to {SOURCE_CHARACTERS} characters")
    if not 0 <= start <= end <= LARGEST_PLACE:
        raise InvalidRequest(
            f"a span goes from a start to an end that is not before it, both from 0 to {LARGEST_PLACE}"
        )
    return Span(source=name, start=start, end=end)


def validity(start: datetime | None, end: datetime | None, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Read a half-open interval of validity, which begins `now` if it says nothing else."""
    for name, value in (("valid_from", start), ("valid_until", end)):
        if value is not None:
            reachable(name, value)
    interval(start, end)
    if end is not None and start is None and end <= now:
        raise InvalidRequest("valid_until must be in the future, unless valid_from is given")
    return start, end


def reachable(name: str, value: datetime) -> datetime:
    """Return a point in time that has an offset and that every part of the service can count with.

    Raises:
        InvalidRequest: for any other.
    """
    return moment(name, value.isoformat())
