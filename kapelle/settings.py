"""Every setting of the product, read once from an environment that is passed in."""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from kapelle.domain import validation
from kapelle.domain.errors import InvalidRequest
from kapelle.domain.scan import PersonalData

PREFIX = "KAPELLE_"
MCP_HOST, MCP_PORT = "127.0.0.1", 8401


# Documentation and code hosting that notes of engineers link to most; a team adds its own.
LINK_HOSTS = frozenset(
    {
        "developer.mozilla.org",
        "docs.github.com",
        "docs.nats.io",
        "docs.python.org",
        "docs.temporal.io",
        "github.com",
        "gitlab.com",
        "kubernetes.io",
        "www.postgresql.org",
    }
)


class SettingsError(Exception):
    """One or more settings are missing or malformed; the message lists them all."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that prints as stars."""

    value: str

    def __repr__(self) -> str:
        return "Secret('***')"

    __str__ = __repr__


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one process. `docs/settings.md` describes each; a test keeps the two in step.

    The Temporal connection (address, namespace, keys) comes from Temporal's own `TEMPORAL_*` variables.
    """

    database_url: Secret
    nats_url: Secret
    # AES-256 keys of Temporal payloads as `id:base64` separated by commas. The first encrypts, all decrypt.
    payload_keys: Secret
    # Keys tombstones and request digests. Changing it lets forgotten texts come back.
    digest_key: Secret
    # NATS accounts whose requests may claim people alone, agents alone, and anybody; without any, claims are unbound.
    nats_people_account: str = ""
    nats_agents_account: str = ""
    nats_doors_account: str = ""
    org: str = "default"
    # Hosts that entries of every team may link to.
    link_hosts: frozenset[str] = LINK_HOSTS
    personal_data: PersonalData = "redact"
    embed_alias: str = ""
    litellm_config: str = ""
    litellm_url: str = ""
    litellm_key: Secret = field(default=Secret(""))
    embed_seconds: float = 5.0
    # Entries that the backfill embeds a minute, and minutes between its scheduled runs.
    backfill_per_minute: int = 1200
    backfill_minutes: int = 5
    # Exports as pull requests: the API's address, and a token or an installed App.
    github_url: str = "https://api.github.com"
    github_token: Secret = field(default=Secret(""))
    github_app_id: str = ""
    github_app_key_file: str = ""
    github_app_installation: int = 0
    # Seconds between two writes to GitHub, which asks for one.
    github_pause: float = 1.0
    # How long a caller waits for a write before the reply names the operation instead.
    reply_seconds: float = 4.0
    read_limit: int = 64
    write_limit: int = 256
    # Group commit: batches that run at once, and drafts in one.
    batches: int = 3
    batch_drafts: int = 100
    pool_size: int = 10
    mcp_host: str = MCP_HOST
    mcp_port: int = MCP_PORT
    http_host: str = "127.0.0.1"
    http_port: int = 8400
    task_queue: str = "kapelle-memory"
    # Runs workflows in Temporal's sandbox, which finds what is not deterministic and costs half as much again.
    sandbox: bool = False

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "Settings":
        """Read the `KAPELLE_*` variables of `env`.

        Raises:
            SettingsError: naming every variable that is missing or malformed.
        """
        values, problems = _read(env)
        needed = (f"{PREFIX}{name.upper()}" for name in sorted(_REQUIRED))
        problems += [f"{variable} is missing" for variable in needed if not env.get(variable, "").strip()]
        if problems:
            raise SettingsError("; ".join(problems))
        return cls(**values)


def check(env: Mapping[str, str]) -> None:
    """Look at the `KAPELLE_*` variables that are there, before anything is started with them.

    Raises:
        SettingsError: naming every variable that is malformed.
    """
    _, problems = _read(env)
    if problems:
        raise SettingsError("; ".join(problems))


def mcp_address(env: Mapping[str, str]) -> tuple[str, int]:
    """Read where the MCP server listens, for a process that needs no other setting of the service.

    Raises:
        SettingsError: naming what is malformed.
    """
    values, problems = _read({name: value for name, value in env.items() if name.startswith(f"{PREFIX}MCP_")})
    if problems:
        raise SettingsError("; ".join(problems))
    return values.get("mcp_host", MCP_HOST), values.get("mcp_port", MCP_PORT)


def _read(env: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, parse in _PARSERS.items():
        variable = PREFIX + name.upper()
        text = env.get(variable, "").strip()
        if not text:
            continue
        try:
            values[name] = parse(text)
        except ValueError as error:
            problems.append(f"{variable} {error}")
    return values, problems


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError("must be a whole number of at least 1")
    return int(text)


def _whole(text: str) -> int:
    return 0 if text == "0" else _positive(text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= 65_535):
        raise ValueError("must be a port, from 1 to 65535")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 86_400:
        raise ValueError("must be a number of seconds above 0")
    return value


def _pause(text: str) -> float:
    return 0.0 if text == "0" else _seconds(text)


def _api_address(text: str) -> str:
    """Read the address of an API; a token travels in the clear only to this very machine."""
    parts = urlsplit(text)
    secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in {"127.0.0.1", "localhost"})
    if not secure or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ValueError("must look like https://api.github.com or https://github.example.com/api/v3")
    return text.rstrip("/")


def _switch(text: str) -> bool:
    if text.lower() not in {"on", "off"}:
        raise ValueError("must be on or off")
    return text.lower() == "on"


def _org(text: str) -> str:
    try:
        return validation.slug(text)
    except InvalidRequest:
        raise ValueError("must have 1 to 63 lower-case letters, digits and hyphens") from None


def _alias(text: str) -> str:
    """Read the alias; `off` stands for none, where something else would be the default."""
    return "" if text.lower() == "off" else text


def _hosts(text: str) -> frozenset[str]:
    try:
        return frozenset(validation.host(part) for part in text.split(",") if part.strip())
    except InvalidRequest:
        raise ValueError("must be hosts such as wiki.example.com or *.example.com, separated by commas") from None


def _personal_data(text: str) -> PersonalData:
    match text:
        case "redact" | "reject" | "quarantine" | "off":
            return text
        case _:
            raise ValueError("must be one of redact, reject, quarantine, off")


def _payload_keys(text: str) -> Secret:
    for part in text.split(","):
        key_id, _, encoded = part.strip().partition(":")
        try:
            key = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            key = b""
        if not key_id or len(key) != 32:
            raise ValueError("must be id:base64 of 32 bytes, several separated by commas")
    return Secret(text)


def _digest_key(text: str) -> Secret:
    if len(text) < 32:
        raise ValueError("must have at least 32 characters")
    return Secret(text)


_PARSERS: dict[str, Callable[[str], Any]] = {
    "database_url": Secret,
    "nats_url": Secret,
    "nats_people_account": str,
    "nats_agents_account": str,
    "nats_doors_account": str,
    "org": _org,
    "payload_keys": _payload_keys,
    "digest_key": _digest_key,
    "link_hosts": _hosts,
    "personal_data": _personal_data,
    "embed_alias": _alias,
    "litellm_config": str,
    "litellm_url": str,
    "litellm_key": Secret,
    "embed_seconds": _seconds,
    "backfill_per_minute": _positive,
    "backfill_minutes": _positive,
    "github_url": _api_address,
    "github_token": Secret,
    "github_app_id": str,
    "github_app_key_file": str,
    "github_app_installation": _whole,
    "github_pause": _pause,
    "reply_seconds": _seconds,
    "read_limit": _positive,
    "write_limit": _positive,
    "batches": _positive,
    "batch_drafts": _positive,
    "pool_size": _positive,
    "mcp_host": str,
    "mcp_port": _port,
    "http_host": str,
    "http_port": _port,
    "task_queue": str,
    "sandbox": _switch,
}
_REQUIRED = frozenset({"database_url", "nats_url", "payload_keys", "digest_key"})
