"""Replies as plain lines, for pipes and files."""

from collections.abc import Iterator

from kapelle.adapters.cli import blocks
from kapelle.adapters.cli.commands import View
from kapelle.adapters.cli.neutral import for_terminal, one_line
from kapelle.adapters.cli.request import Reply

# Bodies stand indented under their heading: a line at the margin is always an entry's own first line, so that no body
# can pass a part of itself off as another, curated entry.
_INDENT = "    "


def lines(reply: Reply, view: View) -> Iterator[str]:
    """Yield what goes to standard output."""
    if reply.entries is None:
        yield for_terminal(reply.text)
        yield from map(one_line, reply.conflicts)
    elif view is View.ENTRIES:
        yield from _entries(blocks.parse_all(reply.entries, reply.ids))
    else:
        yield from (one_line(entry) for entry in reply.entries)


def _entries(found: tuple[blocks.Block, ...]) -> Iterator[str]:
    for at, block in enumerate(found):
        if at:
            yield ""
        yield one_line(block.heading)
        yield from (_INDENT + line for line in for_terminal(block.body).split("\n") if block.body)
