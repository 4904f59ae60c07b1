"""What one MCP server is told: where NATS is, where to listen, and over stdio the agent's token."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kapelle.adapters.cli import home
from kapelle.adapters.cli.outcomes import UsageFault
from kapelle.settings import Secret, SettingsError, mcp_address


@dataclass(frozen=True, slots=True, kw_only=True)
class McpConfig:
    """The settings of one process. It needs neither the database nor Temporal."""

    nats_url: Secret
    host: str
    port: int
    token: Secret


def read(env: Mapping[str, str]) -> McpConfig:
    """Read the environment; where it names no NATS server, a home folder's `endpoints.json` does.

    Raises:
        SettingsError: naming what is missing or malformed.
    """
    host, port = mcp_address(env)
    return McpConfig(
        nats_url=Secret(_nats_url(env)), host=host, port=port, token=Secret(env.get("KAPELLE_TOKEN", "").strip())
    )


def _nats_url(env: Mapping[str, str]) -> str:
    given, folder = env.get("KAPELLE_NATS_URL", "").strip(), env.get("KAPELLE_HOME", "").strip()
    if given:
        return given
    if not folder:
        raise SettingsError("KAPELLE_NATS_URL is missing, and KAPELLE_HOME names no home folder that would have it")
    try:
        return home.read(Path(folder)).nats_url
    except UsageFault as fault:
        raise SettingsError(str(fault)) from None
