"""How fast a file comes in, beside single proposals in the same run: `python -m benchmarks.bulk --entries 10000`.

Without embeddings. The rate of an import is that of acknowledged lines, from the first request to the last line's end.
"""

import argparse
import asyncio
import json
import random
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import uvloop

from benchmarks.service import RunningService, running_service
from benchmarks.write import a_draft
from kapelle.adapters.cli.importing import CHUNK_LINES
from tests.memory import Memory
from tests.stack import running_servers
from workers.stack.servers import Addresses

_PAUSE_SECONDS = 0.05


def some_lines(count: int) -> list[str]:
    """Return that many entries as lines of JSON, of about 1 KB each."""
    drafts = (a_draft() for _ in range(count))
    return [json.dumps({"kind": draft.kind, "title": draft.title, "body": draft.body}) for draft in drafts]


async def proposals(memory: Memory, seconds: float, callers: int) -> float:
    """Propose one entry after the other, by so many callers at once, and return the rate a second."""
    end, done = time.perf_counter() + seconds, 0

    async def caller() -> None:
        nonlocal done
        while time.perf_counter() < end:
            draft = a_draft()
            reply = await memory.ask("propose", draft.kind, draft.title, draft.body, source="agent:demo/coder")
            assert reply["ok"], reply
            done += 1

    begun = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    return done / (time.perf_counter() - begun)


async def imported(memory: Memory, lines: list[str], **who: str) -> float:
    """Import lines as the client does, and return the rate a second until the last one is done."""
    name, total = uuid.uuid4().hex, str(len(lines))
    begun = time.perf_counter()
    for first, chunk in _chunks(lines):
        reply = await memory.ask("import-lines", name, str(first), total, "\n".join(chunk), **who)
        assert reply["ok"], reply
    while True:
        report = await memory.ask("import-report", name, **who)
        if report["text"] == f"{total} lines imported":
            break
        await asyncio.sleep(_PAUSE_SECONDS)
    rate = len(lines) / (time.perf_counter() - begun)
    assert f"created: {total}" in report["entries"], report
    return rate


def _chunks(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    for at in range(0, len(lines), CHUNK_LINES):
        yield at + 1, lines[at : at + CHUNK_LINES]


async def measure(service: RunningService, options: argparse.Namespace) -> dict[str, float]:
    """Return the rates of all ways, a second."""
    memory = service.memory
    await imported(memory, some_lines(CHUNK_LINES))
    return {
        "single proposals, one at a time": await proposals(memory, options.seconds, 1),
        "single proposals, 32 at once": await proposals(memory, options.seconds, 32),
        "import by an agent": await imported(memory, some_lines(options.entries), source="agent:demo/coder"),
        "import by a maintainer": await imported(memory, some_lines(options.entries)),
    }


async def run(addresses: Addresses, options: argparse.Namespace) -> dict[str, float]:
    async with running_service(addresses) as service:
        return await measure(service, options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    random.seed(7)
    with running_servers(durable=True) as addresses, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        rates = runner.run(run(addresses, options))
    for title, rate in rates.items():
        print(f"{title:34}{rate:>10.0f} a second")
    single = rates["single proposals, one at a time"]
    print(f"import by an agent / single proposals, one at a time: {rates['import by an agent'] / single:.1f}")
    if options.json:
        options.json.write_text(json.dumps(rates, indent=2) + "\n")


if __name__ == "__main__":
    main()
