"""Quality of search on a labelled set: `python -m benchmarks.retrieval PATH [PATH ...]` (see `retrieval_sets`)."""

import argparse
import asyncio
import hashlib
import math
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import numpy as np

from benchmarks.retrieval_sets import Note, Question, Set, load
from kapelle.domain.entries import Status
from kapelle.providers import embeddings as providers
from kapelle.settings import Secret, Settings
from kapelle.store import embeddings, search
from kapelle.store.pool import Pool, open_pool, tenant

_ORG = "benchmark"
_BATCH = 200
_CONFIG = Path(__file__).parent.parent / "deploy" / "litellm" / "config.yaml"
_MODES = ("keyword", "vector", "blend")

_NOTE = """
insert into ibex_core.memories (org_id, team_id, kind, title, body, status, source, operation_id, salt, created_at)
select $1, $2, 'fact', n.title, n.body, 'curated', 'person:benchmark', gen_random_uuid(), $5, '2026-01-01'
from unnest($3::text[], $4::text[]) with ordinality as n (title, body, place)
order by n.place
returning id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Means over questions that have an answer, in per cent, and what came back where nothing should."""

    recall_5: float
    recall_10: float
    mrr: float
    ndcg: float
    questions: int
    forbidden: int
    silent: float

    def __str__(self) -> str:
        """Return the line of the report."""
        line = f"R@5 {self.recall_5:5.1f}  R@10 {self.recall_10:5.1f}  MRR {self.mrr:5.1f}  nDCG {self.ndcg:5.1f}"
        return f"{line}  n={self.questions}  forbidden {self.forbidden}  unanswerable left empty {self.silent:.0f} %"


def score(asked: Sequence[tuple[Question, Sequence[str]]]) -> Scores:
    """Score the ids that each question brought, best first: recall, reciprocal rank and nDCG at 10, binary."""
    answerable = [(question.relevant, list(found[:10])) for question, found in asked if question.relevant]
    empty = [not found for question, found in asked if not question.relevant]
    count = max(1, len(answerable))
    return Scores(
        recall_5=100 * sum(len(relevant & set(found[:5])) / len(relevant) for relevant, found in answerable) / count,
        recall_10=100 * sum(len(relevant & set(found)) / len(relevant) for relevant, found in answerable) / count,
        mrr=100 * sum(_reciprocal(relevant, found) for relevant, found in answerable) / count,
        ndcg=100 * sum(_gain(relevant, found) for relevant, found in answerable) / count,
        questions=len(answerable),
        forbidden=sum(len(question.forbidden & set(found)) for question, found in asked),
        silent=100 * sum(empty) / len(empty) if empty else 100.0,
    )


def _reciprocal(relevant: frozenset[str], found: Sequence[str]) -> float:
    return next((1 / place for place, note in enumerate(found, start=1) if note in relevant), 0.0)


def _gain(relevant: frozenset[str], found: Sequence[str]) -> float:
    gained = sum(1 / math.log2(place + 1) for place, note in enumerate(found, start=1) if note in relevant)
    return gained / sum(1 / math.log2(place + 1) for place in range(1, min(10, len(relevant)) + 1))


class Vectors:
    """Vectors of texts, kept in a file between runs if a folder is given."""

    def __init__(self, embedder: providers.Embedder, folder: Path | None) -> None:
        self.embedder = embedder
        self._file = folder / "vectors.npz" if folder else None
        self._kept: dict[str, np.ndarray] = {}
        if self._file and self._file.exists():
            with np.load(self._file) as stored:
                self._kept = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    async def of_notes(self, notes: Sequence[Note]) -> list[tuple[tuple[float, ...], ...]]:
        """Return the vectors of each note; only the first part is kept in the file."""
        keys = [self._key(f"{note.title}\n{note.text}") for note in notes]
        wanted = [place for place, key in enumerate(keys) if key not in self._kept]
        made = await providers.embed_entries(self.embedder, [(notes[p].title, notes[p].text) for p in wanted])
        fresh = dict(zip(wanted, made, strict=True))
        for place, vectors in fresh.items():
            if len(vectors) == 1:
                self._kept[keys[place]] = np.array(vectors[0], dtype=np.float32)
        return [fresh.get(place) or (tuple(self._kept[key].tolist()),) for place, key in enumerate(keys)]

    async def of_query(self, text: str) -> tuple[float, ...]:
        """Return the vector of a question."""
        key = self._key(text)
        if key not in self._kept:
            (vector,) = await self.embedder.embed((text,))
            self._kept[key] = np.array(vector, dtype=np.float32)
        return tuple(self._kept[key].tolist())

    def save(self) -> None:
        """Write the file, if there is one."""
        if self._file:
            np.savez(self._file, keys=np.array(list(self._kept)), vectors=np.array(list(self._kept.values())))

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self.embedder.model}\0{text}".encode()).hexdigest()


async def store(pool: Pool, owner: str, dataset: Set, vectors: Vectors) -> dict[str, tuple[int, dict[int, str]]]:
    """Store a set, and return team id and the notes' ids by memory id for each group."""
    connection = await asyncpg.connect(owner)
    try:
        await connection.execute("insert into ibex_core.organizations values ($1, $1) on conflict do nothing", _ORG)
        teams: dict[str, tuple[int, dict[int, str]]] = {}
        for group in sorted({note.group for note in dataset.notes}):
            team_id = await connection.fetchval(
                "insert into ibex_core.teams (org_id, slug, name) values ($1, $2, $2) returning team_id",
                _ORG,
                f"set-{os.urandom(6).hex()}",
            )
            teams[group] = (team_id, {})
    finally:
        await connection.close()
    for group, (team_id, ids) in teams.items():
        notes = [note for note in dataset.notes if note.group == group]
        for start in range(0, len(notes), _BATCH):
            ids.update(await _store_batch(pool, team_id, notes[start : start + _BATCH], vectors))
    return teams


async def _store_batch(pool: Pool, team_id: int, notes: Sequence[Note], vectors: Vectors) -> dict[int, str]:
    embedded = await vectors.of_notes(notes)
    async with tenant(pool, _ORG) as conn:
        rows = await conn.fetch(_NOTE, _ORG, team_id, [n.title for n in notes], [n.text for n in notes], bytes(16))
        ids = [row["id"] for row in rows]
        await search.index(
            conn,
            org_id=_ORG,
            rows=[
                search.IndexRow(
                    memory_id=memory_id,
                    team_id=team_id,
                    status=Status.CURATED,
                    title=note.title,
                    body=note.text,
                    tags=(),
                    # Public sets repeat texts; here each note counts.
                    text_hash=hashlib.sha256(note.id.encode()).digest(),
                )
                for memory_id, note in zip(ids, notes, strict=True)
            ],
        )
        await embeddings.store(
            conn,
            org_id=_ORG,
            rows=[
                embeddings.VectorRow(
                    team_id=team_id, memory_id=memory_id, model=vectors.embedder.model, part=part, vector=vector
                )
                for memory_id, parts in zip(ids, embedded, strict=True)
                for part, vector in enumerate(parts)
            ],
        )
    return dict(zip(ids, (note.id for note in notes), strict=True))


async def ask(
    pool: Pool, question: Question, team: tuple[int, dict[int, str]], mode: str, vectors: Vectors
) -> list[str]:
    """Return the ids of the notes found, best first."""
    vector = None if mode == "keyword" else await vectors.of_query(question.text)
    request = search.SearchRequest(
        org_id=_ORG,
        team_id=team[0],
        query="" if mode == "vector" else question.text,
        vector=vector,
        model=vectors.embedder.model,
    )
    return [team[1][hit.entry.id] for hit in await search.find(pool, request)]


async def evaluate(pool: Pool, owner: str, dataset: Set, vectors: Vectors) -> None:
    """Store the set, ask everything in each mode, and print the scores by topic."""
    teams = await store(pool, owner, dataset, vectors)
    for mode in _MODES:
        by_topic: dict[str, list[tuple[Question, Sequence[str]]]] = defaultdict(list)
        for question in dataset.questions:
            found = await ask(pool, question, teams[question.group], mode, vectors)
            by_topic[question.topic].append((question, found))
        everything = [item for items in by_topic.values() for item in items]
        print(f"{dataset.name:12} {mode:8} {score(everything)}")
        for topic, items in sorted(by_topic.items()) if len(by_topic) > 1 else ():
            print(f"  {topic:20} {score(items)}")


@contextmanager
def _database(given: tuple[str, str] | None) -> Iterator[tuple[str, str]]:
    """Yield the owner's and the product's address, of a server of its own if none is given."""
    if given:
        yield given
        return
    from tests.stack import running_servers  # noqa: PLC0415 - only then are the tests' servers wanted.

    with running_servers() as servers:
        yield servers.owner_dsn, servers.product_dsn


async def _run(owner: str, product: str, options: argparse.Namespace) -> None:
    embedder = providers.open_embedder(
        Settings(
            database_url=Secret(product),
            nats_url=Secret(""),
            payload_keys=Secret(""),
            digest_key=Secret(""),
            embed_alias=options.alias,
            litellm_config=str(options.config),
            embed_seconds=600.0,
        )
    )
    if embedder is None:
        raise SystemExit("an alias is needed")
    await embedder.warm_up()
    vectors = Vectors(embedder, options.cache)
    pool = await open_pool(product, 2)
    try:
        for path in options.paths:
            dataset = load(path)
            if options.questions:
                dataset = Set(name=dataset.name, notes=dataset.notes, questions=dataset.questions[: options.questions])
            await evaluate(pool, owner, dataset, vectors)
            vectors.save()
    finally:
        await pool.close()


def main() -> None:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, help="only the first so many of each set")
    parser.add_argument("--alias", default="embed")
    parser.add_argument("--config", type=Path, default=_CONFIG)
    parser.add_argument("--cache", type=Path, help="a folder for vectors between runs")
    parser.add_argument(
        "--database", nargs=2, metavar=("OWNER_DSN", "PRODUCT_DSN"), help="instead of servers of its own"
    )
    options = parser.parse_args()
    with _database(tuple(options.database) if options.database else None) as (owner, product):
        asyncio.run(_run(owner, product, options))


if __name__ == "__main__":
    main()
