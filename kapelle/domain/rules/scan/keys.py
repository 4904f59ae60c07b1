"""Private keys as blocks of text: PEM, OpenSSH, PGP, PuTTY, and the values of key material in configuration."""

import re
from collections.abc import Iterator
from typing import Final

from kapelle.domain.rules.scan.placeholders import is_filler, is_placeholder
from kapelle.domain.rules.scan.tokens import Hit

_MIN_BODY: Final = 48
_WINDOW: Final = 1_500
# The body must follow the header at once, but for line ends, quotes, and the headers of old formats.
_BEGIN: Final = re.compile(
    r"-----BEGIN ((?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?|USER NKEY SEED)-----(?:[\s\"'`>|,+#*\\]|\\n"
    r"|[A-Z][A-Za-z\-]{2,20}: [^\n]{0,90}\n){0,60}(?=[A-Za-z0-9+/=]{16})",
    re.IGNORECASE,
)
_BODY: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")
_PUTTY: Final = re.compile(r"Private-Lines: \d+\s+([A-Za-z0-9+/=]{20,})")
_WIREGUARD: Final = re.compile(
    r"(?i:private[_ ]?key|preshared[_ ]?key)\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)"
)
_CLIENT_KEY: Final = re.compile(r"(?:client-key-data|tls\.key|ca\.key)[\"']?:\s{0,4}[\"']?(LS0t[A-Za-z0-9+/=]{60,})")
_JWK_PRIVATE: Final = re.compile(r"\"d\"\s{0,2}:\s{0,2}\"([A-Za-z0-9_\-]{40,700})\"")
_KEY_TYPE: Final = re.compile(r"\"kty\"\s{0,2}:\s{0,2}\"(?:RSA|EC|OKP)\"")
_DOCKER_AUTH: Final = re.compile(r"\"auth\"\s{0,2}:\s{0,2}\"([A-Za-z0-9+/]{8,400}={0,2})\"")
_ETHEREUM: Final = re.compile(
    r"(?i:private[ _-]?key|priv[_-]?key|wallet[_ -]?key|deployer[_ -]?key)[\"'`]?\s{0,3}(?:is"
    r"|[:=])\s{0,3}[\"'`]?(?:0x)?([0-9a-fA-F]{64})(?![0-9a-fA-F])"
)
# How the names of raw private keys begin.
_OWNERS: Final = ("priv", "preshared", "wallet", "deployer")


def hits(text: str, low: str) -> Iterator[Hit]:
    """Yield the private keys in the text; `low` is the text in lower case."""
    if "-----begin " in low:
        yield from _blocks(text)
    if "private" in low or "key" in low:
        yield from _valued(text, low)
    if '"auth"' in low:
        yield from _matches(_DOCKER_AUTH, text, "registry-auth", "a container registry login")
    if '"d"' in low and _KEY_TYPE.search(text):
        yield from _matches(_JWK_PRIVATE, text, "jwk-private-key", "a private JSON web key")


def _blocks(text: str) -> Iterator[Hit]:
    for match in _BEGIN.finditer(text):
        end = text.find("-----", match.end(), match.end() + 20 * _WINDOW)
        window = text[match.end() : min(end if end > 0 else len(text), match.end() + _WINDOW)]
        body = "".join(_BODY.findall(window))
        if len(body) >= _MIN_BODY and not is_filler(body[:200]) and "EXAMPLE" not in body[:64]:
            yield Hit("private-key", "a private key", match.start(), match.end() + len(window))


def _valued(text: str, low: str) -> Iterator[Hit]:
    if "private-lines" in low:
        yield from _matches(_PUTTY, text, "private-key", "a private key")
    for literal in _OWNERS:
        yield from _owned(text, low, literal)
    if "ls0t" in low:
        yield from _matches(_CLIENT_KEY, text, "private-key", "a private key")


def _owned(text: str, low: str, literal: str) -> Iterator[Hit]:
    at = low.find(literal)
    while at >= 0:
        if match := _WIREGUARD.match(text, at):
            yield from _value(match, "wireguard-key", "a WireGuard private key")
        if match := _ETHEREUM.match(text, at):
            yield from _value(match, "raw-private-key", "a private key")
        at = low.find(literal, at + len(literal))


def _matches(pattern: re.Pattern[str], text: str, rule: str, what: str) -> Iterator[Hit]:
    for match in pattern.finditer(text):
        yield from _value(match, rule, what)


def _value(match: re.Match[str], rule: str, what: str) -> Iterator[Hit]:
    value = match[1]
    if not is_filler(value[:100]) and not is_placeholder(value[:40]):
        yield Hit(rule, what, match.start(1), match.end(1))
