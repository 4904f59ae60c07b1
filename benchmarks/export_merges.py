"""How often two branches that each add an entry to the exported file conflict: `python -m benchmarks.export_merges`.

Git merges the files itself. Beside the order of the product stands the obvious one, in which new entries come last.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kapelle.domain.entries import Entry, Kind, Status
from kapelle.domain.rules.rendering import team_memory

_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = "the cache lock queue worker deploy webhook schema retry token clock fixture branch region quota".split()

Render = Callable[[Sequence[Entry]], str]


def _entry(number: int, chance: random.Random, kinds: Sequence[Kind]) -> Entry:
    return Entry(
        id=number,
        kind=chance.choice(kinds),
        status=Status.CURATED,
        title=" ".join(chance.choices(_WORDS, k=4)).capitalize(),
        body=" ".join(chance.choices(_WORDS, k=chance.randint(6, 30))),
        tags=(),
        source="person:dana",
        created_at=_BEGINNING + timedelta(hours=number),
    )


def by_spread(entries: Sequence[Entry]) -> str:
    return team_memory("payments", entries)


def by_age(entries: Sequence[Entry]) -> str:
    """The same sections, the newest entry last."""
    found = sorted(entries, key=lambda entry: (entry.kind, entry.id))
    sections = [f"### {entry.title}\n\n{entry.body}\n\nAdded {entry.created_at:%Y-%m-%d} by dana.\n" for entry in found]
    return "\n".join(["# Team memory\n", *sections])


def conflicts(render: Render, base: Sequence[Entry], ours: Entry, theirs: Entry, folder: Path) -> bool:
    """Merge the files of two branches as git does."""
    texts = {"ours": [*base, ours], "base": base, "theirs": [*base, theirs]}
    for name, entries in texts.items():
        folder.joinpath(name).write_text(render(entries), encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - fixed arguments
        ["git", "merge-file", "-p", *texts],  # noqa: S607 - git of the machine
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return done.returncode != 0


def measure(render: Render, size: int, merges: int, kinds: Sequence[Kind], seed: int) -> int:
    """Return how many of these merges conflict. Ids are those of an org in which other teams write too."""
    chance = random.Random(seed)
    found = 0
    with tempfile.TemporaryDirectory(prefix="kapelle-merges-") as folder:
        for _ in range(merges):
            ids = sorted(chance.sample(range(1, size * 4), size))
            base = [_entry(number, chance, kinds) for number in ids]
            first = size * 4 + chance.randint(0, 20)
            ours, theirs = (_entry(number, chance, kinds) for number in (first, first + chance.randint(1, 5)))
            found += conflicts(render, base, ours, theirs, Path(folder))
    return found


def main() -> int:
    """Print how many merges conflict, in files of three sizes, with entries of one kind and of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--merges", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    for size in (10, 40, 200):
        for name, kinds in (("one kind", (Kind.GOTCHA,)), ("all kinds", tuple(Kind))):
            spread, age = (measure(order, size, wanted.merges, kinds, wanted.seed) for order in (by_spread, by_age))
            print(f"{size:4} entries, {name:9}: {spread} of {wanted.merges} conflict; newest last: {age}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
