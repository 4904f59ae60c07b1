"""The `kapelle purge` sub-commands."""

from argparse import ArgumentParser, Namespace

from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.commands import Group, Subcommand, View


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the agent's name, the team's slug, or the id of the organization")
    parser.add_argument("--apply", action="store_true", help="do it; without this, only say what would be forgotten")


def _arguments(scope: str, given: Namespace) -> tuple[str, ...]:
    return (scope, str(given.name), "apply") if given.apply else (scope, str(given.name))


def _agent(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return _arguments("agent", given)


def _team(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return _arguments("team", given)


def _org(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return _arguments("org", given)


GROUP = Group(
    name="purge",
    command="memory",
    summary="forget all of an agent, a team or the organization",
    description="Forget all of an agent, a team or the organization. Only says what would go, unless told to --apply.",
    subcommands=(
        Subcommand(
            name="agent",
            operation="purge",
            summary="forget everything that an agent of the team wrote",
            examples=("kapelle purge agent coder", "kapelle purge agent coder --apply"),
            declare=_declare,
            arguments=_agent,
            repeatable=True,
            view=View.LINES,
        ),
        Subcommand(
            name="team",
            operation="purge",
            summary="forget everything of the team",
            examples=("kapelle purge team demo --team demo",),
            declare=_declare,
            arguments=_team,
            repeatable=True,
            view=View.LINES,
        ),
        Subcommand(
            name="org",
            operation="purge",
            summary="forget everything of the organization",
            examples=("kapelle purge org default",),
            declare=_declare,
            arguments=_org,
            repeatable=True,
            view=View.LINES,
        ),
    ),
)
