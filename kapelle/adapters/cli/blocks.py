"""Rendered entries, taken apart again for showing."""

import re
from dataclasses import dataclass

# `[status] kind: title`, a newline, the body.
_RENDERED = re.compile(r"\[(?P<status>[a-z]+)\] (?P<kind>[a-z]+): (?P<title>[^\n]*)\n?(?P<body>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The parts of one rendered entry; `number` is empty where the service did not send it."""

    number: str
    status: str
    kind: str
    title: str
    body: str

    @property
    def heading(self) -> str:
        """The entry's first line."""
        label = f"[{self.status}] {self.kind}: {self.title}" if self.status else self.title
        return f"{self.number} {label}".lstrip()


def parse(rendered: str, number: str = "") -> Block:
    """Take a rendered entry apart; what does not look like one becomes a title and a body."""
    match = _RENDERED.fullmatch(rendered)
    if match:
        return Block(number=number, **match.groupdict())
    title, _, body = rendered.partition("\n")
    return Block(number=number, status="", kind="", title=title, body=body)


def parse_all(entries: tuple[str, ...], ids: tuple[int, ...]) -> tuple[Block, ...]:
    """Take all entries of a reply apart, numbered if there is one id for each."""
    numbers = [str(number) for number in ids] if len(ids) == len(entries) else [""] * len(entries)
    return tuple(parse(entry, number) for entry, number in zip(entries, numbers, strict=True))
