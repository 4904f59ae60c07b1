"""The gate's whole evaluation: recall, false alarms, precision and cost of each class of labelled cases.

Run it with `python -m benchmarks.gate`; `--misses` lists what was answered wrongly, by form and never by value, and
`--documentation` adds the alarms on pieces of real documentation. The tests hold a floor under each class.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from benchmarks import dedup as dedup_pairs
from benchmarks import scan, scan_hidden, scan_links, scan_personal
from benchmarks.dedup import Pair
from benchmarks.scan_data import credentials
from benchmarks.scan_data.values import seeded
from kapelle.domain.entries import Draft, Kind
from kapelle.domain.rules import dedup
from kapelle.domain.rules.scan import gate
from kapelle.domain.scan import Policy

# Of the labels of pairs: what a person should be asked about. The others name another place or thing.
_CONTRADICTING: Final = frozenset(
    "antonym date frequency modal negation number operator quantifier tense time unit version weekday".split()
)
_APART: Final = 37


@dataclass(slots=True, kw_only=True)
class Tally:
    """How the cases of one class were answered. A class may hold harmful cases, harmless ones, or both."""

    harmful: int = 0
    found: int = 0
    harmless: int = 0
    alarms: int = 0
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.found / self.harmful if self.harmful else 1.0

    @property
    def alarm_rate(self) -> float:
        return self.alarms / self.harmless if self.harmless else 0.0

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.alarms) if self.found + self.alarms else 1.0

    def add(self, name: str, answer: Callable[[], bool], *, harmful: bool) -> None:
        """Ask about one case and keep the answer and its cost."""
        start = time.process_time()
        said = answer()
        self.seconds.append(time.process_time() - start)
        self.harmful += harmful
        self.harmless += not harmful
        self.found += harmful and said
        self.alarms += said and not harmful
        if said != harmful:
            self.wrong.append(name)


Case = tuple[str, str, Callable[[], bool], bool]


def tallies() -> dict[str, Tally]:
    """Ask about all cases, and return the tally of each class."""
    found: dict[str, Tally] = {}
    for group, name, answer, harmful in _cases():
        found.setdefault(group, Tally()).add(name, answer, harmful=harmful)
    return found


def _cases() -> Iterator[Case]:
    yield from _credentials()
    yield from _links()
    yield from _personal_data()
    yield from _hidden()
    yield from _duplicates()
    yield from _conflicts()


def _credentials() -> Iterator[Case]:
    for case in credentials.SUITE.cases(seeded(f"{scan.SEED} {credentials.SUITE.name}")):
        yield f"credentials: {case.group}", case.name, partial(credentials.SUITE.found, case), case.harmful


def _links() -> Iterator[Case]:
    for case in scan_links.hostile():
        yield "links", case.form, partial(scan_links.named, case), True
    for case in scan_links.harmless():
        yield "links", case.form, partial(_has_links, case.text), False


def _personal_data() -> Iterator[Case]:
    for case in scan_personal.present():
        yield "personal data", case.name, partial(scan_personal.exact, case), True
        yield "personal data, redacted twice", case.name, partial(_changes_again, case.text), False
    for case in scan_personal.absent():
        yield "personal data", case.name, partial(_has_personal_data, case.text), False


def _has_links(text: str) -> bool:
    return bool(scan_links.find(text))


def _has_personal_data(text: str) -> bool:
    return bool(scan_personal.find(text))


def _changes_again(text: str) -> bool:
    once = _stored(text)
    return _stored(once) != once


def _stored(text: str) -> str:
    return gate.scan(Draft(kind=Kind.FACT, title="Notes", body=text, tags=()), Policy()).draft.body


def _hidden() -> Iterator[Case]:
    for case in scan_hidden.cases():
        group = "aimed at models" if case.group == "aimed at models" else "hidden text"
        yield group, case.name, partial(scan_hidden.found, case), case.harmful


def _duplicates() -> Iterator[Case]:
    for pair in dedup_pairs.pairs():
        for way, with_vectors in (("with vectors", True), ("without vectors", False)):
            ask = partial(dedup_pairs.taken_for_same, pair, with_vectors=with_vectors)
            yield f"duplicates, {way}", pair.id, ask, pair.same


def _conflicts() -> Iterator[Case]:
    pairs = dedup_pairs.pairs()
    for pair in pairs:
        if not pair.same and pair.kind in _CONTRADICTING:
            yield "conflicts", pair.id, partial(_is_candidate, pair.a, pair.b, pair), True
    for one, other in zip(pairs, (*pairs[_APART:], *pairs[:_APART]), strict=True):
        yield "conflicts", f"{one.id} and {other.id}", partial(_is_candidate, one.a, other.b, None), False


def _is_candidate(first: str, second: str, pair: Pair | None) -> bool:
    """Tell whether a person would be asked about two texts; two that are no pair have no cosine."""
    cosine, model = (pair.cosine, dedup_pairs.MODEL) if pair else (None, None)
    return dedup.conflict(dedup.statement("", first), dedup.statement("", second), cosine, model) is not None


def _print_table(found: dict[str, Tally], *, misses: bool) -> None:
    print(f"{'':34} {'recall':>18} {'false alarms':>18} {'precision':>10} {'p50 ms':>8}")
    for name, tally in found.items():
        recall = f"{tally.recall:.2%} of {tally.harmful}" if tally.harmful else ""
        alarms = f"{tally.alarm_rate:.2%} of {tally.harmless}" if tally.harmless else ""
        precise = f"{tally.precision:.2%}" if tally.harmful else ""
        median = statistics.median(tally.seconds) * 1e3
        print(f"{name:34} {recall:>18} {alarms:>18} {precise:>10} {median:>8.2f}")
        if misses:
            print("".join(f"    wrong: {wrong!r}\n" for wrong in tally.wrong), end="")


def _print_documentation(pieces: Iterable[str]) -> None:
    total = alarms = 0
    for piece in pieces:
        total += 1
        alarms += scan.alarms(piece)
    print(f"{'documentation, credentials':34} {'':18} {f'{alarms / total:.2%} of {total}':>18}")


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--misses", action="store_true")
    arguments.add_argument("--documentation", action="store_true")
    options = arguments.parse_args()
    _print_table(tallies(), misses=options.misses)
    if options.documentation:
        _print_documentation(scan.documentation())


if __name__ == "__main__":
    main()
