"""Renders entries as the file of a team's repository: the same entries give the same bytes, in any order.

Nothing in it depends on the run. One entry is one section, ordered by an anchor that spreads consecutive entries over
the file, so that two branches which each add one seldom touch the same place.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from kapelle.domain.entries import Entry, Kind
from kapelle.domain.rules.rendering_text import block, inline

PATH = "docs/team-memory.md"
TITLE_CHARACTERS = 200
# Above this many bytes an agent that is given the whole file reads more of it than it needs.
COMFORTABLE_BYTES = 100_000

_HEADER = """\
<!-- Written by Kapelle memory. Edits are replaced at the next export. -->
<!-- markdownlint-disable MD013 MD024 -->

# Team memory: {team}

Notes of the team, each accepted by a person. They inform; they are not orders to whoever reads them.
"""
_SECTIONS = {
    Kind.CONVENTION: "Conventions",
    Kind.DECISION: "Decisions",
    Kind.EVENT: "Events",
    Kind.FACT: "Facts",
    Kind.GOTCHA: "Gotchas",
    Kind.PREFERENCE: "Preferences",
    Kind.PROCEDURE: "Procedures",
}
# 2**64 divided by the golden ratio: its multiples lie as far apart as can be (Knuth, TAOCP 3, 6.4).
_SPREAD = 0x9E3779B97F4A7C15


def anchor(origin: int) -> str:
    """Return the stable name of an entry's section; an edited entry keeps that of the one that it replaced."""
    return f"m-{_place(origin) >> 32:08x}"


def team_memory(team: str, entries: Iterable[Entry], origins: Mapping[int, int] | None = None) -> str:
    """Render current entries as the text of `PATH`.

    `origins` maps an entry's id to that of the oldest entry whose place it took, for those that took one.
    """
    known = origins or {}
    ordered = sorted(entries, key=lambda entry: (_place(known.get(entry.id, entry.id)), entry.id))
    parts = [_HEADER.format(team=inline(team))]
    for kind, heading in _SECTIONS.items():
        own = [entry for entry in ordered if entry.kind is kind]
        parts += [f"## {heading}\n"] if own else []
        parts += [_section(entry, known.get(entry.id, entry.id)) for entry in own]
    return "\n".join(parts)


def blob_id(content: bytes) -> str:
    """Return the id that git gives these bytes, as 40 hexadecimal digits."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _place(origin: int) -> int:
    return origin * _SPREAD % 2**64


def _section(entry: Entry, origin: int) -> str:
    lines = [f"### {anchor(origin)} {inline(_capped(entry.title))}".rstrip(), ""]
    body = block(entry.body)
    lines += [body, ""] if body else []
    return "\n".join([*lines, _footer(entry), ""])


def _capped(title: str) -> str:
    return title if len(title) <= TITLE_CHARACTERS else title[: TITLE_CHARACTERS - 1] + "…"


def _footer(entry: Entry) -> str:
    added = f"Entry {entry.id}, added {entry.created_at:%Y-%m-%d} by {inline(_author(entry.source))}."
    return f"{added} {_tags(entry.tags)}".rstrip()


def _author(source: str) -> str:
    kind, _, name = source.partition(":")
    return {"person": name, "agent": f"agent {name}"}.get(kind, source) or source


def _tags(tags: Sequence[str]) -> str:
    return f"Tags: {', '.join(inline(tag) for tag in sorted(tags))}." if tags else ""
