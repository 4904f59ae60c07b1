"""What a hot read costs when nothing changed, beside the query that it saves: `python -m benchmarks.hot`."""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

from benchmarks.service import RunningService, running_service
from kapelle.domain.callers import Claim
from kapelle.operations import Call, find, perform
from tests.stack import running_servers
from workers.stack.servers import Addresses

ENTRIES = 300
ROUNDS = 400


async def measure(service: RunningService) -> None:
    """Fill a team, and compare reads of the whole operation with and without anything kept, in turns."""
    for number in range(ENTRIES):
        await service.memory.ask("add", "fact", f"Queue {number}", f"Queue {number} is drained by worker {number * 7}.")
    call = Call(operation=find("memory", "hot"), arguments=(), claim=Claim(person="ada"), team="demo", patience=30)
    nothing = Call(operation=find("memory", "history"), arguments=("1",), claim=call.claim, team="demo", patience=30)

    async def kept() -> None:
        await perform(call, service.services)

    async def queried() -> None:
        service.services.hot.drop_all()
        await perform(call, service.services)

    async def small() -> None:
        await perform(nothing, service.services)

    figures: dict[str, list[float]] = {"kept": [], "queried": [], "history of one entry": []}
    for _ in range(ROUNDS):
        for name, work in (("kept", kept), ("queried", queried), ("history of one entry", small)):
            figures[name].append(await _seconds(work))
    medians = {name: statistics.median(values) for name, values in figures.items()}
    for name, median in medians.items():
        print(f"{name:22} {median * 1000:6.2f} ms  {median / medians['kept']:5.1f} x")


async def _seconds(work: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


async def run(addresses: Addresses) -> None:
    async with running_service(addresses) as service:
        await measure(service)


if __name__ == "__main__":
    with running_servers() as servers:
        asyncio.run(run(servers))
