"""Credentials in addresses: user information, query parameters, connection strings."""

import re
from collections.abc import Iterator
from typing import Final

from kapelle.domain.rules.scan.placeholders import is_hex, is_placeholder, is_reference, is_stop_word
from kapelle.domain.rules.scan.shapes import NONE, WEAK, is_machine_drawn, typed_strength
from kapelle.domain.rules.scan.tokens import Hit

# At the scheme's slashes: user, password, host. A browser takes what stands before the last @ as user information.
_USER_INFO: Final = re.compile(
    r"://([^\s/:@<>\"'`\\]{0,64}):([^\s/<>\"'`]{1,200})@((?:\[[0-9A-Fa-f:.]+\]|[\w.\-${}<>]+))"
)
_TOKEN_USER: Final = re.compile(r"://([A-Za-z0-9_\-.~]{20,255})(?::x-oauth-basic)?@[\w.\-]+")
_QUERY: Final = re.compile(
    r"[?&;](?:[\w.\-]{0,24}(?:token|secret|api[_-]?key|apikey|password|passwd|signature|sig|auth|access[_-]?key"
    r"|client[_-]?secret)|key|pwd|pass|jwt|session|sid|code|x-amz-signature)=([^\s&#;\"'`<>)\]]{6,300})",
    re.IGNORECASE,
)
_LOOPBACK: Final = frozenset(
    {
        "localhost",
        "127.0.0.1",
        "::1",
        "[::1]",
        "0.0.0.0",  # noqa: S104 - nothing is bound here.
        "host.docker.internal",
    }
)
_TOYS: Final = frozenset(
    "guest root admin user test postgres mysql redis rabbitmq minio minioadmin app acc sys dev local neo4j kapelle"
    " default pass password secret example changeme pw s3cr3t mypassword".split()
)
_MIN_PASSWORD: Final = 3
# Hosts that exist in documents only.
_RESERVED: Final = re.compile(r"(?:^|\.)example(?:\.(?:com|org|net))?$")
_TEMPLATE: Final = re.compile(r"[<>{}\[\]]|\*\*|^\*$|^\$[A-Z][A-Z0-9_]*$|^\$[a-z_]\w*$|\$[{(]|\.\.\.|…|^%[a-z]$")
# A password may hold a slash that nobody encoded. What is a port before the first slash is none.
_SLASHED: Final = re.compile(
    r"://([^\s/:@<>\"'`\\]{1,64}):((?!\d{1,5}/)[^\s/@<>\"'`]{1,64}(?:/[^\s/@<>\"'`]{0,64}){1,4})@([\w.\-]+)"
)
_WEAK_QUERY: Final = re.compile(r"[?&;](?:code|key|sid|session|auth|sig|signature)=", re.IGNORECASE)


def hits(text: str) -> Iterator[Hit]:
    """Yield what an address in the text gives away."""
    if "://" in text:
        yield from _user_information(text)
    if "=" in text and ("?" in text or "&" in text):
        yield from _queries(text)


def _user_information(text: str) -> Iterator[Hit]:
    for match in _at_schemes(text, _USER_INFO):
        user, password, host = match[1], match[2], match[3]
        # A greedy match may run over a second address: the password ends at the first @ that a host follows.
        if not is_toy(user, password, host) and not _TEMPLATE.search(password):
            yield Hit("url-password", "a password in an address", match.start(2), match.end(2))
    for match in _at_schemes(text, _SLASHED):
        if typed_strength(match[2]) > WEAK or is_machine_drawn(match[2]):
            yield Hit("url-password", "a password in an address", match.start(2), match.end(2))
    for match in _at_schemes(text, _TOKEN_USER):
        # Elsewhere than on the web, a hexadecimal name is the id of what is opened.
        web = text[max(0, match.start() - 5) : match.start()].endswith(("http", "https"))
        if is_machine_drawn(match[1]) and (web or not is_hex(match[1])):
            yield Hit("url-token", "a token in an address", match.start(1), match.end(1))


def _at_schemes(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    at = text.find("://")
    while at >= 0:
        match = pattern.match(text, at)
        if match:
            yield match
        at = text.find("://", at + 3)


def is_toy(user: str, password: str, host: str) -> bool:
    """Say whether the login only shows a form, or is a toy that opens nothing but one's own machine."""
    low = password.lower()
    if is_placeholder(password) or is_reference(password) or is_stop_word(password) or _is_placeholder_host(host):
        return True
    if len(password) < _MIN_PASSWORD or (_RESERVED.search(host) and typed_strength(password) == NONE):
        return not is_machine_drawn(password)
    return (low in _TOYS or low == user.lower()) and (
        host.lower() in _LOOPBACK or (low in _TOYS and low in ("guest", "password", "pass", "secret", "changeme"))
    )


def _is_placeholder_host(host: str) -> bool:
    return host.upper() == host and host.isalpha() and len(host) > 1


def _queries(text: str) -> Iterator[Hit]:
    for match in _QUERY.finditer(text):
        value = match[1].rstrip(".,")
        if is_placeholder(value[:48]) or is_reference(value):
            continue
        name = match[0]
        if ("/" in value and _WEAK_QUERY.match(name)) or "badge" in text[max(0, match.start() - 160) : match.start()]:
            continue
        drawn = is_machine_drawn(value.replace("%3D", "=").replace("%2F", "/").replace("%2B", "+"))
        if drawn or (not _WEAK_QUERY.match(name) and typed_strength(value) > 1):
            yield Hit("url-parameter", "a credential in an address", match.start(1), match.start(1) + len(value))
