"""What a whole scan costs: notes of two sizes, hostile texts of the largest size, and whether any grows out of line.

Run it with `python -m benchmarks.scan_cost`. All times are of the processor, for all jobs of the scan together.
"""

import statistics
import time
from collections.abc import Iterator
from random import Random
from typing import Final

from benchmarks.scan import documentation
from benchmarks.scan_data import credentials, values
from kapelle.domain.entries import Draft, Kind
from kapelle.domain.rules.scan import gate
from kapelle.domain.scan import Policy
from kapelle.settings import LINK_HOSTS

SMALL: Final = 1_024
LARGE: Final = 65_536
NOTES: Final = 400
ROUNDS: Final = 3
POLICY: Final = Policy(link_hosts=LINK_HOSTS)
# Texts that are one piece over and over: what each rule looks for, without an end.
_PIECES: Final = (
    *("a", "A", "0", "9", " ", "\n", "\t", ".", "-", "_", "/", "\\", "@", ":", "=", "&", "%", "#", "$", "*", "<", "["),
    *(
        "(",
        "{",
        ")",
        "]",
        '"',
        "'",
        "`",
        "|",
        "~",
        "+",
        ",",
        ";",
        "é",
        "密",
        "𝕏",
        "\u200b",
        "\u200d",
        "\ufdfa",
        "\u0430",
    ),
    *("ab", "a.", "a.b.", "a-", "a_", "a/", "a@", "a@b", "a@b.co ", "a@b.co", "@a.io", "x@y.io,", "git@a.io:", "a b "),
    *("[a](", "[a](//b.io ", "](", "]: ", "[a]: b\n", "<a ", "<a href=", 'href="', "url(", "src=x ", "![", "<!--"),
    *("http://", "https:/", "https://a.io ", "https://a:b@c.io ", "://a:", "://a:b/", "//a.io/", "www.", "www.a.io "),
    *(
        "javascript:",
        "data:text/html,",
        "file:///",
        "\\\\a.io\\",
        "a.io/b ",
        "a.io:80 ",
        "&amp;",
        "&#106;",
        "%41",
        "%2541",
    ),
    *("\\u0041", "\\x41", "\\n", "**", "a*b", "~~", "<b>", "</b>", "a<b>b</b>", "QUJD", "QUJDREVGR0g=", "YWJjZGVm\n"),
    *("eyJ", "eyJhbGciOiJI.", "sk-", "ghp_", "ghp_ABCDEFGH", "AKIA", "xoxb-", "SG.", "-----BEGIN ", "PRIVATE KEY"),
    *(
        "password",
        "password ",
        "password: ",
        "password=",
        "password is ",
        "pass ",
        "pw ",
        "secret_",
        "token ",
        "key ",
        "_key: ",
    ),
    *("api_key=", "key: a ", "login ", "login a/b ", "admin: ", "root/", "user and pass ", "credentials ", "basic "),
    *(
        "curl -u ",
        "curl -u a:b ",
        "mysql -p",
        "docker login -p ",
        " -u a ",
        " -u a -p ",
        "sshpass -p ",
        "echo a | sudo -S",
    ),
    *("authorization: ", "bearer ", "cookie: a=b;", "kind: Secret\ndata:\n", "| a ", "|---|\n", "password|\n|---|\n"),
    *(
        "+49 ",
        "+49 170 1234567 ",
        "4111 1111 ",
        "4111111111111111 ",
        "DE89 ",
        "DE89370400440532013000 ",
        "123-45-6780 ",
    ),
    *(
        "1.2.3.4 ",
        "1.2.3",
        "2a02:",
        "::",
        "2a02::1 ",
        "1990-01-01 ",
        "born ",
        "ssn ",
        "tax id ",
        "1,",
        "0x",
        "deadbeef",
    ),
    *("ignore ", "ignore all previous ", "instructions ", "system: ", "<|im_start|>", "you are now "),
    *("\u202e", "\u2066a\u2069", "\U000e0041", "\u00ad", "a\u200b", "\ufeff", "\x1b[0m"),
)


def notes() -> Iterator[str]:
    """Yield ordinary notes: pieces of documentation of about a kilobyte."""
    text = "\n\n".join(documentation(NOTES))
    yield from (text[at : at + SMALL] for at in range(0, SMALL * NOTES // 2, SMALL))


def dense() -> Iterator[str]:
    """Yield notes of a kilobyte that are full of what looks like a finding and is none."""
    lines = [case.body for case in credentials.SUITE.cases(values.seeded("dense")) if not case.harmful]
    random = Random(7)
    for _ in range(NOTES // 4):
        random.shuffle(lines)
        yield "\n".join(lines)[:SMALL]


def large() -> Iterator[str]:
    """Yield ordinary notes of the largest size."""
    text = "\n\n".join(documentation(NOTES * 2))
    yield from (text[at : at + LARGE] for at in range(0, len(text) - LARGE, LARGE))


def hostile(size: int = LARGE) -> Iterator[tuple[str, str]]:
    """Yield texts of one size that are made to be costly, each with its piece."""
    for piece in _PIECES:
        yield piece, (piece * (size // len(piece) + 1))[:size]
    random = Random(11)
    yield "drawn letters", "".join(random.choices(values.ALNUM, k=size))
    yield "drawn bytes in base64", values.base64_of(random, size)[:size]
    yield "drawn passwords", " ".join(values.password(random) for _ in range(size // 8))[:size]
    yield "all pieces", (" ".join(_PIECES) * (size // 500))[:size]


def milliseconds(text: str) -> float:
    """Return the processor's time for one scan, the best of a few."""
    draft = Draft(kind=Kind.FACT, title="Notes", body=text, tags=("infra",))
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        gate.scan(draft, POLICY)
        times.append(time.process_time() - start)
    return min(times) * 1e3


def _print_notes(name: str, texts: Iterator[str]) -> None:
    times = sorted(milliseconds(text) for text in texts)
    tail = times[int(len(times) * 0.99)]
    print(f"{name:32} p50 {statistics.median(times):7.2f} ms, p99 {tail:7.2f} ms, {len(times)} texts")


def main() -> None:
    """Print the figures."""
    _print_notes("1 KB, documentation", notes())
    _print_notes("1 KB, full of near misses", dense())
    _print_notes("64 KB, documentation", large())
    halves = dict(hostile(LARGE // 2))
    worst = sorted(((milliseconds(text), piece) for piece, text in hostile()), reverse=True)
    print(f"{'64 KB, hostile':32} worst {worst[0][0]:6.1f} ms, {len(worst)} texts")
    for cost, piece in worst[:12]:
        print(f"  {piece!r:30} {cost:7.1f} ms, {cost / max(0.1, milliseconds(halves[piece])):.1f} times that of a half")


if __name__ == "__main__":
    main()
