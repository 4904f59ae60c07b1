"""Thousands of chance requests at one service, many at once: one well-formed reply each.

`python -m tests.properties.storm --requests 10000` starts a service of its own and says what it saw.
"""

import argparse
import asyncio
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from nats.aio.msg import Msg

from kapelle.adapters.nats.server import SUBJECT
from tests.memory import Memory, running_memory
from tests.properties import generator
from tests.properties.replies import malformed
from tests.stack import Temporal, fresh_database, running_servers
from workers.stack.servers import Addresses

AT_ONCE = 40
REPLY_SECONDS = 60.0


@dataclass(slots=True, kw_only=True)
class Seen:
    """What came back. `wrong` holds the request and what was wrong with its reply; `kinds` counts the answers."""

    replies: int = 0
    wrong: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)


async def send_all(memory: Memory, requests: Iterable[bytes]) -> Seen:
    """Send all requests, so many at once, and judge each reply; a second reply to one request is seen too."""
    seen = Seen()
    waiting = iter(requests)
    inbox = memory.nats.new_inbox()
    arrived: Counter[str] = Counter()
    answers: dict[str, asyncio.Future[bytes]] = {}

    async def hear(message: Msg) -> None:
        arrived[message.subject] += 1
        if not answers[message.subject].done():
            answers[message.subject].set_result(message.data)

    async def one_after_another(number: int) -> None:
        for count, data in enumerate(waiting):
            reply_to = f"{inbox}.{number}.{count}"
            answers[reply_to] = asyncio.get_running_loop().create_future()
            await memory.nats.publish(SUBJECT, data, reply=reply_to)
            _judge(seen, data, await asyncio.wait_for(answers[reply_to], REPLY_SECONDS))

    subscription = await memory.nats.subscribe(f"{inbox}.>", cb=hear)
    await asyncio.gather(*(one_after_another(number) for number in range(AT_ONCE)))
    await memory.nats.flush()
    await subscription.unsubscribe()
    seen.wrong += [f"{times} replies to one request" for times in arrived.values() if times != 1]
    return seen


def _judge(seen: Seen, data: bytes, reply: bytes) -> None:
    seen.replies += 1
    if wrong := malformed(reply):
        seen.wrong.append(f"{data[:300]!r}: {wrong}")
    if b"something went wrong" in reply:
        seen.wrong.append(f"{data[:300]!r} met something unexpected")
    seen.kinds["answered" if reply.startswith(b'{"ok":true') else "refused"] += 1
    seen.kinds["busy"] += b"is busy" in reply


async def _storm(servers: Addresses, count: int, seed: int) -> Seen:
    temporal = Temporal(address=servers.temporal_address, namespace="default", task_queue=f"test-{uuid.uuid4().hex}")
    async with (
        fresh_database(servers) as database,
        running_memory(database, servers.nats_url, temporal, sandbox=False) as memory,
    ):
        return await send_all(memory, generator.requests(seed, count))


def main() -> int:
    """Send what the command line asks for; return 1 if a reply was missing or malformed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with running_servers() as servers:
        began = time.monotonic()
        seen = asyncio.run(_storm(servers, wanted.requests, wanted.seed))
    seconds = time.monotonic() - began
    lines = (
        f"{wanted.requests} requests, {seen.replies} replies, {len(seen.wrong)} malformed, {seconds:.0f} s",
        ", ".join(f"{count} {kind}" for kind, count in seen.kinds.items()),
        *seen.wrong[:20],
    )
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(seen.wrong) or seen.replies != wanted.requests)


if __name__ == "__main__":
    sys.exit(main())
