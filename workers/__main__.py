"""The processes that people start: `up` for the whole stack, or one of its parts by name."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import workflows
from kapelle.domain.errors import Fault
from kapelle.settings import Settings, SettingsError
from workers import backup, indexes, migrate, process
from workers.stack import schema, up
from workers.stack.database import MigrationError

_ROOT = Path(__file__).resolve().parents[1]
_PORTS = {
    "postgres": "PostgreSQL",
    "nats": "NATS",
    "temporal": "Temporal's frontend",
    "temporal-ui": "Temporal's UI",
    "temporal-http": "Temporal's HTTP API",
    "temporal-metrics": "Temporal's metrics",
    "mcp": "the MCP server",
    "http": "the HTTP API",
}


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments name and return the exit code."""
    _require_own_workflows()
    options = _parser().parse_args(arguments)
    own: dict[str, Callable[[], int | None]] = {
        "up": lambda: asyncio.run(up.run(_wishes(options), _say)),
        "backup": lambda: asyncio.run(backup.take(options.home, options.folder, os.environ, _say)),
        "restore": lambda: asyncio.run(backup.bring_back(options.home, options.folder, _say)),
        "schema": lambda: asyncio.run(schema.write(_say)),
        "migrate": _run_migrate,
        "indexes": _run_indexes,
        "mcp": lambda: _run_mcp(stdio=options.stdio),
    }
    run = own.get(options.process, lambda: _run_process(options.process))
    return run() or 0


def _require_own_workflows() -> None:
    """Refuse another distribution's `workflows`, a name that ours shares."""
    found = Path(str(workflows.__file__)).resolve()
    if found.parent.parent != _ROOT:
        raise SystemExit(f"`workflows` is {found}, not ours; start with `python -m workers` in {_ROOT}.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m workers", description=__doc__)
    processes = parser.add_subparsers(dest="process", required=True, metavar="PROCESS")
    whole = processes.add_parser("up", help="start everything in one home folder, and keep it running")
    whole.add_argument("--home", type=Path, default=_ROOT / ".kapelle", help="the folder (default: .kapelle)")
    for name, title in _PORTS.items():
        whole.add_argument(f"--port-{name}", type=_port, metavar="PORT", help=f"port of {title} (default: a free one)")
    for name, what in (
        ("backup", "write the data of a running home into a new folder"),
        ("restore", "make a new home"),
    ):
        one = processes.add_parser(name, help=f"{what}{' of a backup' if name == 'restore' else ''}")
        one.add_argument("folder", type=Path, metavar="DIR", help="the folder of the backup")
        one.add_argument("--home", type=Path, default=_ROOT / ".kapelle", help="the home (default: .kapelle)")
    processes.add_parser("schema", help="write migrations/schema.sql from the migrations")
    processes.add_parser("migrate", help="bring a real database up to date, as the owner of the schema, and end")
    processes.add_parser("worker", help="run workflows and activities")
    processes.add_parser("commands", help="answer commands over NATS")
    door = processes.add_parser("mcp", help="answer agents over MCP")
    door.add_argument("--stdio", action="store_true", help="one agent over standard input and output, by KAPELLE_TOKEN")
    processes.add_parser("indexes", help="keep the vector indexes of large teams, as the owner of the schema")
    processes.add_parser("http", help="answer requests over HTTP")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError("must be a number from 1 to 65535")
    return int(text)


def _wishes(options: argparse.Namespace) -> up.Wishes:
    given = {name: getattr(options, f"port_{name.replace('-', '_')}") for name in _PORTS}
    return up.Wishes(
        home=options.home,
        ports={name: port for name, port in given.items() if port is not None},
        environment=dict(os.environ),
    )


def _run_process(name: str) -> int:
    try:
        settings = Settings.from_env(os.environ)
    except SettingsError as error:
        for problem in str(error).split("; "):
            _say(problem)
        return 2
    process.configure_logging()
    try:
        asyncio.run(_process(name)(settings))
    except Fault as fault:
        _say(fault.message)
        return 1
    return 0


def _run_migrate() -> int:
    try:
        asyncio.run(migrate.run(os.environ))
    except (SettingsError, MigrationError) as error:
        _say(str(error))
        return 2 if isinstance(error, SettingsError) else 1
    return 0


def _run_indexes() -> int:
    owner_dsn = os.environ.get("KAPELLE_DATABASE_OWNER_URL", "")
    if not owner_dsn:
        _say("KAPELLE_DATABASE_OWNER_URL is missing: only the owner of the schema can make indexes")
        return 2
    process.configure_logging()
    asyncio.run(indexes.run(owner_dsn, os.environ.get("KAPELLE_ORG", "") or "default"))
    return 0


def _run_mcp(*, stdio: bool) -> int:
    # The SDK takes half a second to import, which no other process needs.
    from workers import mcp  # noqa: PLC0415

    process.configure_logging()
    try:
        asyncio.run(mcp.run(os.environ, stdio=stdio))
    except (SettingsError, Fault) as refusal:
        # Over stdio, standard output belongs to the protocol.
        print(refusal, file=sys.stderr)
        return 2 if isinstance(refusal, SettingsError) else 1
    return 0


def _process(name: str) -> Callable[[Settings], Coroutine[Any, Any, None]]:
    # Each process imports its own part alone: Temporal's library takes half a second, which `up` does not need.
    if name == "worker":
        from workers import worker  # noqa: PLC0415

        return worker.run
    if name == "http":
        from workers import http  # noqa: PLC0415

        return http.run
    from workers import commands  # noqa: PLC0415

    return commands.run


def _say(line: str) -> None:
    """Print a line; a stack whose terminal or reader is gone goes on without."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        # What is still buffered would be written, and fail, again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
