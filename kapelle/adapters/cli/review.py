"""The `kapelle memory` sub-commands that keep the memory in good order: feedback, conflicts, backfill, scan."""

from argparse import ArgumentParser, Namespace

from kapelle.adapters.cli import embeddings, entry_text
from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.commands import Subcommand, View, no_arguments, nothing, number


def _declare_feedback(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the entry's number")
    parser.add_argument("verdict", metavar="VERDICT", help="helpful or unhelpful")


def _feedback(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return number(given.id), str(given.verdict)


def _declare_resolve(parser: ArgumentParser) -> None:
    parser.add_argument("conflict", metavar="CONFLICT", help="the conflict's number, from `kapelle memory conflicts`")
    parser.add_argument("choice", metavar="CHOICE", help="keep-both, keep-first or keep-second")


def _resolve(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return number(given.conflict, "conflict id"), str(given.choice)


SUBCOMMANDS = (
    Subcommand(
        name="scan",
        summary="show what a scan finds in a text, and store nothing",
        examples=("kapelle memory scan 'How to deploy' --file deploy.md",),
        declare=entry_text.declare_without_kind,
        arguments=entry_text.arguments_without_kind,
        view=View.LINES,
    ),
    Subcommand(
        name="feedback",
        summary="say whether an entry helped",
        examples=("kapelle memory feedback 12 helpful",),
        declare=_declare_feedback,
        arguments=_feedback,
        repeatable=True,
    ),
    Subcommand(
        name="conflicts",
        summary="show pairs of entries that may contradict or repeat each other",
        examples=("kapelle memory conflicts",),
        declare=nothing,
        arguments=no_arguments,
        view=View.ENTRIES,
    ),
    Subcommand(
        name="resolve",
        summary="decide a conflict",
        examples=("kapelle memory resolve 3 keep-second",),
        declare=_declare_resolve,
        arguments=_resolve,
        repeatable=True,
    ),
    Subcommand(
        name="backfill",
        summary="show which entries lack an embedding, or compute them",
        examples=("kapelle memory backfill", "kapelle memory backfill --apply"),
        declare=embeddings.declare_apply,
        arguments=embeddings.apply,
        repeatable=True,
        follows=True,
    ),
)
