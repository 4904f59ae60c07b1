"""Personal data: recall, exact spans, alarms and cost, on values of our own and on installed packages' texts.

Run it with `python -m benchmarks.scan_personal`.
"""

import re
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks import scan_link_forms, scan_links
from benchmarks import scan_personal_values as values
from benchmarks.scan_personal_forms import DISGUISED, HARMLESS, PLAIN
from kapelle.domain.rules.scan import hidden, links, personal, views
from kapelle.domain.rules.scan.hits import Personal, PersonalHit

SEED: Final = 20310613
ROUNDS: Final = 3
_WORDS: Final = "heron plover stint ruff knot eider".split()
_PROSE: Final = (
    "Backfill runs at night and stops at the first error.",
    "A retry keeps its key, so that nothing is written twice.",
    "The dashboard shows the last 30 minutes by default.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A note with one piece of personal data, or with none."""

    name: str
    kind: str | None
    text: str
    value: str = ""


def find(text: str) -> tuple[PersonalHit, ...]:
    """Return the personal data of a text as the gate looks for it: in its canonical view."""
    return personal.find(views.canon(views.raw(text)))


def present(seed: int = SEED) -> Iterator[Case]:
    """Yield notes with one piece of personal data each."""
    named = tuple(("ID", f"{word} {{v}}", maker) for _, word, maker in values.IDENTITIES)
    spoken = tuple(
        ("ID", f"the customer's {word} is {{v}}, masked since", maker) for _, word, maker in values.IDENTITIES
    )
    for number, (kind, template, maker) in enumerate((*PLAIN, *named, *spoken)):
        for turn in range(ROUNDS):
            random = Random(f"{seed} {number} {turn}")
            yield _case(random, kind, template, maker(random))
    for number, (kind, template, maker, disguise) in enumerate(DISGUISED):
        for turn in range(ROUNDS):
            random = Random(f"{seed} disguised {number} {turn}")
            yield _case(random, kind, template, disguise(maker(random)))


def absent(seed: int = SEED) -> Iterator[Case]:
    """Yield notes without personal data; each form in four rounds with other numbers."""
    for number, template in enumerate(HARMLESS):
        for turn in range(ROUNDS + 1):
            random = Random(f"{seed} absent {number} {turn}")
            yield Case(name=template, kind=None, text=_note(random, _numbered(random, template)))


def exact(case: Case) -> bool:
    """Tell whether the value was found under its kind, from its first to its last character."""
    return any(hit.kind == case.kind and case.text[hit.start : hit.end] == case.value for hit in find(case.text))


def redacted(text: str) -> str:
    """Return a text with its personal data replaced."""
    return personal.redact(text, find(text))


def _case(random: Random, kind: str, template: str, value: str) -> Case:
    return Case(
        name=template,
        kind=kind,
        text=_note(random, template.replace("{v}", value).replace("{{", "{").replace("}}", "}")),
        value=value,
    )


def _note(random: Random, line: str) -> str:
    before, after = random.sample(_PROSE, 2)
    return f"{before}\n\n{line}\n\n{after}"


def _numbered(random: Random, template: str) -> str:
    def fill(match: re.Match[str]) -> str:
        return _made(random, match[1])

    return re.sub(r"\{([a-z]+\d*)\}", fill, template)


def _made(random: Random, name: str) -> str:
    if name == "w":
        return random.choice(_WORDS)
    if name == "u":
        return "-".join(_digits(random, size, "0123456789abcdef") for size in (8, 4, 4, 4, 12))
    if name == "badiban":
        number = values.account("DE", "999999999999999999")(random)
        return number[:2] + f"{(int(number[2:4]) + 5) % 97:02d}" + number[4:]
    if name in ("bad", "badg"):
        number = values.VISA(random)
        wrong = number[:-1] + str((int(number[-1]) + 4) % 10)
        return wrong if name == "bad" else "-".join(wrong[at : at + 4] for at in range(0, 16, 4))
    return _digits(random, int(name[1:]), "0123456789" if name[0] == "d" else "0123456789abcdef")


def _digits(random: Random, size: int, alphabet: str) -> str:
    # No number of a system begins with a zero.
    return random.choice(alphabet[1:10]) + "".join(random.choice(alphabet) for _ in range(size - 1))


def latencies(texts: Iterable[str]) -> list[float]:
    """Return the CPU time of links, personal data and hidden text together in milliseconds, the best of three."""
    return [min(_cost(text) for _ in range(3)) for text in texts]


def _cost(text: str) -> float:
    raw = views.raw(text)
    canon = views.canon(raw)
    start = time.thread_time_ns()
    links.find((raw, canon), scan_link_forms.ALLOWED)
    personal.find(canon)
    hidden.find(text)
    hidden.instructions(canon)
    return (time.thread_time_ns() - start) / 1e6


def mixed(size: int, seed: int, *, dense: bool) -> str:
    """Return a text of ordinary notes, or of nothing but what the rules look at."""
    random = Random(seed)
    pool = [case.text for case in (*present(), *absent())] if dense else list(_PROSE)
    text = ""
    while len(text) < size:
        text += random.choice(pool) + "\n\n"
    return text[:size]


_PIECES: Final = (
    "a@",
    "@a.io",
    "1.",
    "1 ",
    "+1",
    "4",
    "(",
    "0 ",
    "DE89",
    "phone ",
    "ssn ",
    "tel ",
    "dob 1",
    "2a02:",
    "::",
    "x at y dot ",
    "[at]",
    "http://",
    "https:/",
    "](",
    "]:",
    "=//",
    "href=",
    "www.",
    "url(",
    "a.com/",
    "evil.io:80",
    "javascript:",
    "data:",
    "<",
    "\u200b",
    "\u2066",
    "\u0301",
    "ignore ",
    "ignore previous ",
    "system ",
    "&#",
    "%2",
    "\\",
    "//",
    "-",
    ".",
    "a",
    "1",
    " ",
    "\n",
    "git@a.io:",
    "$",
    "{",
    "${",
    "<a",
    "curl ",
    "visit a.com ",
    "123-45-6780 ",
    "é",
    "漢",
    "😀",
    "\ufe0f",
    "you are now ",
)


def pathological(size: int = 65536) -> Iterator[tuple[str, str]]:
    """Yield texts that repeat what a finder jumps to."""
    for piece in _PIECES:
        yield piece, (piece * (size // len(piece) + 1))[:size]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} % ({part} of {whole})"


def _report_recall() -> None:
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for case in present():
        total[str(case.kind)] += 1
        found[str(case.kind)] += exact(case)
        if not exact(case):
            print("  missed:", case.name, [str(hit.kind) for hit in find(case.text)])
    for kind in total:
        print(f"{kind}, found whole: {_percent(found[kind], total[kind])}")
    print(f"all, found whole: {_percent(found.total(), total.total())}")
    again = sum(1 for case in present() if redacted(redacted(case.text)) != redacted(case.text))
    print(f"redacted twice is not redacted once: {again}")


def _report_alarms() -> None:
    cases = list(absent())
    alarmed = [case for case in cases if find(case.text)]
    print(f"harmless, alarms: {_percent(len(alarmed), len(cases))}")
    for case in alarmed:
        print("  alarm:", case.name, [str(hit.kind) for hit in find(case.text)])
    pieces = list(scan_links.documents())
    others = [text for text in pieces if any(hit.kind is not Personal.EMAIL for hit in find(text))]
    print(f"package descriptions with anything but an e-mail address: {_percent(len(others), len(pieces))}")


def main() -> None:
    """Print recall, alarms and cost."""
    print(
        f"forms: {len(PLAIN) + 2 * len(values.IDENTITIES) + len(DISGUISED)} of personal data, {len(HARMLESS)} harmless"
    )
    _report_recall()
    _report_alarms()
    for size, count in ((1024, 200), (65536, 8)):
        for dense in (False, True):
            costs = sorted(latencies(mixed(size, seed, dense=dense) for seed in range(count)))
            print(
                f"{size} characters, {'dense' if dense else 'prose'}: p50 {statistics.median(costs):.3f} ms, worst "
                f"{costs[-1]:.3f} ms"
            )
    worst = sorted(((latencies([text])[0], piece) for piece, text in pathological()), reverse=True)
    print("worst of the pathological ones:", ", ".join(f"{piece!r} {cost:.0f} ms" for cost, piece in worst[:8]))


if __name__ == "__main__":
    main()
