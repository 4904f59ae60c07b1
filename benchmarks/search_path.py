"""What the product adds to its search statement: `python -m benchmarks.search_path [--sizes 100 1000 10000]`.

Pairs of calls on the same connection, in turns: `search.find` from the pool (acquire, arguments, statement, decoding,
ranking) and the same prepared statement with ready arguments and nothing done with its rows.
"""

import argparse
import asyncio
import statistics
import time

import asyncpg

from benchmarks.eval import database
from benchmarks.search import MODEL, ORG, Texts, fill
from kapelle.store import search
from kapelle.store.pool import Pool, open_pool

_QUERIES = 40
_PLANNING = 2


async def ratios(pool: Pool, requests: list[search.SearchRequest], rounds: int) -> tuple[float, float, float]:
    """Return the medians, in ms, of the bare statement and of the product's path, and of their ratio pair by pair."""
    pairs: list[tuple[float, float]] = []
    for number in range(rounds + _PLANNING * len(requests)):
        request = requests[number % len(requests)]
        # Whoever comes second finds the pages warm, so they take turns.
        if number // len(requests) % 2:
            bare, whole = await _bare(pool, request), await _whole(pool, request)
        else:
            whole, bare = await _whole(pool, request), await _bare(pool, request)
        pairs.append((bare, whole))
    measured = pairs[_PLANNING * len(requests) :]
    return (
        statistics.median(bare for bare, _ in measured),
        statistics.median(whole for _, whole in measured),
        statistics.median(whole / bare for bare, whole in measured),
    )


async def _bare(pool: Pool, request: search.SearchRequest) -> float:
    async with pool.acquire() as conn:
        statement = await conn.prepare(search.FIND)
        arguments = search.arguments(request, history=False)
        began = time.perf_counter()
        await statement.fetch(*arguments)
        return (time.perf_counter() - began) * 1000


async def _whole(pool: Pool, request: search.SearchRequest) -> float:
    began = time.perf_counter()
    await search.find(pool, request)
    return (time.perf_counter() - began) * 1000


async def run(owner_dsn: str, product_dsn: str, options: argparse.Namespace) -> None:
    """Fill a team of each size and report it, by words alone and by both."""
    texts = Texts()
    pool = await open_pool(product_dsn, 1)
    owner = await asyncpg.connect(owner_dsn)
    try:
        for size in options.sizes:
            team_id = await fill(pool, owner, size, texts)
            for name, by_vector in (("words", False), ("blend", True)):
                requests = [
                    search.SearchRequest(
                        org_id=ORG,
                        team_id=team_id,
                        query=texts.words(8),
                        vector=texts.vector() if by_vector else None,
                        model=MODEL,
                    )
                    for _ in range(_QUERIES)
                ]
                bare, whole, ratio = await ratios(pool, requests, options.rounds)
                print(f"{size:>7} {name}  statement {bare:6.2f} ms  product {whole:6.2f} ms  {ratio:.2f}x", flush=True)
    finally:
        await owner.close()
        await pool.close()


def main() -> None:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--database", nargs=2, metavar=("OWNER_DSN", "PRODUCT_DSN"), help="instead of own servers")
    options = parser.parse_args()
    with database(options.database) as (owner_dsn, product_dsn), asyncio.Runner() as runner:
        runner.run(run(owner_dsn, product_dsn, options))


if __name__ == "__main__":
    main()
