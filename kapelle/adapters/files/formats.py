"""Finds out in which format a file is, and reads it into items."""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from kapelle.adapters.files import graph, headings, mem0, notes
from kapelle.adapters.files.items import Item, UnknownFormat
from kapelle.domain.portable import LINE_BYTES


class Format(StrEnum):
    """The formats that are read."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"
    MEM0 = "mem0"
    BASIC_MEMORY = "basic-memory"
    MCP = "mcp"


UNKNOWN = f"the file is in none of the formats that can be read; name one with --format: {', '.join(Format)}"


def read(text: str, *, name: str, wanted: Format | None = None) -> tuple[Item, ...]:
    """Read a file's text. Without a format it is found by looking at the text, and by the ending of the name.

    Raises:
        UnknownFormat: it is none that can be read.
    """
    found = wanted or _recognised(text, name)
    match found:
        case Format.JSONL:
            return tuple(_lines(text))
        case Format.MARKDOWN:
            return tuple(headings.items(text))
        case Format.BASIC_MEMORY:
            if not notes.recognises(text):
                return (Item(place=name, problem="it is a note without front matter"),)
            return (notes.note(text, name, name.rpartition("/")[2].removesuffix(".md")),)
        case Format.MEM0:
            return tuple(_mem0(text))
        case Format.MCP:
            return tuple(_graph(text))


def _recognised(text: str, name: str) -> Format:
    if name.endswith((".md", ".markdown")):
        return Format.BASIC_MEMORY if notes.recognises(text) else Format.MARKDOWN
    document = _document(text)
    if document is None:
        return _recognised_line(text)
    if isinstance(document, dict) and isinstance(document.get("entities"), list):
        return Format.MCP
    if _memories(document) is not None:
        return Format.MEM0
    return _recognised_line(text)


def _recognised_line(text: str) -> Format:
    first = _document(next((line for line in text.split("\n") if line.strip()), ""))
    if isinstance(first, dict):
        if graph.recognises(first):
            return Format.MCP
        if mem0.recognises(first):
            return Format.MEM0
        if "title" in first and "body" in first:
            return Format.JSONL
    raise UnknownFormat(UNKNOWN)


def _document(text: str) -> Any:  # Any: JSON.
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _lines(text: str) -> Iterator[Item]:
    """Yield lines of ours as they are: what is wrong with one, the service says."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line.encode()) > LINE_BYTES:
            yield Item(place=f"line {number}", problem=f"it is over the limit of {LINE_BYTES} bytes")
        elif line.strip():
            yield Item(place=f"line {number}", line=line.rstrip("\r"))


def _mem0(text: str) -> Iterator[Item]:
    document = _document(text)
    memories = _memories(document)
    if memories is not None:
        yield from mem0.items(memories, _categories(document), "memory")
        return
    for place, record in _objects(text):
        yield record if isinstance(record, Item) else mem0.memory_item(record, {}, place)


def _memories(document: Any) -> list[Any] | None:  # Any: JSON.
    """Return the memories of a document: a list of them, or an object that has one as mem0 names it."""
    if isinstance(document, dict):
        document = next((document[key] for key in ("results", "memories") if isinstance(document.get(key), list)), None)
    if not isinstance(document, list) or not all(isinstance(one, dict) for one in document):
        return None
    return document if any(map(mem0.recognises, document)) else None


def _categories(document: Any) -> Mapping[str, str]:  # Any: JSON.
    found = document.get("categories") if isinstance(document, dict) else None
    named = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return {str(one.get("id")): str(one.get("name", "")) for one in named}


def _graph(text: str) -> Iterator[Item]:
    document = _document(text)
    if isinstance(document, dict) and isinstance(document.get("entities"), list):
        entities, relations = document["entities"], document.get("relations") or []
        yield from graph.items(_placed("entity", entities), _placed("relation", relations))
        return
    placed = list(_objects(text))
    yield from (record for _, record in placed if isinstance(record, Item))
    lines = [(place, record) for place, record in placed if isinstance(record, dict)]
    yield from graph.items(
        [(place, record) for place, record in lines if record.get("type") == "entity"],
        [(place, record) for place, record in lines if record.get("type") == "relation"],
    )


def _placed(word: str, records: list[Any]) -> list[graph.Placed]:
    return [(f"{word} {at}", one) for at, one in enumerate(records, start=1) if isinstance(one, dict)]


def _objects(text: str) -> Iterator[tuple[str, dict[str, Any] | Item]]:
    """Yield each line's place, and its object or what is wrong with it."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            found, place = _document(line), f"line {number}"
            wrong = Item(place=place, problem="it is not a JSON object")
            yield place, found if isinstance(found, dict) else wrong
