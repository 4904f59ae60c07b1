"""Duplicates: recall of rewordings, false merges and cost on labelled pairs, with and without vectors.

Run it with `python -m benchmarks.dedup`; `--embed` first computes the cosines anew with the built-in embedder.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from kapelle.domain.dedup import Same
from kapelle.domain.rules import dedup

MODEL: Final = "kapelle-local/all-minilm-l6-v2-int8:384"
PAIRS: Final = Path(__file__).parent / "dedup_data" / "pairs.jsonl"
ROUNDS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two texts with a label; `kind` says how one was made from the other."""

    id: str
    set: str
    kind: str
    same: bool
    a: str
    b: str
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many pairs of each label there are, and how many of them the rules took for the same."""

    rewordings: int
    recognised: int
    different: int
    merged: int

    @property
    def recall(self) -> float:
        return self.recognised / self.rewordings if self.rewordings else 1.0

    @property
    def precision(self) -> float:
        taken = self.recognised + self.merged
        return self.recognised / taken if taken else 1.0


def pairs(path: Path = PAIRS) -> tuple[Pair, ...]:
    """Return the labelled pairs of a file."""
    return tuple(Pair(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def taken_for_same(pair: Pair, *, with_vectors: bool) -> bool:
    """Tell what the rules say of a pair, each text being the body of an entry without a title."""
    first, second = dedup.statement("", pair.a), dedup.statement("", pair.b)
    cosine, model = (pair.cosine, MODEL) if with_vectors else (None, None)
    return isinstance(dedup.compare(first, second, cosine, model), Same)


def score(chosen: Iterable[Pair], *, with_vectors: bool) -> Score:
    """Return the counts over some pairs."""
    seen = [(pair.same, taken_for_same(pair, with_vectors=with_vectors)) for pair in chosen]
    return Score(
        rewordings=sum(same for same, _ in seen),
        recognised=sum(same and taken for same, taken in seen),
        different=sum(not same for same, _ in seen),
        merged=sum(taken and not same for same, taken in seen),
    )


def _groups(chosen: tuple[Pair, ...]) -> Iterator[tuple[str, tuple[Pair, ...]]]:
    for name in dict.fromkeys(pair.set for pair in chosen):
        yield f"set {name}", tuple(pair for pair in chosen if pair.set == name)
    for kind in sorted({pair.kind for pair in chosen}):
        yield f"kind {kind}", tuple(pair for pair in chosen if pair.kind == kind)
    yield "all", chosen


def _print_table(chosen: tuple[Pair, ...]) -> None:
    print(f"{'':18} {'with vectors':>34}   {'without':>34}")
    heads = f"{'recognised':>12} {'merged':>8} {'precision':>12}"
    print(f"{'':18} {heads}   {heads}")
    for name, group in _groups(chosen):
        cells = []
        for with_vectors in (True, False):
            result = score(group, with_vectors=with_vectors)
            recognised = f"{result.recognised}/{result.rewordings}"
            cells.append(f"{recognised:>12} {f'{result.merged}/{result.different}':>8} {result.precision:>12.2f}")
        print(f"{name:18} {'   '.join(cells)}")


def _print_cost(chosen: tuple[Pair, ...]) -> None:
    text = " ".join(pair.a for pair in chosen)
    for size in (1024, 65536):
        body = (text * 4)[:size]
        one, two = dedup.statement("", body), dedup.statement("", body.replace("30 minutes", "30 min"))
        reading = _milliseconds(partial(dedup.statement, "", body), 8192 // size + 2)
        comparing = _milliseconds(partial(dedup.compare, one, two, 0.99, MODEL), ROUNDS)
        print(f"{size:6} bytes: statement {reading:.2f} ms, compare {comparing:.3f} ms of CPU")


def _milliseconds(work: Callable[[], object], rounds: int) -> float:
    started = time.process_time()
    for _ in range(rounds):
        work()
    return (time.process_time() - started) / rounds * 1000


def _embedded(chosen: tuple[Pair, ...]) -> tuple[Pair, ...]:
    # Half a second of importing, which only this option needs.
    from kapelle.providers.embed_minilm import MiniLM  # noqa: PLC0415

    model = MiniLM()
    vectors = ((pair, model.embed(pair.a), model.embed(pair.b)) for pair in chosen)
    return tuple(
        replace(pair, cosine=round(sum(x * y for x, y in zip(one, two, strict=True)), 4)) for pair, one, two in vectors
    )


def main() -> None:
    """Print the table, after new cosines if `--embed` asks for them."""
    chosen = pairs()
    if "--embed" in sys.argv[1:]:
        chosen = _embedded(chosen)
        lines = (json.dumps(asdict(pair), ensure_ascii=False) for pair in chosen)
        PAIRS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _print_table(chosen)
    _print_cost(chosen)


if __name__ == "__main__":
    main()
