"""Which host a browser would open, and whether a team allows it. A WHATWG parser reads hosts, never a pattern."""

import re
from functools import lru_cache
from typing import Final

import can_ada

# What these name is on the reader's own machine; every other spelling of a loopback address is judged like any address.
READERS_OWN: Final = frozenset({"localhost", "127.0.0.1"})
# Reserved by RFC 2606 for documentation and registered to nobody. The reserved top-level names (.test, .example) are
# not
# here: a private resolver may serve them.
RESERVED_FOR_EXAMPLES: Final = ("example.com", "example.org", "example.net")
# Names that only resolve inside a cluster or a container network.
_CLUSTER: Final = (".svc", ".cluster.local")
# Names that only resolve inside a company. They count as foreign for a browser (a cloud's metadata service is one),
# not for a remote or a bare host.
_PRIVATE: Final = (
    ".internal",
    ".local",
    ".lan",
    ".corp",
    ".intranet",
    ".home.arpa",
    ".localdomain",
    ".private",
    ".test",
    ".invalid",
    ".example",
)

# A template's variable: shell, braces, angle brackets, printf, Windows, an ellipsis. In a host it makes the
# destination one nobody can open.
_VARIABLE: Final = re.compile(
    r"\$\{[^}\n]{0,80}\}|\$\([^)\n]{0,80}\)|\{\{[^}\n]{0,80}\}\}|\{[^{}\n]{0,80}\}|<[^<>\n]{1,80}>|\$\w{1,60}"
    r"|%\([^)\n]{0,40}\)[sdr]"
    r"|%[sdv](?![0-9a-fA-F])|%[A-Za-z_]{3,40}%|\.\.\.|\u2026|\[[A-Za-z_ -]{2,40}\]|_{2,}\w{1,40}?_{2,}|@@\w{1,40}@@"
)
# A host ends at ASCII punctuation that no host has, and at punctuation of other scripts except the three that IDNA
# reads as a dot.
_HOST: Final = re.compile(
    "\\[[0-9A-Fa-f:.%]{0,60}\\]|[^\\x00-\\x24\\x26-\\x2c/:;<=>?@\\[\\\\\\]^`{|}\\x7f\u2000-\u200a\u2010-\u2060\u3000\u3001\u3003-\u303f\uff01-\uff0d\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff60\ufffd]*"
)
_PORT: Final = re.compile(r":[0-9]{1,5}(?![0-9])")
_LITERAL_HOST: Final = re.compile(r"(?:[\w-]+\.)+[A-Za-z]{2,18}")
_LITERAL_TAIL: Final = re.compile(r"\.((?:[\w-]+\.)+[A-Za-z]{2,18})\.?(?::[0-9]{1,5})?$")
# Longer than any host, with room for its encodings.
_MAX_NAME: Final = 4096


def foreign(authority: str, hosts: frozenset[str]) -> str | None:
    """Return the host that a browser would open for an authority (user information, port), or None if allowed."""
    if (
        authority.isascii()
        and "%" not in authority
        and "$" not in authority
        and "{" not in authority
        and "<" not in authority
    ):
        return _judged(authority, hosts)
    if "[" not in authority[:1] and _VARIABLE.search(authority):
        return _templated(authority, hosts)
    return _judged(authority, hosts)


def foreign_name(name: str, hosts: frozenset[str]) -> str | None:
    """Return a host written without a scheme as a browser reads it, or None if allowed; private names are."""
    host = resolved(name)
    if host is None or "." not in host or host.endswith(_PRIVATE):
        return None
    return None if allowed(host, hosts) else host


def resolved(name: str) -> str | None:
    """Return the host as the WHATWG parser reads it (lower case, punycode, addresses in one form, no final dot)."""
    if len(name) > _MAX_NAME:
        return None
    try:
        host = can_ada.parse(f"https://{name}/").hostname
    except (ValueError, TypeError):
        return None
    return host.removesuffix(".") or None


def allowed(host: str, hosts: frozenset[str]) -> bool:
    """Tell whether a resolved host is listed (exactly, or below a `*.suffix`), reserved for examples, or local."""
    listed = _canonical(hosts)
    if host in listed or host in READERS_OWN or host.endswith(_CLUSTER):
        return True
    host = host.removeprefix("*.")
    at = host.find(".")
    while at >= 0:
        if "*" + host[at:] in listed:
            return True
        at = host.find(".", at + 1)
    return any(host == name or host.endswith("." + name) for name in RESERVED_FOR_EXAMPLES)


def has_variable(text: str) -> bool:
    """Tell whether the text holds a template's variable."""
    return _VARIABLE.search(text) is not None


@lru_cache(maxsize=64)
def _canonical(hosts: frozenset[str]) -> frozenset[str]:
    return frozenset(
        "*." + (resolved(host[2:]) or host[2:]) if host.startswith("*.") else resolved(host) or host for host in hosts
    )


def _judged(authority: str, hosts: frozenset[str]) -> str | None:
    userinfo, at, rest = authority.rpartition("@")
    found = _foreign_host(rest, hosts, disguised="." in userinfo)
    # Text such as "https://a.io),b@c.io" is one address for some programs and another for others: both are judged.
    if found is None and at and not _is_userinfo(userinfo):
        return _foreign_host(authority, hosts, disguised=False)
    return found


def _is_userinfo(text: str) -> bool:
    return not any(character in text for character in ",;)'|]}")


def _foreign_host(text: str, hosts: frozenset[str], *, disguised: bool) -> str | None:
    name = _name(text)
    if not name:
        return None
    host = resolved(name)
    if host is None:
        return _unreadable(name)
    if "." not in host and ":" not in host and not disguised and not host.startswith("xn--"):
        # One label resolves on the reader's own network or not at all.
        return None
    if host in READERS_OWN and name.lower().partition(":")[0] != host and host not in _canonical(hosts):
        # Nobody writes a loopback address in another way but to get past a list.
        return host
    return None if allowed(host, hosts) else host


def _name(text: str) -> str:
    match = _HOST.match(text)
    name = match[0] if match else ""
    return name if name.startswith("[") else name.rstrip(".,-_~!'*") or ""


def _unreadable(name: str) -> str | None:
    """No browser opens what its parser refuses; what was made to look like another host is refused all the same."""
    suspicious = not name.isascii() or "xn--" in name.lower() or "%" in name
    return "a host that cannot be read" if suspicious and "." in name else None


def _templated(authority: str, hosts: frozenset[str]) -> str | None:
    userinfo, _, rest = authority.rpartition("@")
    if _VARIABLE.search(userinfo) and not _VARIABLE.search(rest):
        return _judged(authority, hosts)
    marked = _VARIABLE.sub("\x00", authority)
    head, _, _ = marked.rpartition("@")[2].partition("\x00")
    tail = _LITERAL_TAIL.search(marked.rpartition("\x00")[2])
    if tail:
        host = resolved("x." + tail[1])
        return None if host is None or allowed(host, hosts) else "*" + host[1:]
    name = _name(head)
    # A dot or a dash before the variable makes it a part of the host, which nobody knows.
    whole = head[len(name) : len(name) + 1] not in (".", "-", "_")
    return _judged(head, hosts) if whole and _LITERAL_HOST.fullmatch(name.split(":")[0]) else None
