"""The `kapelle memory` sub-commands."""

from argparse import ArgumentParser, Namespace

from kapelle.adapters.cli import entry_text, exporting, importing, review
from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.commands import Group, Subcommand, View, no_arguments, nothing, number


def _declare_search(parser: ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", nargs="+", help="words to look for, or a question")
    parser.add_argument("--kind", "-k", metavar="KIND", default="", help=f"only this kind: {entry_text.KINDS}")
    entry_text.declare_as_of(parser)


def _search(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return " ".join(given.query), str(given.kind)


def _declare_id(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the entry's number")


def _id(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return (number(given.id),)


def _declare_get(parser: ArgumentParser) -> None:
    _declare_id(parser)
    entry_text.declare_as_of(parser)


def _declare_edit(parser: ArgumentParser) -> None:
    _declare_id(parser)
    entry_text.declare(parser)


def _edit(given: Namespace, bodies: Bodies) -> tuple[str, ...]:
    return number(given.id), *entry_text.arguments(given, bodies)


def _edited_entry(given: Namespace) -> str:
    return number(given.id)


def _declare_export(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--pr", action="store_true", help="open or update the pull request to the team's repository instead of printing"
    )
    exporting.declare(parser)


def _export(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return ("pr",) if given.pr else ()


def _declare_operation(parser: ArgumentParser) -> None:
    parser.add_argument("operation", metavar="OPERATION", help="the id that a write was answered with")


def _operation(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return (str(given.operation),)


def _declare_stuck(parser: ArgumentParser) -> None:
    parser.add_argument(
        "seconds", metavar="SECONDS", nargs="?", default="", help="only those that began longer ago (60)"
    )


def _stuck(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return (str(given.seconds),) if given.seconds else ()


_READING = (
    Subcommand(
        name="search",
        summary="find entries by words or meaning, curated ones first",
        examples=("kapelle memory search flaky webhook test", "kapelle memory search --kind gotcha 'port 5432 in use'"),
        declare=_declare_search,
        arguments=_search,
        view=View.ENTRIES,
    ),
    Subcommand(
        name="get",
        summary="show one entry",
        examples=("kapelle memory get 12",),
        declare=_declare_get,
        arguments=_id,
        view=View.ENTRY,
    ),
    Subcommand(
        name="hot",
        summary="show the entries that matter most: pinned, useful, recent",
        examples=("kapelle memory hot",),
        declare=nothing,
        arguments=no_arguments,
        view=View.ENTRIES,
    ),
    Subcommand(
        name="list",
        summary="show all current entries: curated, then proposed, newest first in each",
        examples=("kapelle memory list", "kapelle memory list --as-of 2026-03-03T00:00:00Z"),
        declare=entry_text.declare_as_of,
        arguments=no_arguments,
        view=View.ENTRIES,
    ),
    Subcommand(
        name="history",
        summary="show what happened to an entry, oldest first",
        examples=("kapelle memory history 12",),
        declare=_declare_id,
        arguments=_id,
        view=View.EVENTS,
    ),
    Subcommand(
        name="export",
        summary="print the curated entries, send them as a pull request, or write the memory to a file",
        examples=(
            "kapelle memory export --json",
            "kapelle memory export --pr",
            "kapelle memory export --format jsonl --output memory.jsonl",
            "kapelle memory export --format agents-md --output AGENTS.md",
        ),
        declare=_declare_export,
        arguments=_export,
        view=View.ENTRIES,
        conversation=exporting.conversation,
        repeatable=True,
        follows=True,
        stepwise=True,
    ),
    Subcommand(
        name="operation",
        summary="ask what became of a write that was still under way",
        examples=("kapelle memory operation 8d5f3a52-6f0c-4f43-9a3e-0c2a8c1f7b10",),
        declare=_declare_operation,
        arguments=_operation,
    ),
    Subcommand(
        name="operations",
        summary="show writes that have not ended for a while, the oldest first",
        examples=("kapelle memory operations", "kapelle memory operations 600"),
        declare=_declare_stuck,
        arguments=_stuck,
        view=View.LINES,
    ),
    Subcommand(
        name="cancel",
        summary="take back a write that has not ended",
        examples=("kapelle memory cancel 8d5f3a52-6f0c-4f43-9a3e-0c2a8c1f7b10",),
        repeatable=True,
        declare=_declare_operation,
        arguments=_operation,
    ),
)

_WRITING = (
    Subcommand(
        name="propose",
        summary="propose an entry for a person to review",
        description=(
            "Propose an entry. It is found at once, marked as proposed, until a person accepts it. What is there\n"
            "already is not stored again; a body that holds a credential is refused."
        ),
        examples=(
            "kapelle memory propose gotcha 'Webhook test is flaky' 'It needs the clock fixture.' --tag tests",
            "kapelle memory propose procedure 'Rotate the key' --file rotate.md",
            "git log -1 --format=%b | kapelle memory propose decision 'Why we left Redis' -",
        ),
        declare=entry_text.declare,
        arguments=entry_text.arguments,
        repeatable=True,
    ),
    Subcommand(
        name="add",
        summary="add an entry that needs no review, or accept the proposed one that says it",
        examples=("kapelle memory add convention 'Times are UTC' 'Every stored time has an offset of zero.'",),
        declare=entry_text.declare,
        arguments=entry_text.arguments,
        repeatable=True,
    ),
    Subcommand(
        name="edit",
        summary="put a new entry in the place of an old one, which stays in the history",
        description=(
            "Put a new curated entry in the place of an old one, which stays in the history. Without a body, the old\n"
            "one is opened in $VISUAL or $EDITOR."
        ),
        examples=(
            "kapelle memory edit 12 fact 'Deploys run at 14:00' 'Moved from noon in November.'",
            "kapelle memory edit 12 fact 'Deploys run at 14:00'",
        ),
        declare=_declare_edit,
        arguments=_edit,
        repeatable=True,
        starts_from=_edited_entry,
    ),
    Subcommand(
        name="forget",
        summary="delete an entry for good; this cannot be undone",
        examples=("kapelle memory forget 12",),
        declare=_declare_id,
        arguments=_id,
        repeatable=True,
    ),
)

GROUP = Group(
    name="memory",
    summary="search, propose and curate what the team remembers",
    description="Search, propose and curate what the team and its agents remember.",
    subcommands=(*_READING, *_WRITING, importing.SUBCOMMAND, *review.SUBCOMMANDS),
)
