"""Quality of search through the product: `python -m benchmarks.eval [PATH ...]`; without a path, the product's own set.

`retrieval_sets` says which files are read. `--alias` and `--config` name another embedder than the bundled one.
"""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.kept_vectors import KeptVectors
from benchmarks.retrieval_scores import Answer, score
from benchmarks.retrieval_sets import Set, load
from benchmarks.retrieval_store import MODES, ask, store
from kapelle.providers.embeddings import Embedder, open_embedder
from kapelle.settings import Secret, Settings
from kapelle.store.pool import Pool, open_pool
from tests.stack import running_servers

OWN = Path(__file__).parent / "eval_data"
_CONFIG = Path(__file__).parent.parent / "deploy" / "litellm" / "config.yaml"


async def evaluate(pool: Pool, owner_dsn: str, dataset: Set, embedder: Embedder) -> dict[str, tuple[Answer, ...]]:
    """Store the set, and return what every question brings in each mode."""
    stored = await store(pool, owner_dsn, dataset, embedder)
    return {
        mode: tuple([await ask(pool, stored, question, mode, embedder) for question in stored.dataset.questions])
        for mode in MODES
    }


def by_topic(answers: tuple[Answer, ...]) -> dict[str, tuple[Answer, ...]]:
    """Group answers by the topic of their question."""
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.question.topic].append(answer)
    return {topic: tuple(groups[topic]) for topic in sorted(groups)}


def report(name: str, found: dict[str, tuple[Answer, ...]]) -> None:
    """Print one block a topic, if there are several, and one of everything."""
    topics = {mode: by_topic(answers) for mode, answers in found.items()}
    names = list(topics[MODES[0]])
    for topic in names if len(names) > 1 else ():
        for mode in MODES:
            print(f"{topic:24} {mode:8} {score(topics[mode][topic])}")
    for mode in MODES:
        print(f"{name:24} {mode:8} {score(found[mode])}", flush=True)


def bundled_embedder(product_dsn: str = "", *, alias: str = "embed", config: Path = _CONFIG) -> Embedder:
    """Return the embedder of an alias, by default the one that needs no key and no network."""
    embedder = open_embedder(
        Settings(
            database_url=Secret(product_dsn),
            nats_url=Secret(""),
            payload_keys=Secret(""),
            digest_key=Secret(""),
            embed_alias=alias,
            litellm_config=str(config),
            embed_seconds=600.0,
        )
    )
    if embedder is None:
        raise SystemExit("an alias is needed")
    return embedder


@contextmanager
def database(given: list[str] | None) -> Iterator[tuple[str, str]]:
    """Yield the owner's and the product's address, of servers of its own if none are given."""
    if given:
        yield given[0], given[1]
        return
    with running_servers() as servers:
        yield servers.owner_dsn, servers.product_dsn


async def _run(owner_dsn: str, product_dsn: str, options: argparse.Namespace) -> None:
    embedder = KeptVectors(bundled_embedder(product_dsn, alias=options.alias, config=options.config), options.cache)
    await embedder.warm_up()
    pool = await open_pool(product_dsn, 2)
    try:
        for path in options.paths:
            for dataset in load(path):
                found = await evaluate(pool, owner_dsn, dataset.first(options.questions), embedder)
                report(dataset.name, found)
                embedder.save()
    finally:
        await pool.close()


def main() -> None:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[OWN])
    parser.add_argument("--questions", type=int, help="only the first so many of each set")
    parser.add_argument("--alias", default="embed")
    parser.add_argument("--config", type=Path, default=_CONFIG)
    parser.add_argument("--cache", type=Path, help="a file for vectors between runs, such as vectors.npz")
    parser.add_argument("--database", nargs=2, metavar=("OWNER_DSN", "PRODUCT_DSN"), help="instead of own servers")
    options = parser.parse_args()
    with database(options.database) as (owner_dsn, product_dsn):
        asyncio.run(_run(owner_dsn, product_dsn, options))


if __name__ == "__main__":
    main()
