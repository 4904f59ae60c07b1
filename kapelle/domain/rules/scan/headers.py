"""Credentials in HTTP headers and cookies, and in Kubernetes manifests."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import Final

from kapelle.domain.rules.scan.placeholders import is_filler, is_hex, is_placeholder, is_reference, is_uuid
from kapelle.domain.rules.scan.shapes import MEDIUM, WEAK, is_machine_drawn, typed_strength
from kapelle.domain.rules.scan.tokens import Hit, too_dense

_AUTHORIZATION: Final = re.compile(
    r"authorization[\"'`]?\s{0,3}[:=,]\s{0,3}[\"'`]?(?:(?:bearer|token|apikey|api-key|ssws|bot|key|oauth|splunk"
    r"|genie_?key|pve?apitoken|basic)[ =:]\s{0,2}(?:token=)?)?[\"'`]?(?P<value>[^\s\"'`<>,]{8,2000})",
    re.IGNORECASE,
)
_BEARER: Final = re.compile(r"bearer[ \t]{1,3}[\"'`]?(?P<value>[A-Za-z0-9_\-.~+/=]{16,2000})", re.IGNORECASE)
_BASIC: Final = re.compile(r"basic[ \t]{1,3}[\"'`]?(?P<value>[A-Za-z0-9+/]{8,400}={0,2})", re.IGNORECASE)
_COOKIE: Final = re.compile(r"cookie[\"'`]?(?:\s{0,2}[:=]\s{0,2}|[ ])[\"'`]?(?P<pairs>[^\n\"'`]{8,600})", re.IGNORECASE)
_COOKIE_PAIR: Final = re.compile(
    r"(?:[\w.\-]{0,24}(?:sess|sid|auth|token|jwt|remember|login)[\w.\-]{0,24})=(?P<value>[^\s;,&]{12,500})",
    re.IGNORECASE,
)
_SECRET_KIND: Final = re.compile(r"kind:\s{0,3}[\"']?Secret\b|\"kind\":\s{0,3}\"Secret\"")
_SECRET_DATA: Final = re.compile(
    r"^(?P<indent>[ \t]{0,24})[\"']?(?:data|stringData)[\"']?:[ \t]{0,3}(?:\{|\r?\n)", re.MULTILINE
)
_SECRET_ENTRY: Final = re.compile(
    r"[ \t]{1,28}[\"']?[\w.\-]{1,80}[\"']?:[ \t]{1,3}(?P<quote>[\"']?)(?P<value>[^\s\"']{4,4000})"
)
_ENTRIES: Final = 60
_MAX_ATTEMPTS: Final = 500


def hits(text: str, low: str) -> Iterator[Hit]:
    """Yield what headers, cookies and manifests in the text carry; `low` is its lower case."""
    for literal, pattern, check in _HEADERS:
        if literal in low:
            yield from _header_hits(text, low, literal, pattern, check)
    if "cookie" in low:
        yield from _cookies(text)
    if "kind" in low and "secret" in low and "data" in low:
        yield from _manifests(text)


def _header_hits(
    text: str, low: str, literal: str, pattern: re.Pattern[str], check: Callable[[str], bool]
) -> Iterator[Hit]:
    at = low.find(literal)
    for _ in range(_MAX_ATTEMPTS):
        if at < 0:
            return
        match = pattern.match(text, at)
        if match and check(match["value"]):
            yield Hit("http-header", "a credential in a header", match.start("value"), match.end("value"))
        at = low.find(literal, at + len(literal))
    if at >= 0:
        yield too_dense(at)


def _is_header_value(value: str) -> bool:
    return (
        is_machine_drawn(value)
        or (is_hex(value) and len(value) > 24 and not is_filler(value))
        or is_uuid(value)
        or typed_strength(value) > MEDIUM
        or _is_basic(value)
    )


def _is_bearer(value: str) -> bool:
    return is_machine_drawn(value) or (is_hex(value) and len(value) > 24 and not is_filler(value)) or is_uuid(value)


def _is_basic(value: str) -> bool:
    try:
        login = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return False
    user, separator, password = login.partition(":")
    return bool(separator) and user.isprintable() and (typed_strength(password) >= WEAK or is_machine_drawn(password))


_HEADERS: Final = (
    ("authorization", _AUTHORIZATION, _is_header_value),
    ("bearer", _BEARER, _is_bearer),
    ("basic", _BASIC, _is_basic),
)


def _cookies(text: str) -> Iterator[Hit]:
    for match in _COOKIE.finditer(text):
        for pair in _COOKIE_PAIR.finditer(match["pairs"]):
            value = pair["value"]
            if is_machine_drawn(value) or (is_hex(value) and len(value) > 24):
                start = match.start("pairs") + pair.start("value")
                yield Hit("cookie", "a session cookie", start, start + len(value))


def _manifests(text: str) -> Iterator[Hit]:
    if not _SECRET_KIND.search(text):
        return
    for block in _SECRET_DATA.finditer(text):
        at = block.end()
        for _ in range(_ENTRIES):
            entry = _SECRET_ENTRY.match(text, at)
            if entry is None:
                break
            if _is_manifest_value(entry["value"]):
                yield Hit(
                    "kubernetes-secret", "a value of a Kubernetes Secret", entry.start("value"), entry.end("value")
                )
            newline = text.find("\n", entry.end())
            at = newline + 1 if newline > 0 else len(text)


def _is_manifest_value(value: str) -> bool:
    if is_placeholder(value) or is_reference(value):
        return False
    if typed_strength(value) >= WEAK or is_machine_drawn(value):
        return True
    try:
        content = base64.b64decode(value, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return False
    return typed_strength(content.strip()) >= WEAK or is_machine_drawn(content.strip())
