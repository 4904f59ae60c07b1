"""Replies as a person at a terminal wants them: coloured tables that wrap. Imported only when there is a terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kapelle.adapters.cli import blocks
from kapelle.adapters.cli.commands import View
from kapelle.adapters.cli.neutral import for_terminal, one_line
from kapelle.adapters.cli.request import Reply

# Below this width a table's columns leave too little for the text, and entries are stacked.
_TABLE_WIDTH = 60
_SHORT_BODY = 6
_STYLES = {"curated": "green", "proposed": "yellow", "active": "cyan", "quarantined": "red"}


def show(reply: Reply, view: View, console: Console, *, full: bool) -> None:
    """Print a successful reply."""
    for part in _parts(reply, view, console.width, full=full):
        console.print(part)


def _parts(reply: Reply, view: View, width: int, *, full: bool) -> Iterator[RenderableType]:
    if reply.entries is None:
        yield _entry(blocks.parse(reply.text)) if view is View.ENTRY else Text(for_terminal(reply.text))
        yield from (Text(one_line(conflict), style="yellow") for conflict in reply.conflicts)
        return
    if reply.entries:
        yield _body_of_reply(reply, view, width, full=full)
    yield Text(for_terminal(reply.text), style="dim")


def _body_of_reply(reply: Reply, view: View, width: int, *, full: bool) -> RenderableType:
    entries = reply.entries or ()
    if view is not View.ENTRIES:
        return _lines(entries, view)
    found = blocks.parse_all(entries, reply.ids)
    return _table(found, full=full) if width >= _TABLE_WIDTH else _stack(found, full=full)


def _table(found: tuple[blocks.Block, ...], *, full: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_lines=False, pad_edge=False, expand=True, padding=(0, 1))
    numbered = any(block.number for block in found)
    if numbered:
        table.add_column("id", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("entry", ratio=1, overflow="fold")
    for block in found:
        cells = (_status(block), Text(one_line(block.kind)), _title_and_body(block, full=full))
        table.add_row(*((block.number,) if numbered else ()), *cells)
    return table


def _stack(found: tuple[blocks.Block, ...], *, full: bool) -> Group:
    return Group(*(_entry(block, limit=None if full else _SHORT_BODY) for block in found))


def _entry(block: blocks.Block, limit: int | None = None) -> RenderableType:
    heading = Text(overflow="fold")
    if block.number:
        heading.append(f"{block.number} ", style="dim")
    if block.status:
        heading.append_text(_status(block)).append(f" {one_line(block.kind)} ", style="dim")
    heading.append(one_line(block.title), style="bold")
    return Group(heading, Padding(_body(block, limit), (0, 0, 1, 2)))


def _title_and_body(block: blocks.Block, *, full: bool) -> Padding:
    title = Text(one_line(block.title), style="bold", overflow="fold")
    return Padding(Group(title, _body(block, None if full else _SHORT_BODY)), (0, 0, 1, 0))


def _body(block: blocks.Block, limit: int | None) -> Text:
    body = for_terminal(block.body).split("\n")
    text = Text("\n".join(body[:limit]), overflow="fold")
    left = 0 if limit is None else len(body) - limit
    if left > 0:
        text.append(f"\n… {left} more lines (--full shows all)", style="dim")
    return text


def _status(block: blocks.Block) -> Text:
    return Text(one_line(block.status), style=_STYLES.get(block.status, ""))


def _lines(entries: tuple[str, ...], view: View) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for at, entry in enumerate(entries, start=1):
        label, separator, rest = one_line(entry).partition(": ")
        if view is View.LINES and separator:
            table.add_row(Text(label), Text(rest))
        else:
            table.add_row(Text(str(at)), Text(one_line(entry)))
    return table
