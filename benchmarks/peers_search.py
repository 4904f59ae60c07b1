"""What mem0 and LangGraph's store find: run by `benchmarks.peers` with the interpreter of the peers' environment.

Reads `set.json` and `vectors.npz` from the folder given, and writes `mem0.json` and `langgraph.json` beside them: the
ids of the notes found for each question. Both get the vectors that the product's embedder made, and no language model.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

# What mem0 would otherwise report to its makers, and where it keeps its own files.
os.environ["MEM0_TELEMETRY"] = "false"
os.environ["ANONYMIZED_TELEMETRY"] = "false"

_SHOWN = 20
Find = Callable[[str, str], list[str]]


class Vectors:
    """Vectors by text, in the shapes that the two expect of an embedder."""

    def __init__(self, file: Path) -> None:
        with np.load(file) as stored:
            self._kept = dict(zip(stored["texts"].tolist(), stored["vectors"].tolist(), strict=True))

    def embed(self, text: str, *_: Any, **__: Any) -> list[float]:
        found: list[float] = self._kept[text]
        return found

    def embed_batch(self, texts: list[str], *_: Any, **__: Any) -> list[list[float]]:
        return [self._kept[text] for text in texts]

    __call__ = embed_batch


@contextmanager
def mem0(content: Any, vectors: Vectors, dsn: str, dimensions: int) -> Iterator[Find]:
    """Store every note in mem0 as it is (`infer=False`), in pgvector without an approximate index."""
    from mem0 import Memory  # noqa: PLC0415 - reads its settings when it is imported.

    store = {"connection_string": dsn, "collection_name": "mem0", "embedding_model_dims": dimensions, "hnsw": False}
    openai = {"provider": "openai", "config": {"api_key": "unused"}}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "pgvector", "config": store},
            "llm": openai,
            "embedder": openai,
            "history_db_path": ":memory:",
        }
    )
    memory.embedding_model = vectors
    ids: dict[str, str] = {}
    for doc in content["docs"]:
        added = memory.add(doc["content"], user_id=f"g-{doc['group']}", infer=False)
        ids[added["results"][0]["id"]] = doc["id"]

    def find(group: str, text: str) -> list[str]:
        found = memory.search(text, top_k=_SHOWN, filters={"user_id": f"g-{group}"})
        return [ids[item["id"]] for item in found["results"]]

    yield find


@contextmanager
def langgraph(content: Any, vectors: Vectors, dsn: str, dimensions: int) -> Iterator[Find]:
    """Store every note in LangGraph's PostgresStore, exactly scanned."""
    from langgraph.store.postgres import PostgresStore  # noqa: PLC0415 - only one of the two is run at a time.

    index: Any = {"dims": dimensions, "embed": vectors, "fields": ["content"], "ann_index_config": {"kind": "flat"}}
    with PostgresStore.from_conn_string(dsn, index=index) as store:
        store.setup()
        for doc in content["docs"]:
            store.put(("notes", f"g-{doc['group']}"), doc["id"], {"content": doc["content"]})

        def find(group: str, text: str) -> list[str]:
            return [item.key for item in store.search(("notes", f"g-{group}"), query=text, limit=_SHOWN)]

        yield find


def main(folder: Path, peer: str, dsn: str) -> None:
    """Store the notes, ask the questions, and write what was found and how long each search took."""
    content = json.loads((folder / "set.json").read_text(encoding="utf-8"))
    dimensions = content["dimensions"]
    open_peer = {"mem0": mem0, "langgraph": langgraph}[peer]
    found, times = [], []
    with open_peer(content, Vectors(folder / "vectors.npz"), dsn, dimensions) as find:
        for question in content["queries"]:
            began = time.perf_counter()
            found.append(find(question["group"], question["text"]))
            times.append(time.perf_counter() - began)
    answer = {"found": found, "milliseconds": 1000 * sorted(times)[len(times) // 2]}
    (folder / f"{peer}.json").write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
