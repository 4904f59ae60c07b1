"""The product's own processes: the worker and the doors, each started as `python -m workers <name>`."""

import sys
from collections.abc import Mapping
from pathlib import Path

from workers.stack.part import Part
from workers.stack.ports import LOOPBACK
from workers.stack.secrets import Secrets
from workers.stack.servers import Addresses

# In the order of their start. The worker and the command adapter need each other for nothing but speed.
PROCESSES = {"worker": "Worker", "commands": "Command adapter", "http": "HTTP API", "mcp": "MCP server"}
# Those that listen, with the setting of their port.
PORTS = {"http": "KAPELLE_HTTP_PORT", "mcp": "KAPELLE_MCP_PORT"}
_DRAIN_SECONDS = 30.0
# The alias of the embedder that needs no key and no network, and the file that defines it.
_EMBED_ALIAS = "embed"
_LITELLM_CONFIG = Path(__file__).parents[2] / "deploy" / "litellm" / "config.yaml"


def ports_to_choose(inherited: Mapping[str, str]) -> tuple[str, ...]:
    """Name the processes whose port no setting names."""
    return tuple(name for name, variable in PORTS.items() if not inherited.get(variable))


def http_url(inherited: Mapping[str, str], chosen: Mapping[str, int]) -> str:
    """Return where the HTTP API answers."""
    host = inherited.get("KAPELLE_HTTP_HOST") or LOOPBACK
    return f"http://{LOOPBACK if host == '0.0.0.0' else host}:{inherited.get(PORTS['http']) or chosen['http']}"  # noqa: S104


def mcp_url(inherited: Mapping[str, str], chosen: Mapping[str, int]) -> str:
    """Return where the MCP server answers."""
    host = inherited.get("KAPELLE_MCP_HOST") or LOOPBACK
    return f"http://{LOOPBACK if host == '0.0.0.0' else host}:{inherited.get(PORTS['mcp']) or chosen['mcp']}/mcp"  # noqa: S104


def parts(
    inherited: Mapping[str, str], addresses: Addresses, secrets: Secrets, chosen: Mapping[str, int]
) -> tuple[Part, ...]:
    """Describe the processes; they get the environment that `up` got, completed by what the home knows."""
    listening = {PORTS[name]: str(port) for name, port in chosen.items()}
    environment = {**_defaults(addresses, secrets), **listening, **_given(inherited)}
    return tuple(
        Part(
            name=name,
            title=title,
            argv=(sys.executable, "-m", "workers", name),
            environment=environment,
            stop_seconds=_DRAIN_SECONDS,
        )
        for name, title in PROCESSES.items()
    )


def _defaults(addresses: Addresses, secrets: Secrets) -> dict[str, str]:
    return {
        "KAPELLE_DATABASE_URL": addresses.product_dsn,
        "KAPELLE_NATS_URL": addresses.nats_url,
        "KAPELLE_PAYLOAD_KEYS": secrets.payload_keys,
        "KAPELLE_DIGEST_KEY": secrets.digest_key,
        "KAPELLE_EMBED_ALIAS": _EMBED_ALIAS,
        "KAPELLE_LITELLM_CONFIG": str(_LITELLM_CONFIG),
        "TEMPORAL_ADDRESS": addresses.temporal_address,
    }


def _given(inherited: Mapping[str, str]) -> dict[str, str]:
    """Leave out empty variables, which mean the same as missing ones, and the owner's address, which is not for us."""
    return {name: value for name, value in inherited.items() if value and name != "KAPELLE_DATABASE_OWNER_URL"}
