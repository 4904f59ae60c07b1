"""The scan: recall, alarms, precision and cost for each class of its own cases, and alarms on real documentation.

Run it with `python -m benchmarks.scan`; `--misses` lists what was answered wrongly, by template and never by value.
"""

import argparse
import ast
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Final

from benchmarks.scan_data import credentials
from benchmarks.scan_data.registry import Case, Suite
from benchmarks.scan_data.values import seeded
from kapelle.domain.rules.scan.credentials import findings
from kapelle.domain.rules.scan.places import part

SEED: Final = 20261130
SUITES: Final[tuple[Suite, ...]] = (credentials.SUITE,)
CHUNK: Final = 1_000
CHUNKS: Final = 6_000


@dataclass(slots=True, kw_only=True)
class Score:
    """How one class of cases was answered."""

    harmful: bool
    total: int = 0
    found: int = 0
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The share of cases that were found: recall, or alarms when the class is harmless."""
        return self.found / self.total


def measure(suite: Suite, seed: int = SEED) -> dict[str, Score]:
    """Return the score of each class of a suite."""
    scores: dict[str, Score] = {}
    for case in suite.cases(seeded(f"{seed} {suite.name}")):
        score = scores.setdefault(case.group, Score(harmful=case.harmful))
        _answer(suite, case, score)
    return scores


def _answer(suite: Suite, case: Case, score: Score) -> None:
    start = time.process_time()
    found = suite.found(case)
    score.seconds.append(time.process_time() - start)
    score.total += 1
    score.found += found
    if found != case.harmful:
        score.wrong.append(case.name)


def precision(scores: Iterable[Score]) -> float:
    """Return the share of alarms that were right."""
    alarms = {True: 0, False: 0}
    for score in scores:
        alarms[score.harmful] += score.found
    return alarms[True] / max(1, sum(alarms.values()))


def documentation(limit: int = CHUNKS) -> Iterator[str]:
    """Yield pieces of about 1 KB of the descriptions and documents that installed packages carry."""
    seen: set[str] = set()
    for text in _documents():
        for chunk in _chunks(text):
            if chunk not in seen:
                seen.add(chunk)
                yield chunk
                if len(seen) == limit:
                    return


def _documents() -> Iterator[str]:
    for distribution in metadata.distributions():
        yield distribution.read_text("METADATA") or ""
    folders = sorted({Path(entry) for entry in sys.path if entry.endswith("site-packages")})
    for folder in folders:
        for suffix in ("*.md", "*.rst"):
            for path in sorted(folder.rglob(suffix)):
                yield path.read_text("utf-8", errors="replace")
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            yield from _docstrings(path)


def _docstrings(path: Path) -> Iterator[str]:
    """Yield the longer descriptions in a module of what it offers."""
    source = path.read_text("utf-8", errors="replace")
    if source.count('"""') < 2:
        return
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            if len(text) > CHUNK // 4:
                yield text


def _chunks(text: str) -> Iterator[str]:
    chunk = ""
    for paragraph in text.split("\n\n"):
        if len(chunk) + len(paragraph) > CHUNK and len(chunk) > CHUNK // 4:
            yield chunk
            chunk = ""
        chunk += paragraph + "\n\n"
    if len(chunk) > CHUNK // 4:
        yield chunk


def alarms(text: str) -> bool:
    """Tell whether the credential rules refuse a text."""
    return bool(findings(part("body", text)))


def main() -> None:
    """Print the scores."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--misses", action="store_true")
    show = arguments.parse_args().misses
    for suite in SUITES:
        scores = measure(suite)
        print(f"{suite.name}: precision {precision(scores.values()):.3%}")
        for group, score in scores.items():
            word = "recall" if score.harmful else "alarms"
            median = statistics.median(score.seconds) * 1e3
            print(f"  {group:18} {word} {score.rate:8.2%} of {score.total:5}, median {median:.2f} ms CPU")
            if show:
                print("".join(f"    wrong: {name!r}\n" for name in score.wrong), end="")
    alarmed, total = 0, 0
    for chunk in documentation():
        total += 1
        hits = findings(part("body", chunk))
        alarmed += bool(hits)
        if show and hits:
            print(f"    alarm: {', '.join(hit.rule for hit in hits)} at line {hits[0].line} of {chunk[:60]!r}")
    print(f"documentation: {alarmed} alarms in {total} pieces ({alarmed / max(1, total):.2%})")


if __name__ == "__main__":
    main()
