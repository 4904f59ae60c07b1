"""The command line, built from the groups; every common option may stand before or after the sub-command."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from kapelle.adapters.cli import embeddings, hold, ledger, memory, purge, team
from kapelle.adapters.cli.commands import Group, Subcommand
from kapelle.adapters.cli.config import DEFAULT_TIMEOUT, Flags

GROUPS = (memory.GROUP, team.GROUP, embeddings.GROUP, ledger.GROUP, purge.GROUP, hold.GROUP)

_LONGEST_WAIT = 3600.0

_AddParser = Callable[..., argparse.ArgumentParser]
_DESCRIPTION = "The memory that a team and its coding agents share: agents propose, people curate, everybody searches."
_EXAMPLES = (
    "kapelle memory search flaky webhook test",
    "kapelle memory propose gotcha 'Webhook test is flaky' 'It needs the clock fixture.'",
    "kapelle team show demo",
)
_SETTINGS = """
settings, each from the first place that has it:
  flag        environment        endpoints.json of the home
  --nats-url  KAPELLE_NATS_URL   nats_url
  --team      KAPELLE_TEAM       team
  --user      KAPELLE_USER       person
  --source    KAPELLE_SOURCE     -
  --home      KAPELLE_HOME       (the nearest .kapelle, here or in a folder above)

exit codes:
  0  done
  1  refused by the service; the reason is on standard error
  2  wrong usage
  3  not reachable; nothing happened
  4  no answer, or a part of the service does not answer: ask again with the same --request-id
"""


def build() -> argparse.ArgumentParser:
    """Return the parser of the whole command line. A parsed leaf has its record in `subcommand`."""
    parser = _parser(argparse.ArgumentParser, "kapelle", _DESCRIPTION, _EXAMPLES, _SETTINGS)
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    parser.set_defaults(subcommand=None, incomplete=parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for group in GROUPS:
        _add_group(commands.add_parser, group)
    _add_common_options(parser)
    return parser


def flags(given: argparse.Namespace) -> Flags:
    """Return the common options of a parsed command line."""
    known = {name: value for name, value in vars(given).items() if name in Flags.__dataclass_fields__}
    return Flags(**known)


class _Version(argparse.Action):
    """Looks the version up only when asked, since reading the package's metadata is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:  # Any: argparse passes what it likes.
        # A fifth of the time that `kapelle --help` takes.
        from importlib import metadata  # noqa: PLC0415

        try:
            version = metadata.version("kapelle-memory")
        except metadata.PackageNotFoundError:
            version = "of an uninstalled checkout"
        sys.stdout.write(f"kapelle {version}\n")
        parser.exit()


def _add_group(add_parser: _AddParser, group: Group) -> None:
    examples = [subcommand.examples[0] for subcommand in group.subcommands]
    parser = _parser(add_parser, group.name, group.description, examples, help=group.summary)
    parser.set_defaults(group=group.command or group.name, incomplete=parser)
    operations = parser.add_subparsers(title="operations", metavar="OPERATION")
    for subcommand in group.subcommands:
        _add_subcommand(operations.add_parser, subcommand)
    _add_common_options(parser)


def _add_subcommand(add_parser: _AddParser, subcommand: Subcommand) -> None:
    summary = subcommand.summary
    description = subcommand.description or f"{summary[0].upper()}{summary[1:]}."
    parser = _parser(add_parser, subcommand.name, description, subcommand.examples, help=summary)
    subcommand.declare(parser)
    _add_common_options(parser)
    parser.set_defaults(subcommand=subcommand)


def _parser(
    make: _AddParser, name: str, description: str, examples: Sequence[str], more: str = "", **options: str
) -> argparse.ArgumentParser:
    return make(
        name,
        description=description,
        epilog="examples:\n" + "".join(f"  {line}\n" for line in examples).replace("%", "%%") + more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        **options,
    )


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    # Suppressed defaults keep a sub-parser from overwriting what was given before the sub-command.
    absent = argparse.SUPPRESS
    common = parser.add_argument_group("common options")
    common.add_argument("--team", metavar="TEAM", default=absent, help="the team whose memory it is")
    caller = common.add_mutually_exclusive_group()
    caller.add_argument("--user", "--as-person", metavar="PERSON", default=absent, help="ask as this person")
    caller.add_argument(
        "--source", metavar="SOURCE", default=absent, help="ask as this source, such as agent:demo/coder"
    )
    common.add_argument("--home", metavar="DIR", default=absent, help="the folder of a local stack")
    common.add_argument(
        "--nats-url", metavar="URL", default=absent, help="the NATS server, such as nats://user:password@host:4222"
    )
    common.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        default=absent,
        help=f"how long to wait for the answer ({DEFAULT_TIMEOUT:g})",
    )
    common.add_argument(
        "--request-id", metavar="ID", default=absent, help="makes asking again safe: the same id is never stored twice"
    )
    common.add_argument("--json", action="store_true", default=absent, help="print the reply as one line of JSON")
    common.add_argument("--full", action="store_true", default=absent, help="on a terminal, show long bodies whole")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST_WAIT:
        raise argparse.ArgumentTypeError(f"must be a number of seconds, above 0 and at most {_LONGEST_WAIT:g}")
    return seconds
