"""The `kapelle ledger` sub-commands."""

from kapelle.adapters.cli.commands import Group, Subcommand, View, no_arguments, nothing

GROUP = Group(
    name="ledger",
    command="memory",
    summary="prove the record of what happened",
    description="Prove the record of what happened to the team's memory.",
    subcommands=(
        Subcommand(
            name="verify",
            summary="compute the chain of events again and compare everything with it",
            description=(
                "Compute the team's chain of events again, and compare entries, links, tombstones and checkpoints\n"
                "with it. Names every row that somebody changed past the service."
            ),
            examples=("kapelle ledger verify", "kapelle ledger verify --team payments"),
            declare=nothing,
            arguments=no_arguments,
            view=View.LINES,
        ),
    ),
)
