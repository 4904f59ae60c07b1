"""The `kapelle hold` sub-commands."""

from argparse import ArgumentParser, Namespace

from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.commands import Group, Subcommand, View, no_arguments, nothing, number


def _declare_place(parser: ArgumentParser) -> None:
    parser.add_argument("scope", metavar="SCOPE", help="agent, team or org")
    parser.add_argument("name", metavar="NAME", help="the agent's name, the team's slug, or the id of the organization")
    parser.add_argument("reason", metavar="REASON", help="why, such as the number of a case")


def _place(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.scope), str(given.name), str(given.reason)


def _declare_lift(parser: ArgumentParser) -> None:
    parser.add_argument("hold", metavar="HOLD", help="the hold's number, from `kapelle hold list`")


def _lift(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return (number(given.hold, "hold id"),)


GROUP = Group(
    name="hold",
    command="memory",
    summary="keep what is forgotten for a court, out of everybody's reach",
    description="Keep a copy of what is forgotten, which the service cannot read, for as long as a legal hold lasts.",
    subcommands=(
        Subcommand(
            name="place",
            operation="hold",
            summary="place a legal hold",
            examples=("kapelle hold place team demo 'Case 12'",),
            declare=_declare_place,
            arguments=_place,
        ),
        Subcommand(
            name="list",
            operation="holds",
            summary="show the legal holds of the organization",
            examples=("kapelle hold list",),
            declare=nothing,
            arguments=no_arguments,
            view=View.LINES,
        ),
        Subcommand(
            name="lift",
            operation="lift-hold",
            summary="lift a legal hold",
            examples=("kapelle hold lift 1",),
            declare=_declare_lift,
            arguments=_lift,
        ),
    ),
)
