"""The one screen that says where everything is and what to try first."""

import shlex
import sys
from pathlib import Path

from workers.stack.endpoints import AGENT, Endpoints
from workers.stack.home import Home


def render(home: Home, endpoints: Endpoints, seconds: float) -> str:
    """Return the screen as plain text; passwords stay in `endpoints.json`."""
    rows = (
        ("Commands (NATS)", _without_password(endpoints.nats_url)),
        ("HTTP API", endpoints.http_url or "not running"),
        ("MCP (agents)", endpoints.mcp_url or "not running"),
        ("Temporal", endpoints.temporal_address),
        ("Temporal UI", endpoints.temporal_ui_url or "where your server has it"),
        ("PostgreSQL", _without_password(endpoints.postgres_dsn or "where your server is")),
        ("Organisation, team", f"{endpoints.org}, {endpoints.team}"),
        ("You", f"{endpoints.person} (admin, maintainer of {endpoints.team})"),
        ("An agent", f"{endpoints.team}/{AGENT}"),
        ("Passwords and tokens", _short(home.endpoints)),
        ("Logs", _short(home.path / "logs")),
    )
    addresses = "\n".join(f"  {label:<22}{value}" for label, value in rows)
    tries = "\n".join(f"  {number}. {line}" for number, line in enumerate(_tries(home, endpoints), start=1))
    return f"\nKapelle memory is up ({seconds:.1f} s).\n\n{addresses}\n\nTry:\n{tries}\n\nCtrl-C stops all of it.\n"


def _tries(home: Home, endpoints: Endpoints) -> tuple[str, ...]:
    client = _short(Path(sys.executable).with_name("kapelle"))
    # The client finds the default home by itself.
    flags = "" if home.path.name == ".kapelle" and home.path.parent == Path.cwd() else f" --home {_short(home.path)}"
    look = f"open {endpoints.temporal_ui_url} to see the write as a workflow" if endpoints.temporal_ui_url else ""
    return tuple(
        filter(
            None,
            (
                f"{client} memory{flags} propose gotcha 'Webhook test is flaky' 'It needs the clock fixture.'",
                f"{client} memory{flags} search webhook",
                look,
            ),
        )
    )


def _short(path: Path) -> str:
    """Return the path relative to the working directory if it lies below it, quoted for a shell."""
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return shlex.quote(str(shown))


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2].partition('?')[0]}"
