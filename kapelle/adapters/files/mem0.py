"""Memories as mem0 lists and exports them: `results` of its API, and the backups of OpenMemory."""

from collections.abc import Iterator, Mapping
from typing import Any

from kapelle.adapters.files.items import Item, item, kind_of, moment_of, tags_of, texts_of, title_of

_GONE = frozenset({"deleted", "archived", "paused"})


def recognises(record: Mapping[str, Any]) -> bool:
    """Tell whether an object is a memory of mem0: `memory` in its API, `content` with a `state` in its backups."""
    return isinstance(record.get("memory"), str) or (isinstance(record.get("content"), str) and "state" in record)


def items(memories: list[Any], categories: Mapping[str, str], place: str) -> Iterator[Item]:
    """Yield the memories of a list; `categories` names those that the memories refer to by id."""
    for number, memory in enumerate(memories, start=1):
        yield memory_item(memory, categories, f"{place} {number}")


def memory_item(memory: object, categories: Mapping[str, str], place: str) -> Item:
    """Return one memory as an item."""
    if not isinstance(memory, dict) or not recognises(memory):
        return Item(place=place, problem="it is not a memory with its text in memory or content")
    if (state := memory.get("state")) in _GONE:
        return Item(place=place, problem=f"it is {state} in mem0")
    text = str(memory.get("memory") or memory.get("content") or "")
    metadata = memory["metadata"] if isinstance(memory.get("metadata"), dict) else {}
    names = [*_categories(memory, categories), *texts_of(metadata.get("category")), *texts_of(metadata.get("type"))]
    return item(
        place,
        {
            "id": str(memory.get("id") or ""),
            "kind": kind_of(*names),
            "title": title_of(text),
            "body": text,
            "tags": tags_of(*names, *texts_of(metadata.get("tags"))),
            "created_at": moment_of(memory.get("created_at")),
            "valid_until": moment_of(memory.get("expiration_date")),
            "metadata": {"mem0": metadata} if metadata else {},
        },
    )


def _categories(memory: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    return [*texts_of(memory.get("categories")), *(names.get(one, "") for one in texts_of(memory.get("category_ids")))]
