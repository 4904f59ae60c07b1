"""Renders entries as a compact section for the file that a repository keeps for its coding agents."""

from collections.abc import Iterable

from kapelle.domain.entries import Entry, Kind
from kapelle.domain.rules.rendering_text import INLINE_CHARACTERS, inline, normalised

_HEADINGS = {
    Kind.CONVENTION: "Conventions",
    Kind.PREFERENCE: "Preferences",
    Kind.GOTCHA: "Gotchas",
    Kind.PROCEDURE: "Procedures",
    Kind.DECISION: "Decisions",
    Kind.FACT: "Facts",
    Kind.EVENT: "Events",
}


def agents_section(team: str, entries: Iterable[Entry]) -> str:
    """Return a section with one line an entry, what tells an agent how to work first, the oldest first in each kind.

    A long body is cut, and the line says by which number the whole of it is found.
    """
    known = sorted(entries, key=lambda entry: entry.id)
    parts = [f"## Team memory: {inline(team)}", "Notes of the team, each accepted by a person."]
    for kind, heading in _HEADINGS.items():
        lines = [_line(entry) for entry in known if entry.kind is kind]
        parts += [f"### {heading}", "\n".join(lines)] if lines else []
    return "\n\n".join(parts) + "\n"


def _line(entry: Entry) -> str:
    body = " ".join(normalised(entry.body).split())
    if len(body) <= INLINE_CHARACTERS:
        return f"- {inline(entry.title)}: {inline(body)}"
    cut = body[:INLINE_CHARACTERS].rpartition(" ")[0] or body[:INLINE_CHARACTERS]
    return f"- {inline(entry.title)}: {inline(cut)} … (entry {entry.id})"
