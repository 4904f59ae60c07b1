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


def declare_version(parser: ArgumentParser) -> None:
    """Declare the version that a decision is about."""
    parser.add_argument(
        "--version",
        "-V",
        metavar="VERSION",
        default="",
        dest="seen",
        help="decide only if this is still the text; `get --json` and `conflicts --json` name it",
    )


def _declare_accept(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the entry's number")
    declare_version(parser)


def _accept(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return _with_version(number(given.id), seen=given.seen)


def _declare_reject(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the entry's number")
    parser.add_argument("reason", metavar="REASON", nargs="?", default="", help="why, for whoever proposed it")
    declare_version(parser)


def _reject(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return _with_version(number(given.id), str(given.reason), seen=given.seen)


def _with_version(*arguments: str, seen: str) -> tuple[str, ...]:
    return (*arguments, seen) if seen else arguments


def _declare_receipt(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the number that the entry had")


def _receipt(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return (number(given.id),)


def _declare_resolve(parser: ArgumentParser) -> None:
    parser.add_argument("conflict", metavar="CONFLICT", help="the conflict's number, from `kapelle memory conflicts`")
    parser.add_argument("choice", metavar="CHOICE", help="keep-both, keep-first or keep-second")
    declare_version(parser)


def _resolve(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return _with_version(number(given.conflict, "conflict id"), str(given.choice), seen=given.seen)


SUBCOMMANDS = (
    Subcommand(
        name="accept",
        summary="make a proposed entry curated, or release a quarantined one",
        examples=("kapelle memory accept 12",),
        declare=_declare_accept,
        arguments=_accept,
        repeatable=True,
    ),
    Subcommand(
        name="reject",
        summary="remove a proposed or quarantined entry, and keep why",
        examples=("kapelle memory reject 12 'It is 5 times since November.'",),
        declare=_declare_reject,
        arguments=_reject,
        repeatable=True,
    ),
    Subcommand(
        name="quarantined",
        summary="show what a maintainer must look at before anyone may read it",
        examples=("kapelle memory quarantined",),
        declare=nothing,
        arguments=no_arguments,
        view=View.ENTRIES,
    ),
    Subcommand(
        name="receipt",
        summary="show what became of each store when an entry was forgotten",
        examples=("kapelle memory receipt 12",),
        declare=_declare_receipt,
        arguments=_receipt,
        view=View.LINES,
    ),
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
