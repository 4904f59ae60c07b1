"""Cost of a search beside `select 1`, by size of team: `python -m benchmarks.search [--sizes 100 1000 10000]`."""

import argparse
import asyncio
import hashlib
import os
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import asyncpg

from kapelle.domain.entries import Status
from kapelle.store import embeddings, search, search_vectors
from kapelle.store.pool import SET_ORG, Connection, Pool, open_pool, tenant

ORG = "benchmark"
_DIMENSIONS = 384
MODEL = f"random:{_DIMENSIONS}"
_BATCH = 250
_QUERIES = 40
# As many small teams as make the large ones a part of the whole, not all of it.
_SMALL_TEAMS = 30

_NOTE = """
insert into ibex_core.memories (org_id, team_id, kind, title, body, status, source, operation_id, salt)
select $1, $2, 'fact', n.title, n.body, 'curated', 'person:benchmark', gen_random_uuid(), $5
from unnest($3::text[], $4::text[]) as n (title, body)
returning id, title, body
"""


class Texts:
    """Notes and questions whose words are as unevenly common as those of a language."""

    def __init__(self, seed: int = 1) -> None:
        self._chance = random.Random(seed)
        self._words = [f"{'bcdfghjklmnprstvwz'[n % 18]}{'aeiou'[n % 5]}x{n:x}" for n in range(1, 30_001)]
        self._weights = [1 / (n + 3) for n in range(len(self._words))]

    def words(self, count: int) -> str:
        """Return so many words."""
        return " ".join(self._chance.choices(self._words, self._weights, k=count))

    def vector(self) -> list[float]:
        """Return a vector of one of a hundred topics, with noise."""
        topic = random.Random(self._chance.randrange(100))
        raw = [topic.gauss(0, 1) + self._chance.gauss(0, 1) for _ in range(_DIMENSIONS)]
        length = sum(x * x for x in raw) ** 0.5
        return [round(x / length, 5) for x in raw]


async def fill(pool: Pool, owner: Connection, size: int, texts: Texts) -> int:
    """Make a team of `size` entries with vectors, and return its id."""
    await owner.execute("insert into ibex_core.organizations values ($1, $1) on conflict do nothing", ORG)
    team_id: int = await owner.fetchval(
        "insert into ibex_core.teams (org_id, slug, name) values ($1, $2, $2) returning team_id",
        ORG,
        f"size-{size}-{os.urandom(4).hex()}",
    )
    for start in range(0, size, _BATCH):
        await _fill_batch(pool, team_id, min(_BATCH, size - start), texts)
    return team_id


async def _fill_batch(pool: Pool, team_id: int, count: int, texts: Texts) -> None:
    titles = [texts.words(5) for _ in range(count)]
    bodies = [texts.words(40) for _ in range(count)]
    async with tenant(pool, ORG) as conn:
        rows = await conn.fetch(_NOTE, ORG, team_id, titles, bodies, bytes(16))
        await search.index(conn, org_id=ORG, rows=[_indexed(row, team_id) for row in rows])
        vectors = [
            embeddings.VectorRow(team_id=team_id, memory_id=row["id"], model=MODEL, part=0, vector=texts.vector())
            for row in rows
        ]
        await embeddings.store(conn, org_id=ORG, rows=vectors)


def _indexed(row: asyncpg.Record, team_id: int) -> search.IndexRow:
    return search.IndexRow(
        memory_id=row["id"],
        team_id=team_id,
        status=Status.CURATED,
        title=row["title"],
        body=row["body"],
        tags=(),
        text_hash=hashlib.sha256(str(row["id"]).encode()).digest(),
    )


async def measure(calls: list[Callable[[], Awaitable[object]]], rounds: int) -> tuple[float, float]:
    """Return median and 95th percentile of the calls' duration, in ms."""
    times: list[float] = []
    for number in range(rounds + 8):
        began = time.perf_counter()
        await calls[number % len(calls)]()
        # The first ones plan.
        if number >= 8:
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


async def recall(conn: Connection, team_id: int, texts: Texts, limit: int = 10) -> float:
    """Return which share of the exact blend's first hits the answer holds as it is given, over some questions."""
    asked = [
        search.SearchRequest(
            org_id=ORG, team_id=team_id, query=texts.words(8), vector=texts.vector(), model=MODEL, limit=limit
        )
        for _ in range(_QUERIES)
    ]
    given = [await search.find(conn, request) for request in asked]
    transaction = conn.transaction()
    await transaction.start()
    await conn.execute(SET_ORG, ORG)
    # Without its index the team is scanned.
    await conn.execute(search_vectors.UNREGISTER, ORG, team_id, MODEL)
    exact = [await search.find(conn, request) for request in asked]
    await transaction.rollback()
    kept = sum(
        len({hit.entry.id for hit in one} & {hit.entry.id for hit in other})
        for one, other in zip(given, exact, strict=True)
    )
    return kept / max(1, sum(map(len, exact)))


async def report(pool: Pool, team_id: int, size: int, texts: Texts, rounds: int) -> None:
    """Print one line for a size: words alone and the blend, beside `select 1` on the same connection."""
    async with pool.acquire() as conn:

        def find(*, by_vector: bool) -> Callable[[], Awaitable[object]]:
            request = search.SearchRequest(
                org_id=ORG,
                team_id=team_id,
                query=texts.words(8),
                vector=texts.vector() if by_vector else None,
                model=MODEL,
            )
            return lambda: search.find(conn, request)

        floor = await measure([lambda: conn.fetchval("select 1")], rounds * 5)
        words = await measure([find(by_vector=False) for _ in range(_QUERIES)], rounds)
        blend = await measure([find(by_vector=True) for _ in range(_QUERIES)], rounds)
        kept = await recall(conn, team_id, texts)
    line = "  ".join(
        f"{name} p50 {p50:7.2f} p95 {p95:7.2f} ms ({p50 / floor[0]:4.0f}x, {p95 / floor[1]:4.0f}x)"
        for name, (p50, p95) in (("words", words), ("blend", blend))
    )
    print(
        f"{size:>7} entries  select 1 p50 {floor[0]:.3f} p95 {floor[1]:.3f} ms  {line}  recall {kept:.3f}", flush=True
    )


async def run(owner_dsn: str, product_dsn: str, options: argparse.Namespace) -> None:
    """Fill the teams, index the large ones, and report each size."""
    texts = Texts()
    pool = await open_pool(product_dsn, 2)
    owner = await asyncpg.connect(owner_dsn)
    try:
        for _ in range(_SMALL_TEAMS):
            await fill(pool, owner, 100, texts)
        teams = [(size, await fill(pool, owner, size, texts)) for size in options.sizes]
        for team in await search_vectors.unindexed(owner, org_id=ORG):
            await search_vectors.build(owner, team)
        for size, team_id in teams:
            await report(pool, team_id, size, texts, options.rounds)
    finally:
        await owner.close()
        await pool.close()


@contextmanager
def _database(given: list[str] | None) -> Iterator[tuple[str, str]]:
    if given:
        yield given[0], given[1]
        return
    from tests.stack import running_servers  # noqa: PLC0415 - only then are the tests' servers wanted.

    with running_servers() as servers:
        yield servers.owner_dsn, servers.product_dsn


def main() -> None:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--database", nargs=2, metavar=("OWNER_DSN", "PRODUCT_DSN"), help="instead of own servers")
    options = parser.parse_args()
    with _database(options.database) as (owner_dsn, product_dsn):
        asyncio.run(run(owner_dsn, product_dsn, options))


if __name__ == "__main__":
    main()
