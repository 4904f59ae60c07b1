"""Sets of notes and questions: the form that `python -m benchmarks.retrieval` reads, and what it converts to it."""

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One entry to be stored. `group` is its team."""

    id: str
    group: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One query, the notes that answer it (none: nothing should be found) and notes that must not be found."""

    id: str
    group: str
    text: str
    relevant: frozenset[str]
    forbidden: frozenset[str] = frozenset()
    topic: str = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """A named set."""

    name: str
    notes: tuple[Note, ...]
    questions: tuple[Question, ...]


def load(path: Path) -> Set:
    """Read a set, as `{"docs": [{id, group, title, text}], "queries": [{id, group, text, rel}]}`, perhaps gzipped."""
    raw = path.read_bytes()
    content: Any = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)  # What JSON holds.
    return Set(
        name=path.name.split(".")[0], notes=tuple(_notes(content["docs"])), questions=tuple(_asked(content["queries"]))
    )


def _notes(docs: Iterable[Any]) -> Iterable[Note]:
    for doc in docs:
        yield Note(id=str(doc["id"]), group=str(doc["group"]), title=doc["title"], text=doc["text"])


def _asked(queries: Iterable[Any]) -> Iterable[Question]:
    for query in queries:
        yield Question(
            id=str(query["id"]),
            group=str(query["group"]),
            text=query["text"],
            relevant=frozenset(map(str, query["rel"])),
            forbidden=frozenset(map(str, query.get("forbidden", ()))),
            topic=query.get("topic", "all"),
        )
