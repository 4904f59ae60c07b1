"""Search beside mem0 and LangGraph's store, on the same vectors: `python -m benchmarks.peers --python P [PATH ...]`.

P is the interpreter of an environment of their own:
`python -m venv peers && peers/bin/pip install --no-deps --requirement benchmarks/peers-requirements.txt`, once more
without `--no-deps` if a dependency is missing. Without a path, the product's own set is used.
"""

import argparse
import asyncio
import json
import os
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import numpy as np

from benchmarks.eval import OWN, bundled_embedder, database
from benchmarks.kept_vectors import KeptVectors
from benchmarks.retrieval_scores import Answer, score
from benchmarks.retrieval_sets import HIDDEN, Note, Set, load
from benchmarks.retrieval_store import ask, store
from kapelle.providers.embeddings import Embedder
from kapelle.store.pool import open_pool

PEERS = ("mem0", "langgraph")
_RUNNER = Path(__file__).parent / "peers_search.py"


def _content(note: Note) -> str:
    """Return what a peer is given of a note; they have no titles."""
    return f"{note.title}\n{note.text}".strip()


async def _hand_over(folder: Path, dataset: Set, embedder: Embedder) -> None:
    """Write what the peers read: only notes that may be found, and the questions that have an answer."""
    notes = [note for note in dataset.notes if note.state not in HIDDEN]
    docs = [{"id": note.id, "group": note.group, "content": _content(note)} for note in notes]
    queries = [{"group": question.group, "text": question.text} for question in dataset.questions]
    texts = list(dict.fromkeys([doc["content"] for doc in docs] + [query["text"] for query in queries]))
    # A text longer than the model's window loses its end, as with any embedder; the product's parts are its own doing.
    vectors = np.array([(await embedder.embed((text,)))[0] for text in texts], dtype=np.float32)
    np.savez(folder / "vectors.npz", texts=np.array(texts), vectors=vectors)
    content = {"docs": docs, "queries": queries, "dimensions": int(vectors.shape[1])}
    (folder / "set.json").write_text(json.dumps(content), encoding="utf-8")


async def _fresh_database(owner_dsn: str, name: str) -> str:
    """Return the address of an empty database with pgvector, owned as the peers expect."""
    owner = await asyncpg.connect(owner_dsn)
    try:
        await owner.execute(f'drop database if exists "{name}" with (force)')
        await owner.execute(f'create database "{name}" template template0')
    finally:
        await owner.close()
    dsn = urlsplit(owner_dsn)._replace(path=f"/{name}").geturl()
    fresh = await asyncpg.connect(dsn)
    try:
        await fresh.execute("create extension vector")
    finally:
        await fresh.close()
    return dsn


async def compare(python: Path, owner_dsn: str, product_dsn: str, dataset: Set, embedder: Embedder) -> None:
    """Print the scores of the product and of each peer on one set."""
    answerable = tuple(question for question in dataset.questions if question.relevant)
    dataset = Set(name=dataset.name, notes=dataset.notes, questions=answerable)
    pool = await open_pool(product_dsn, 2)
    try:
        stored = await store(pool, owner_dsn, dataset, embedder)
        answers = [await ask(pool, stored, question, "blend", embedder) for question in stored.dataset.questions]
    finally:
        await pool.close()
    print(f"{dataset.name:12} {'kapelle':10} {score(answers)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="kapelle-peers-") as place:
        folder = Path(place)
        await _hand_over(folder, dataset, embedder)
        for peer in PEERS:
            dsn = await _fresh_database(owner_dsn, f"peer_{peer}_{os.getpid()}")
            command = [str(python), str(_RUNNER), str(folder), peer, dsn]
            subprocess.run(command, check=True)  # noqa: ASYNC221, S603 - nothing else runs meanwhile.
            result = json.loads((folder / f"{peer}.json").read_text(encoding="utf-8"))
            found = [
                Answer(question=question, found=tuple(ids))
                for question, ids in zip(answerable, result["found"], strict=True)
            ]
            print(f"{dataset.name:12} {peer:10} {score(found)}  {result['milliseconds']:.1f} ms", flush=True)


async def _run(owner_dsn: str, product_dsn: str, options: argparse.Namespace) -> None:
    embedder = KeptVectors(bundled_embedder(product_dsn), options.cache)
    await embedder.warm_up()
    for path in options.paths:
        for dataset in load(path):
            await compare(options.python, owner_dsn, product_dsn, dataset.first(options.questions), embedder)
            embedder.save()


def main() -> None:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[OWN])
    parser.add_argument("--python", type=Path, required=True, help="of the environment that the peers are installed in")
    parser.add_argument("--questions", type=int, help="only the first so many of each set")
    parser.add_argument("--cache", type=Path, help="a file for vectors between runs, such as vectors.npz")
    parser.add_argument("--database", nargs=2, metavar=("OWNER_DSN", "PRODUCT_DSN"), help="instead of own servers")
    options = parser.parse_args()
    with database(options.database) as (owner_dsn, product_dsn):
        asyncio.run(_run(owner_dsn, product_dsn, options))


if __name__ == "__main__":
    main()
