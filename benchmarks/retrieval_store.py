"""A set in the product's store, written and asked as the product does."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import asyncpg

from benchmarks.retrieval_scores import Answer
from benchmarks.retrieval_sets import HIDDEN, Note, Question, Set
from kapelle.domain.entries import Status
from kapelle.providers.embed_parts import first_part
from kapelle.providers.embeddings import Embedder, embed_entries
from kapelle.store import embeddings, entries, search
from kapelle.store.pool import Connection, Pool, tenant

MODES = ("keyword", "vector", "blend")
_ORG = "benchmark"
_BATCH = 200

_INSERT = """
insert into ibex_core.memories
    (org_id, team_id, kind, title, body, tags, status, source, operation_id, salt, created_at, valid_from, valid_until)
select $1, $2, n.kind, n.title, n.body, string_to_array(n.tags, chr(31)), n.status, 'person:benchmark',
    gen_random_uuid(), $3, '2026-01-01', '2026-01-01', case when n.expired then '2026-01-02'::timestamptz end
from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::boolean[])
    with ordinality as n (kind, title, body, tags, status, expired, place)
order by n.place
returning id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A set that can be asked: the team of each group, and which note each entry is."""

    dataset: Set
    teams: dict[str, int]
    notes: dict[int, str]


async def store(pool: Pool, owner_dsn: str, dataset: Set, embedder: Embedder) -> Stored:
    """Store a set, a team a group, and put each note into its state."""
    groups = {note.group for note in dataset.notes} | {question.group for question in dataset.questions}
    teams = await _teams(owner_dsn, sorted(groups))
    stored = Stored(dataset=_with_forbidden(dataset), teams=teams, notes={})
    for group, team_id in teams.items():
        notes = [note for note in dataset.notes if note.group == group]
        for start in range(0, len(notes), _BATCH):
            stored.notes.update(await _store_batch(pool, team_id, notes[start : start + _BATCH], embedder))
    return stored


def _with_forbidden(dataset: Set) -> Set:
    """Forbid every question what is hidden, and what is another team's."""
    hidden = frozenset(note.id for note in dataset.notes if note.state in HIDDEN)
    groups = {note.group for note in dataset.notes}
    others = {group: frozenset(n.id for n in dataset.notes if n.group != group) for group in groups}
    questions = tuple(
        replace(question, forbidden=question.forbidden | hidden | others.get(question.group, frozenset()))
        for question in dataset.questions
    )
    return replace(dataset, questions=questions)


async def _teams(owner_dsn: str, groups: Sequence[str]) -> dict[str, int]:
    owner = await asyncpg.connect(owner_dsn)
    try:
        await owner.execute("insert into ibex_core.organizations values ($1, $1) on conflict do nothing", _ORG)
        make = "insert into ibex_core.teams (org_id, slug, name) values ($1, $2, $2) returning team_id"
        return {group: await owner.fetchval(make, _ORG, f"set-{os.urandom(6).hex()}") for group in groups}
    finally:
        await owner.close()


async def _store_batch(pool: Pool, team_id: int, notes: Sequence[Note], embedder: Embedder) -> dict[int, str]:
    vectors = await embed_entries(embedder, [(note.title, note.text) for note in notes])
    async with tenant(pool, _ORG) as conn:
        ids = await _insert(conn, team_id, notes)
        await search.index(conn, org_id=_ORG, rows=[_indexed(team_id, *pair) for pair in zip(ids, notes, strict=True)])
        rows = [
            embeddings.VectorRow(team_id=team_id, memory_id=memory_id, model=embedder.model, part=part, vector=vector)
            for memory_id, parts in zip(ids, vectors, strict=True)
            for part, vector in enumerate(parts)
        ]
        await embeddings.store(conn, org_id=_ORG, rows=rows)
        for memory_id, note in zip(ids, notes, strict=True):
            await _hide(conn, team_id, memory_id, note)
    return dict(zip(ids, (note.id for note in notes), strict=True))


async def _insert(conn: Connection, team_id: int, notes: Sequence[Note]) -> list[int]:
    rows = await conn.fetch(
        _INSERT,
        _ORG,
        team_id,
        bytes(16),
        [note.kind for note in notes],
        [note.title for note in notes],
        [note.text.replace("\0", "") for note in notes],
        ["\x1f".join(note.tags) for note in notes],
        [_status(note).value for note in notes],
        [note.state == "expired" for note in notes],
    )
    return [row["id"] for row in rows]


def _indexed(team_id: int, memory_id: int, note: Note) -> search.IndexRow:
    return search.IndexRow(
        memory_id=memory_id,
        team_id=team_id,
        status=_status(note),
        title=note.title,
        body=note.text,
        tags=note.tags,
        # Public sets repeat texts; here each note counts.
        text_hash=hashlib.sha256(note.id.encode()).digest(),
    )


def _status(note: Note) -> Status:
    return Status(note.state) if note.state in {"proposed", "quarantined"} else Status.CURATED


async def _hide(conn: Connection, team_id: int, memory_id: int, note: Note) -> None:
    if note.state == "superseded":
        await search.retire(conn, org_id=_ORG, team_id=team_id, memory_id=memory_id)
    elif note.state == "forgotten":
        await entries.delete(conn, org_id=_ORG, team_id=team_id, entry_id=memory_id)


async def ask(pool: Pool, stored: Stored, question: Question, mode: str, embedder: Embedder) -> Answer:
    """Ask the product's search: by words alone, by the vector alone, or by both."""
    vector = None
    if mode != "keyword":
        (vector,) = await embedder.embed((first_part(question.text, embedder.window),))
    hits = await search.find(
        pool,
        search.SearchRequest(
            org_id=_ORG,
            team_id=stored.teams[question.group],
            query="" if mode == "vector" else question.text,
            vector=vector,
            model=embedder.model,
        ),
    )
    found = tuple(stored.notes[hit.entry.id] for hit in hits)
    return Answer(question=question, found=found, clear=any(hit.why.clear for hit in hits))
