"""Markdown with one entry a heading, the file of our own exports among it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kapelle.adapters.files.items import Item, item, kind_of, shortened, tags_of

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
# The stable name in front of a title, the line under a body, and the code spans, of our own exports.
_OURS = "<!-- Written by Kapelle memory."
_ANCHOR = re.compile(r"m-[0-9a-f]{8} ")
_FOOTER = re.compile(r"\n*Entry \d+, added \d{4}-\d\d-\d\d by [^\n]+?\.(?: Tags: ([^\n]+)\.)?\n*\Z")
_FENCED = re.compile(r"\A(`{3,})text\n(.*)\n\1\Z", re.DOTALL)
_SPAN = re.compile(r"(`+)( ?)((?:[^`]|(?!\1)`)+?)\2\1(?!`)")


@dataclass(slots=True, kw_only=True)
class _Section:
    line: int
    level: int
    title: str
    body: list[str] = field(default_factory=list)


def items(text: str) -> Iterator[Item]:
    """Yield one item a heading that has a text of its own. A heading without one names the kind of those below it."""
    ours = text.startswith(_OURS)
    above: list[str] = []
    for section in _sections(text.split("\n")):
        above = [*above[: section.level - 1], *[""] * (section.level - 1 - len(above)), section.title]
        body = "\n".join(section.body).strip("\n")
        # What stands under the title of our own file is the same in all of them.
        if body.strip() and not (ours and section.level == 1):
            yield _entry(section, body, above)


def _sections(lines: list[str]) -> Iterator[_Section]:
    """Part lines at their headings, those in fenced code aside. What stands above the first belongs to none."""
    current: _Section | None = None
    fence = ""
    for number, line in enumerate(lines, start=1):
        fence = _fence_after(fence, line)
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is not None and heading[2]:
            if current is not None:
                yield current
            current = _Section(line=number, level=len(heading[1]), title=heading[2])
        elif current is not None:
            current.body.append(line)
    if current is not None:
        yield current


def _fence_after(fence: str, line: str) -> str:
    """Return the fence that is open after a line: that of the line itself, until one at least as long closes it."""
    found = _FENCE.fullmatch(line)
    if found is None:
        return fence
    if not fence:
        return "" if found[1][0] == "`" and "`" in found[2] else found[1]
    closes = found[1].startswith(fence) and not found[2].strip()
    return "" if closes else fence


def _entry(section: _Section, body: str, above: list[str]) -> Item:
    title, tags = section.title, ""
    if exported := _ANCHOR.match(title):
        # Only what we wrote ourselves is read back; in a text of anyone else a code span is part of it.
        title = _unspanned(title[exported.end() :])
        if footer := _FOOTER.search(body):
            body, tags = body[: footer.start()], _unspanned(footer[1] or "")
        fenced = _FENCED.match(body)
        body = fenced[2] if fenced else body
    return item(
        f"line {section.line}",
        {
            "kind": kind_of(*reversed(above[:-1])),
            "title": shortened(title),
            "body": body,
            "tags": tags_of(*tags.split(", ")),
        },
    )


def _unspanned(text: str) -> str:
    return _SPAN.sub(lambda span: span[3], text)
