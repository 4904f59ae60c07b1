"""Requests by chance: bytes, JSON, and requests that are nearly right, from a seed."""

import json
import random
import string
from collections.abc import Callable, Iterator
from typing import Any

_WORDS = (
    "", " ", "\n", "\0", "\ud83d", "\udc00", "12", "0", "-1", "9" * 19, "9" * 30, "1e9", "NaN", "fact", "gotcha",
    "Fact", "pr", "apply", "helpful", "unhelpful", "keep-both", "demo", "nowhere", "../etc/passwd",
    "'; drop table x; --", "%s%n{}", "${jndi:x}", "<script>", "\u202eabc", "\u200b", "Größe", "東京都", "🎈", "a,b,c",
    ",", "x" * 201, "x" * 5000, "é" * 40_000, "6b1f8f5e-4d0e-4c39-9a63-1d0f6a2d7c11",
    "https://github.com/acme/payments", "https://[", "agent:demo/coder", "person:ada", "ada", "bob",
    "null", "true",
)  # fmt: skip
# The least and the most arguments of each operation.
_OPERATIONS = {
    "memory": {
        "search": (1, 2),
        "get": (1, 1),
        "list": (0, 0),
        "propose": (3, 4),
        "add": (3, 4),
        "accept": (1, 1),
        "edit": (4, 5),
        "forget": (1, 1),
        "export": (0, 1),
        "history": (1, 1),
        "conflicts": (0, 0),
        "resolve": (2, 2),
        "feedback": (2, 2),
        "operation": (1, 1),
        "backfill": (0, 1),
    },
    "team": {
        "create": (1, 2),
        "list": (0, 0),
        "show": (1, 1),
        "link-repo": (2, 2),
        "add-member": (2, 3),
        "remove-member": (2, 2),
        "add-agent": (2, 2),
    },
}
# Writing costs a workflow each; most requests should cost the adapter alone.
_WRITES = frozenset({"propose", "add", "accept", "edit", "forget"})
_WRITE_SHARE = 0.1


def requests(seed: int, count: int) -> Iterator[bytes]:
    """Yield that many requests, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - the same requests for the same seed
    kinds: tuple[Callable[[random.Random], bytes], ...] = (_bytes, _any_json, _cut, _near, _near, _near, _near)
    for _ in range(count):
        yield chance.choice(kinds)(chance)


def _bytes(chance: random.Random) -> bytes:
    return chance.randbytes(chance.choice((0, 1, 2, 10, 200, 3000)))


def _any_json(chance: random.Random) -> bytes:
    return _encode(_value(chance, 4))


def _cut(chance: random.Random) -> bytes:
    """A nearly right request with one byte changed, left out, or everything after it lost."""
    whole = bytearray(_near(chance))
    place = chance.randrange(len(whole))
    how = chance.randrange(3)
    if how == 0:
        whole[place] = chance.randrange(256)
    elif how == 1:
        del whole[place]
    else:
        del whole[place:]
    return bytes(whole)


def _near(chance: random.Random) -> bytes:
    command = chance.choice(("memory", "memory", "memory", "team"))
    operation = chance.choice(tuple(_OPERATIONS[command]))
    if operation in _WRITES and chance.random() > _WRITE_SHARE:
        operation = "search"
    least, most = _OPERATIONS[command][operation]
    if chance.random() < 0.1:
        most += 2
    request: dict[str, Any] = {
        "command": command,
        "team": "demo",
        "args": [operation, *_arguments(chance, operation, chance.randint(least, most))],
        chance.choice(("source", "user")): chance.choice(("agent:demo/coder", "ada")),
    }
    while chance.random() < 0.2:
        name = chance.choice((*request, "request_id", "source", "user", "extra"))
        request[name] = _value(chance, 2)
    if chance.random() < 0.1:
        del request[chance.choice(tuple(request))]
    return _encode(request)


def _arguments(chance: random.Random, operation: str, count: int) -> list[str]:
    """Words by chance, but often a kind or an id where one belongs."""
    words = [_word(chance) for _ in range(count)]
    if words and chance.random() < 0.7:
        words[0] = {"propose": "fact", "add": "gotcha", "search": words[0]}.get(operation, str(chance.randint(1, 30)))
    if operation == "search" and count > 1 and chance.random() < 0.7:
        words[1] = ""
    return words


def _word(chance: random.Random) -> str:
    if chance.random() < 0.6:
        return chance.choice(_WORDS)
    return "".join(chance.choices(string.printable + "äß€🎈\u2028\u200b", k=chance.randrange(40)))


def _value(chance: random.Random, depth: int) -> Any:
    simple: tuple[Callable[[], Any], ...] = (
        lambda: None,
        lambda: chance.random() < 0.5,
        lambda: chance.randrange(-(2**70), 2**70),
        lambda: chance.choice((0.0, -1.5, 1e308, float("inf"), float("nan"))),
        lambda: _word(chance),
        lambda: _word(chance),
    )
    if depth == 0 or chance.random() < 0.5:
        return chance.choice(simple)()
    if chance.random() < 0.5:
        return [_value(chance, depth - 1) for _ in range(chance.randrange(5))]
    return {_word(chance): _value(chance, depth - 1) for _ in range(chance.randrange(5))}


def _encode(value: Any) -> bytes:
    return json.dumps(value).encode()
