"""Puts results into the words of the command contract: one line of text, and entries where there are some."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from kapelle.domain.ledger import Event
from kapelle.operations.results import (
    Doubt,
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
    Unfinished,
    Written,
)

Words = tuple[str, tuple[str, ...] | None]


def words(result: Result) -> Words:
    """Return the reply's text and entries; the entries are None for operations that have none."""
    kind = type(result)
    return _TEXTS[kind](result), _LINES[kind](result) if kind in _LINES else None


def entry_ids(result: Result) -> tuple[int, ...] | None:
    """Return the ids of a result's entries, for callers that asked for them beside the rendered entries."""
    match result:
        case Found(entries=entries) | Listed(entries=entries) | Exported(entries=entries):
            return tuple(entry.id for entry in entries)
        case _:
            return None


def versions(result: Result) -> tuple[str, ...] | None:
    """Return the versions of a result's entries, or pairs of them, by which a decision says what it is about."""
    match result:
        case Found(entries=entries) | Listed(entries=entries) | Exported(entries=entries):
            return tuple(entry.version for entry in entries)
        case Shown(entry=entry):
            return (entry.version,)
        case InConflict(pairs=pairs):
            return tuple(f"{pair.first.version}-{pair.second.version}" for pair in pairs)
        case _:
            return None


def conflicts(result: Result) -> tuple[str, ...] | None:
    """Return the open conflicts of a shown entry, one line each."""
    return tuple(map(_doubt, result.doubts)) if isinstance(result, Shown) else None


def count(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries} entries"


def _plural(number: int, one: str) -> str:
    return f"1 {one}" if number == 1 else f"{number} {one}s"


def _rendered(result: Found | Listed | Exported) -> tuple[str, ...]:
    return tuple(entry.render() for entry in result.entries)


def _exported(exported: Exported) -> str:
    obstacle = f" (no pull request: {exported.obstacle})" if exported.obstacle else ""
    return f"{count(len(exported.entries))} exported{obstacle}"


def _operated(operated: Operated) -> str:
    name = f"Operation {operated.operation_id}"
    if operated.outcome is None or operated.state == "cancelled":
        return f"{name} {operated.state}"
    state = "completed" if operated.outcome.ok else "failed"
    return f"{name} {state}: {operated.outcome.describe()}"


def _history(history: History) -> tuple[str, ...]:
    return tuple(
        f"{_event(event)}: {history.reason}" if history.reason and event.event == "rejected" else _event(event)
        for event in history.events
    )


def _unfinished(operated: Operated) -> str:
    return f"{_moment(operated.started_at)} {operated.name} {operated.state}: {operated.operation_id}"


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _event(event: Event) -> str:
    other = f" (entry {event.other_id})" if event.other_id else ""
    return f"{_moment(event.happened_at)} {event.event} by {event.actor}{other}"


def _doubt(doubt: Doubt) -> str:
    return f"{_conflict(doubt)} with entry {doubt.other_id}"


def _conflict(one: Pair | Doubt) -> str:
    why = f": {', '.join(one.reasons)}" if one.reasons else ""
    return f"Conflict {one.conflict_id} ({one.kind.replace('_', ' ')}, {one.score:.2f}{why})"


def _pair(pair: Pair) -> str:
    head = f"{_conflict(pair)} between entries {pair.first.id} and {pair.second.id}"
    return f"{head}\n{pair.first.render()}\n{pair.second.render()}"


_TEXTS: dict[type[Result], Callable[[Any], str]] = {
    Found: lambda found: f"{count(len(found.entries))} found",
    Listed: lambda listed: count(len(listed.entries)),
    Exported: _exported,
    Shown: lambda shown: shown.entry.render(),
    Written: lambda written: written.outcome.describe(),
    Running: lambda running: f"Still running as operation {running.operation_id}. {running.progress}".rstrip(),
    Operated: _operated,
    Unfinished: lambda unfinished: f"{_plural(len(unfinished.operations), 'operation')} not finished",
    History: lambda history: f"Entry {history.entry_id} has {_plural(len(history.events), 'event')}",
    Rated: Rated.describe,
    InConflict: lambda conflicts: _plural(len(conflicts.pairs), "conflict"),
    Told: lambda told: told.text,
}
_LINES: dict[type[Result], Callable[[Any], tuple[str, ...] | None]] = {
    Found: _rendered,
    Listed: _rendered,
    Exported: _rendered,
    History: _history,
    InConflict: lambda conflicts: tuple(map(_pair, conflicts.pairs)),
    Unfinished: lambda unfinished: tuple(map(_unfinished, unfinished.operations)),
    Told: lambda told: told.lines,
}
