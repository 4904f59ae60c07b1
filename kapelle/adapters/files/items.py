"""What a file of any format is read into: items, each an entry as a line of ours, or why it is none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kapelle.domain.entries import Kind
from kapelle.domain.validation import TAG_CHARACTERS, TAGS, TITLE_CHARACTERS

# A title that is made of a text ends at a word before this many characters.
MADE_TITLE = 80
_KINDS = {str(kind): kind for kind in Kind}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of a file. `place` says where it stands; `line` is empty if `problem` says why it cannot be sent."""

    place: str
    line: str = ""
    problem: str = ""


class UnknownFormat(Exception):
    """The file is in none of the formats that can be read; the message says which there are."""


def item(place: str, fields: Mapping[str, Any]) -> Item:
    """Return an entry as an item. Empty fields are left out."""
    filled = {name: value for name, value in fields.items() if value not in (None, "", [], {})}
    return Item(place=place, line=json.dumps(filled, ensure_ascii=False, sort_keys=True))


def title_of(text: str) -> str:
    """Make a title of a text: its first line, cut at a word."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(first) <= MADE_TITLE:
        return first
    return f"{first[:MADE_TITLE].rpartition(' ')[0] or first[:MADE_TITLE]}…"


def shortened(title: str) -> str:
    """Return a title of one line within the limit."""
    line = " ".join(title.split())
    return line if len(line) <= TITLE_CHARACTERS else f"{line[: TITLE_CHARACTERS - 1]}…"


def kind_of(*words: object) -> Kind:
    """Return the first of our kinds that a word names, in singular or plural; a fact if none does."""
    for word in words:
        if isinstance(word, str) and (kind := _KINDS.get(word.strip().lower().removesuffix("s"))):
            return kind
    return Kind.FACT


def tags_of(*words: object) -> list[str]:
    """Return the words that can be tags."""
    found = [word.strip().lstrip("#") for word in words if isinstance(word, str)]
    fitting = [tag for tag in found if tag and len(tag) <= TAG_CHARACTERS and tag.isprintable() and "," not in tag]
    return list(dict.fromkeys(fitting))[:TAGS]


def moment_of(value: object) -> str | None:
    """Return a time that has an offset; other times say too little to be kept."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return None if moment.tzinfo is None else moment.isoformat()


def texts_of(value: object) -> list[str]:
    """Return the texts of a list, or of a text that commas separate."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
