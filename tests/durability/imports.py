"""An import whose client and whose service are killed in the middle, and what is there afterwards.

`python -m tests.durability.imports --entries 10000` imports a file, kills the client once and each process of the
service once while it runs, sends the file again, and compares the rate with that of single proposals of the same run.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from tests.adapters.cli import running as cli
from tests.durability import ledgers, writes
from tests.workers.running import Up, up

VICTIMS = ("commands", "worker")
_PAUSE_SECONDS = 0.05
# Many enough that no note resembles another by chance: what resembles is compared word by word.
_WORDS = [f"{a}{b}{c}{d}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnrst" for d in ("a", "end", "ish", "or")]
LANDED = """
select count(*) from ibex_core.import_lines as l join ibex_core.teams as t using (org_id, team_id)
where t.slug = $1 and l.state <> 'waiting'
"""
TITLES = """
select m.title from ibex_core.memories as m join ibex_core.teams as t using (org_id, team_id) where t.slug = $1
"""
EVENTS = """
select count(*) from ibex_core.memory_events as e join ibex_core.teams as t using (org_id, team_id) where t.slug = $1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How an import ended. `landed` is how many lines were done at each kill; `rate` counts its entries a second."""

    wrong: tuple[str, ...]
    landed: tuple[int, ...]
    seconds: float
    rate: float


def write_file(path: Path, entries: int, chance: random.Random) -> set[str]:
    """Write a file of different entries, and return their titles."""
    lines = {f"Note {number} {uuid.UUID(int=chance.getrandbits(128)).hex}": _body(chance) for number in range(entries)}
    records = (json.dumps({"kind": "fact", "title": title, "body": body}) for title, body in lines.items())
    path.write_text("\n".join(records) + "\n", encoding="utf-8")
    return set(lines)


def _body(chance: random.Random) -> str:
    return f"{' '.join(chance.choices(_WORDS, k=60))} {chance.getrandbits(64):x}"


async def play(stack: Up, folder: Path, entries: int, chance: random.Random) -> Ended:
    """Import a file through the kills, send it once more, and say what is wrong with what is there."""
    found = stack.endpoints
    caller = await writes.connect(found["nats_url"], found["person"])
    team = f"import-{uuid.uuid4().hex[:8]}"
    try:
        made = await caller.ask("team", team, "create", team)
        assert made is not None, "no answer"
        assert made["ok"], made
        titles = write_file(folder / f"{team}.jsonl", entries, chance)
        command = ("memory", "import", str(folder / f"{team}.jsonl"), "--team", team, "--user", found["person"])
        env = {"KAPELLE_NATS_URL": found["nats_url"]}
        owner = await asyncpg.connect(found["postgres_dsn"])
        try:
            begun = time.monotonic()
            landed = await _through_kills(stack, owner, team, entries, lambda: cli.start(*command, env=env))
            seconds = time.monotonic() - begun
            wrong = [*await _faults(owner, team, titles), *await _repeated(owner, team, command, env, entries)]
            wrong += await ledgers.broken(owner, team)
        finally:
            await owner.close()
    finally:
        await caller.client.close()
    return Ended(wrong=tuple(wrong), landed=landed, seconds=seconds, rate=entries / seconds)


async def _through_kills(
    stack: Up,
    owner: "asyncpg.Connection[asyncpg.Record]",
    team: str,
    entries: int,
    start: Callable[[], Awaitable[asyncio.subprocess.Process]],
) -> tuple[int, ...]:
    """Run the client to its end: itself killed after a quarter of the lines, then the service's processes in turn."""
    first = await start()
    landed = [await _after(owner, team, entries // 4)]
    first.kill()
    await first.wait()
    second = await start()
    for number, victim in enumerate(VICTIMS, start=2):
        landed.append(await _after(owner, team, entries * number // 4))
        await stack.kill(victim)
    output, errors = await second.communicate()
    assert second.returncode == 0, errors.decode()
    assert len(output.splitlines()) == entries
    return tuple(landed)


async def _after(owner: "asyncpg.Connection[asyncpg.Record]", team: str, lines: int) -> int:
    """Wait until so many lines are done, and return how many are."""
    async with asyncio.timeout(writes.ROUND_SECONDS * 5):
        while (landed := int(await owner.fetchval(LANDED, team))) < lines:
            await asyncio.to_thread(time.sleep, _PAUSE_SECONDS)
    return landed


async def _faults(owner: "asyncpg.Connection[asyncpg.Record]", team: str, titles: set[str]) -> list[str]:
    stored = [row["title"] for row in await owner.fetch(TITLES, team)]
    events = await owner.fetchval(EVENTS, team)
    wrong = [f"lost: {title}" for title in sorted(titles - set(stored))[:5]]
    if len(stored) != len(titles):
        wrong.append(f"{len(titles)} entries were sent, and {len(stored)} are there")
    return wrong if events == len(titles) else [*wrong, f"the ledger has {events} events"]


async def _repeated(
    owner: "asyncpg.Connection[asyncpg.Record]", team: str, command: Sequence[str], env: dict[str, str], entries: int
) -> list[str]:
    """Send the file once more, and say whether that changed anything."""
    before = await owner.fetchval("select revision from ibex_core.teams where slug = $1", team)
    again = await cli.start(*command, env=env)
    _, errors = await again.communicate()
    after = await owner.fetchval("select revision from ibex_core.teams where slug = $1", team)
    told = errors.decode().strip()
    expected = f"{entries} done: {entries} created, 0 duplicate, 0 refused, 0 failed"
    return ([] if after == before else ["sent again, the file changed the memory"]) + (
        [] if told == expected else [f"sent again, the file was answered {told!r}"]
    )


async def singles(stack: Up, seconds: float) -> float:
    """Propose one entry after the other for some seconds, and return the rate a second."""
    caller = await writes.connect(stack.endpoints["nats_url"], stack.endpoints["person"])
    chance = random.Random(11)  # noqa: S311 - texts, not secrets
    done, begun = 0, time.monotonic()
    while time.monotonic() < begun + seconds:
        title = f"Single {uuid.uuid4().hex}"
        reply = await caller.ask("memory", "demo", "propose", "fact", title, _body(chance))
        assert reply is not None, "no answer"
        assert reply["ok"], reply
        done += 1
    await caller.client.close()
    return done / (time.monotonic() - begun)


async def _main(entries: int, seed: int, seconds: float) -> int:
    with tempfile.TemporaryDirectory(prefix="kapelle-test-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        async with up(Path(folder) / "home") as stack:
            before = await singles(stack, seconds)
            ended = await play(stack, Path(folder), entries, random.Random(seed))  # noqa: S311 - can be repeated
            single = (before + await singles(stack, seconds)) / 2
    lines = (
        f"single proposals, one after the other, before and after: {single:.1f} a second",
        f"{entries} entries in {ended.seconds:.1f} s: {ended.rate:.0f} a second, {ended.rate / single:.1f} times that",
        f"lines done at the kills of client, {', '.join(VICTIMS)}: {ended.landed}",
        *(ended.wrong or ("nothing lost, nothing double, nothing changed by the same file again",)),
    )
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if ended.wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    return asyncio.run(_main(options.entries, options.seed, options.seconds))


if __name__ == "__main__":
    sys.exit(main())
