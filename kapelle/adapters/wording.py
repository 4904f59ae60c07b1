"""Puts results into the words of the command contract: one line of text, and entries where there are some."""

from datetime import UTC

from kapelle.domain.entries import Entry
from kapelle.domain.ledger import Event
from kapelle.operations.results import (
    Exported,
    Found,
    History,
    InConflict,
    Listed,
    Operated,
    Pair,
    Rated,
    Result,
    Running,
    Shown,
    Told,
    Written,
)

Words = tuple[str, tuple[str, ...] | None]


def words(result: Result) -> Words:  # noqa: PLR0911 - one return a kind of result
    """Return the reply's text and entries; the entries are None for operations that have none."""
    match result:
        case Found(entries=entries):
            return f"{count(len(entries))} found", _rendered(entries)
        case Listed(entries=entries):
            return count(len(entries)), _rendered(entries)
        case Exported(entries=entries):
            return f"{count(len(entries))} exported", _rendered(entries)
        case Shown(entry=entry):
            return entry.render(), None
        case Written(outcome=outcome):
            return outcome.describe(), None
        case Running(operation_id=operation_id):
            return f"Still running as operation {operation_id}.", None
        case Operated():
            return _operated(result), None
        case History(entry_id=entry_id, events=events):
            many = "1 event" if len(events) == 1 else f"{len(events)} events"
            return f"Entry {entry_id} has {many}", tuple(map(_event, events))
        case Rated():
            return f"Entry {result.entry_id}: {result.helpful} helpful, {result.unhelpful} unhelpful.", None
        case InConflict(pairs=pairs):
            return "1 conflict" if len(pairs) == 1 else f"{len(pairs)} conflicts", tuple(map(_pair, pairs))
        case Told(text=text, lines=lines):
            return text, lines


def count(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries} entries"


def _rendered(entries: tuple[Entry, ...]) -> tuple[str, ...]:
    return tuple(entry.render() for entry in entries)


def _operated(operated: Operated) -> str:
    name = f"Operation {operated.operation_id}"
    if operated.outcome is None:
        return f"{name} running"
    state = "completed" if operated.outcome.ok else "failed"
    return f"{name} {state}: {operated.outcome.describe()}"


def _event(event: Event) -> str:
    at = event.happened_at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    other = f" (entry {event.other_id})" if event.other_id else ""
    return f"{at} {event.event} by {event.actor}{other}"


def _pair(pair: Pair) -> str:
    why = f": {', '.join(pair.reasons)}" if pair.reasons else ""
    kind = pair.kind.replace("_", " ")
    head = f"Conflict {pair.conflict_id} ({kind}, {pair.score:.2f}{why}) between entries {pair.first.id} and {pair.second.id}"
    return f"{head}\n{pair.first.render()}\n{pair.second.render()}"
