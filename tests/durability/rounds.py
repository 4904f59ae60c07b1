"""Rounds of killing one part in the middle of fifty writes.

`python -m tests.durability.rounds --rounds 5` runs five for each part and says how each ended.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.durability import ledgers, writes
from tests.durability.writes import Told
from tests.workers.running import Up, up

VICTIMS = ("worker", "commands", "temporal", "nats", "postgres")


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """How one round ended. `answered_before` is how many of the writes were answered when the part was killed."""

    victim: str
    wrong: tuple[str, ...]
    answered_before: int
    writes: int
    tries: int
    refusals: tuple[str, ...]


async def play(stack: Up, victim: str, chance: random.Random) -> Round:
    """Kill the victim with SIGKILL once some of the writes are answered, let the client finish, and look."""
    found = stack.endpoints
    caller = await writes.connect(found["nats_url"], found["person"])
    try:
        planned = await writes.prepare(caller, chance)
        moment = chance.randrange(len(planned) // 2)
        told = Told()
        killed: list[int] = []

        def after(answered: int) -> None:
            if answered > moment and not killed:
                killed.append(answered)
                stack.parts[victim].kill()

        await writes.run(caller, planned, told, after=after)
        await stack.says("is back.")
        async with asyncio.timeout(writes.ROUND_SECONDS):
            await ledgers.settled(caller, found["postgres_dsn"])
            wrong = await ledgers.faults(caller, found["postgres_dsn"], planned, told)
    finally:
        await caller.client.close()
    return Round(
        victim=victim,
        wrong=tuple(wrong),
        answered_before=killed[0] if killed else -1,
        writes=len(planned),
        tries=told.tries,
        refusals=tuple(sorted(set(told.refusals))),
    )


async def _all(rounds: int, seed: int, victims: tuple[str, ...]) -> int:
    chance = random.Random(seed)  # noqa: S311 - a round that can be repeated
    bad = 0
    with tempfile.TemporaryDirectory(prefix="kapelle-test-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        async with up(Path(folder) / "home") as stack:
            for number in range(rounds):
                for victim in victims:
                    began = time.monotonic()
                    ended = await play(stack, victim, chance)
                    bad += bool(ended.wrong)
                    _say(number, ended, time.monotonic() - began)
    return bad


def _say(number: int, ended: Round, seconds: float) -> None:
    verdict = "intact" if not ended.wrong else "BROKEN"
    told = f"killed after {ended.answered_before}, {ended.tries} tries, {seconds:.1f} s"
    refusals = (f"refused on the way: {one}" for one in ended.refusals)
    lines = (
        f"round {number + 1} {ended.victim:9} {verdict}: {ended.writes} writes, {told}",
        *(f"    {line}" for line in (*ended.wrong, *refusals)),
    )
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Run the rounds that the command line asks for, and return how many were broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--victim", choices=VICTIMS, action="append")
    wanted = parser.parse_args()
    return asyncio.run(_all(wanted.rounds, wanted.seed, tuple(wanted.victim or VICTIMS)))


if __name__ == "__main__":
    sys.exit(main())
