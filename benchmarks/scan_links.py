"""Links: recall, alarms, agreement with the parser and cost, on forms of our own and on installed packages' texts.

Run it with `python -m benchmarks.scan_links`.
"""

import re
import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from random import Random
from typing import Final

import can_ada

from benchmarks.scan_link_forms import ALLOWED, HARMLESS, HOSTILE
from kapelle.domain.rules.scan import link_hosts, links, views
from kapelle.domain.rules.scan.hits import Hit

SEED: Final = 20310612
ROUNDS: Final = 3
FUZZED: Final = 100_000
_WORDS: Final = "plover gannet siskin dunlin avocet curlew bittern crake smew teal whimbrel godwit".split()
_TOPS: Final = "com net org io dev info xyz co.uk eu cloud ai".split()
_PROSE: Final = (
    "Retries back off twice before the message is parked for a person.",
    "The index is built outside peak hours because it locks the table for a moment.",
    "We keep one workflow per proposal; reviewers may answer days later.",
    "Values live next to the chart, overrides in one file per environment.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A note with at most one destination: what a browser would open, or nothing that is foreign."""

    form: str
    text: str
    opens: str | None


def find(text: str, hosts: frozenset[str] = ALLOWED) -> tuple[Hit, ...]:
    """Return the links found in a text as the gate looks for them: in the original and in its canonical view."""
    raw = views.raw(text)
    return links.find((raw, views.canon(raw)), hosts)


def hostile(seed: int = SEED) -> Iterator[Case]:
    """Yield every hostile form in notes, each round with other hosts."""
    for form, template, opens in HOSTILE:
        for turn in range(ROUNDS):
            random = Random(f"{seed} {form} {turn}")
            filled = _filled(random)
            opened = (opens or "{h}").format(**filled)
            yield Case(form=form, text=_note(random, template.format(**filled)), opens=opened)


def harmless(seed: int = SEED) -> Iterator[Case]:
    """Yield every harmless form in notes."""
    for number, template in enumerate(HARMLESS):
        for turn in range(ROUNDS):
            random = Random(f"{seed} harmless {number} {turn}")
            yield Case(form=template, text=_note(random, template.format(**_filled(random))), opens=None)


def named(case: Case) -> bool:
    """Tell whether what a browser would open was found under its right name."""
    wanted = f"a {case.opens} link" if str(case.opens).endswith(":") else f"a link to {case.opens},"
    return any(hit.what.startswith(wanted) for hit in find(case.text))


def fuzzed(count: int = FUZZED, seed: int = SEED) -> Iterator[str]:
    """Yield URLs of random pieces that browsers and other parsers read differently."""
    random = Random(seed)
    for _ in range(count):
        scheme = random.choice(("https", "http", "HTTPS", "hTTp", "ws", "ftp"))
        slashes = random.choice(("//", "//", "//", "/", "///", "\\\\", "/\\"))
        yield f"{scheme}:{slashes}{_user(random)}{_host(random)}{_port(random)}{_rest(random)}"


def agrees(url: str) -> bool:
    """Tell whether the finder names the foreign host that the WHATWG parser opens for the whole URL."""
    try:
        host = can_ada.parse(url).hostname.removesuffix(".")
    except (ValueError, TypeError):
        return True
    hits = find(f"go {url} now")
    if "." not in host and ":" not in host and not hits:
        return True
    if link_hosts.allowed(host, ALLOWED) or link_hosts.has_variable(url):
        return True
    return any(f"a link to {host}," in hit.what for hit in hits)


def documents() -> Iterator[str]:
    """Yield the descriptions of the installed packages in pieces of about a kilobyte."""
    for distribution in metadata.distributions():
        piece = ""
        for line in (distribution.read_text("METADATA") or "").splitlines(keepends=True):
            piece += line
            if len(piece) > 1024:
                yield piece
                piece = ""
        yield piece


def without_urls(text: str) -> str:
    """Return a text without what has a scheme and slashes, or begins with www."""
    return re.sub(r"(?:[A-Za-z][\w+.-]*:)?//\S+|www\.\S+", " ", text)


def _filled(random: Random) -> dict[str, str]:
    host = f"{random.choice(_WORDS)}-{random.choice(_WORDS)}{random.randrange(100)}.{random.choice(_TOPS)}"
    digest = "".join(random.choice("0123456789abcdef") for _ in range(40))
    return {"h": host, "H": host.upper(), "n": str(random.randrange(10, 1000)), "x": digest}


def _note(random: Random, line: str) -> str:
    before, after = random.sample(_PROSE, 2)
    return f"{before}\n\n{line}\n\n{after}"


def _user(random: Random) -> str:
    return random.choice(
        ("", "", "", "git.tern.dev@", "a:b@", "git.tern.dev:443@", "x%40y@", "a@b@", "git.tern.dev%2f@", "é@")
    )


def _host(random: Random) -> str:
    word, other = random.choice(_WORDS), random.choice(_WORDS)
    return random.choice(
        (
            f"{word}.{other}.com",
            f"{word.upper()}.io",
            f"git.tern.dev.{word}.net",
            f"{word}%2e{other}.org",
            f"{word}。{other}.dev",
            f"ｂ{word}.eu",
            f"{word}é.com",
            f"xn--{word}-kva.com",
            f"{random.randrange(2**32)}",
            f"0x{random.randrange(2**32):x}",
            f"{random.randrange(256)}.{random.randrange(2**24)}",
            f"0{random.randrange(256):o}.0{random.randrange(256):o}.1.2",
            f"[2a02::{random.randrange(2**16):x}]",
            f"{word}.{other}.com.",
            f"{word}_x.{other}.com",
            "git.tern.dev",
        )
    )


def _port(random: Random) -> str:
    return random.choice(("", "", "", ":443", ":8080", ":", ":80", ":00443"))


def _rest(random: Random) -> str:
    return random.choice(
        (
            "",
            "/",
            "/a/b?c=d#e",
            "?q=1",
            "#top",
            "\\@git.tern.dev/",
            "/@git.tern.dev",
            "?@git.tern.dev",
            "#@git.tern.dev",
            "/%2e%2e/x",
            ":x/",
        )
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} % ({part} of {whole})"


def latencies(texts: Iterable[str]) -> list[float]:
    """Return the CPU time of each scan in milliseconds, the best of three."""
    return [min(_cost(text) for _ in range(3)) for text in texts]


def _cost(text: str) -> float:
    start = time.thread_time_ns()
    find(text)
    return (time.thread_time_ns() - start) / 1e6


def _filled_to(size: int, seed: int) -> str:
    random = Random(seed)
    pool = [case.text for case in (*hostile(), *harmless())]
    text = ""
    while len(text) < size:
        text += random.choice(pool) + "\n\n"
    return text[:size]


def main() -> None:
    """Print recall, alarms, agreement and cost."""
    bad, good = list(hostile()), list(harmless())
    missed = [case for case in bad if not named(case)]
    alarmed = [case for case in good if find(case.text)]
    print(f"forms: {len(HOSTILE)} hostile, {len(HARMLESS)} harmless, {ROUNDS} rounds")
    print("hostile, right host named:", _percent(len(bad) - len(missed), len(bad)))
    for case in missed:
        print("  missed:", case.form, case.opens)
    print("harmless, alarms:", _percent(len(alarmed), len(good)))
    for case in alarmed:
        print("  alarm:", case.form, [hit.what for hit in find(case.text)])
    urls = list(fuzzed())
    print("agreement with the WHATWG parser:", _percent(sum(map(agrees, urls)), len(urls)))
    pieces = [without_urls(text) for text in documents()]
    print(
        "package descriptions without their URLs, alarms:",
        _percent(sum(1 for text in pieces if find(text)), len(pieces)),
    )
    for size, count in ((1024, 200), (65536, 10)):
        costs = sorted(latencies(_filled_to(size, seed) for seed in range(count)))
        print(
            f"{size} characters, half of them hostile: p50 {statistics.median(costs):.3f} ms, worst {costs[-1]:.3f} ms"
        )


if __name__ == "__main__":
    main()
