"""The `kapelle embeddings` sub-commands."""

from argparse import ArgumentParser, Namespace

from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.commands import Group, Subcommand, View, no_arguments, nothing


def declare_apply(parser: ArgumentParser) -> None:
    """Declare the option that turns a dry run into the run."""
    parser.add_argument("--apply", action="store_true", help="do it; without this, only say what would be done")


def apply(given: Namespace, _: Bodies) -> tuple[str, ...]:
    """Ask for the run if the option is given."""
    return ("apply",) if given.apply else ()


def _declare_model(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="the model's name or alias, from `kapelle embeddings status`")


def _model(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return (str(given.model),)


def _declare_switch(parser: ArgumentParser) -> None:
    _declare_model(parser)
    parser.add_argument("--force", action="store_true", help="even if entries lack a vector of the model")


def _switch(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return (str(given.model), "force") if given.force else (str(given.model),)


GROUP = Group(
    name="embeddings",
    summary="the models that searches compare meanings by",
    description="Look after the models that searches compare meanings by, over all teams.",
    subcommands=(
        Subcommand(
            name="status",
            summary="show each model and how many entries it covers",
            examples=("kapelle embeddings status",),
            declare=nothing,
            arguments=no_arguments,
            view=View.LINES,
        ),
        Subcommand(
            name="backfill",
            summary="show how many entries lack an embedding, or compute them",
            examples=("kapelle embeddings backfill", "kapelle embeddings backfill --apply"),
            declare=declare_apply,
            arguments=apply,
            repeatable=True,
            follows=True,
        ),
        Subcommand(
            name="switch",
            summary="let searches go by another model once it covers all entries",
            examples=("kapelle embeddings switch embed-hosted", "kapelle embeddings switch embed-hosted --force"),
            declare=_declare_switch,
            arguments=_switch,
        ),
        Subcommand(
            name="drop",
            summary="delete the vectors of a model that is not in use",
            examples=("kapelle embeddings drop kapelle-local/all-minilm-l6-v2-int8:384",),
            declare=_declare_model,
            arguments=_model,
        ),
    ),
)
