"""Choosing between JSON, plain lines and tables, and printing."""

from kapelle.adapters.cli import neutral, plain
from kapelle.adapters.cli.commands import View
from kapelle.adapters.cli.config import Flags, fixed_width, wants_colour
from kapelle.adapters.cli.request import Reply
from kapelle.adapters.cli.surroundings import Surroundings


def show(reply: Reply, view: View, flags: Flags, around: Surroundings) -> None:
    """Print a reply: what was asked for on standard output, anything beside it on standard error."""
    if flags.json:
        print(neutral.for_json(reply.document), file=around.stdout)
    elif not reply.ok:
        complain(reply.text, around)
    elif around.stdout.isatty():
        _show_table(reply, view, flags, around)
    else:
        _show_lines(reply, view, around)


def remark(sentence: str, around: Surroundings) -> None:
    """Print one sentence beside the answer, such as how far a long run is."""
    print(neutral.for_terminal(sentence), file=around.stderr, flush=True)


def complain(sentence: str, around: Surroundings) -> None:
    """Print one sentence about what went wrong."""
    coloured = around.stderr.isatty() and wants_colour(around.env)
    label = "\x1b[31mkapelle:\x1b[0m" if coloured else "kapelle:"
    print(label, neutral.for_terminal(sentence), file=around.stderr)


def _show_lines(reply: Reply, view: View, around: Surroundings) -> None:
    for line in plain.lines(reply, view):
        print(line, file=around.stdout)
    if reply.entries is not None:
        # The summary stays out of the pipe, where only entries are expected.
        around.stdout.flush()
        print(neutral.for_terminal(reply.text), file=around.stderr)


def _show_table(reply: Reply, view: View, flags: Flags, around: Surroundings) -> None:
    # Rich takes a tenth of a second to import, too long for pipes and for `--help`.
    from rich.console import Console  # noqa: PLC0415

    from kapelle.adapters.cli import terminal  # noqa: PLC0415

    console = Console(
        file=around.stdout,
        width=fixed_width(around.env),
        no_color=not wants_colour(around.env),
        highlight=False,
        markup=False,
        emoji=False,
    )
    terminal.show(reply, view, console, full=flags.full)
