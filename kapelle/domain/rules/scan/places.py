"""The parts of a draft that are scanned, and where in them something was found."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from kapelle.domain.entries import Details, Draft
from kapelle.domain.rules.scan import views
from kapelle.domain.rules.scan.views import View
from kapelle.domain.scan import Field, Finding

_NEWLINE: Final = re.compile("\n")


# Without slots, so that where its lines begin is found once.
@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """One field of a draft with the two views that every job reads."""

    field: Field
    # A tag's position from 1; 0 for what has lines of its own.
    position: int
    text: str
    raw: View
    canon: View

    def finding(self, rule: str, what: str, offset: int, advice: str = "") -> Finding:
        """Return a finding at an offset of the original text."""
        line = bisect_right(self._lines, offset)
        column = offset - self._lines[line - 1] + 1
        return Finding(rule=rule, what=what, field=self.field, line=self.position or line, column=column, advice=advice)

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]


def part(field: Field, text: str, position: int = 0) -> Part:
    """Return a field's text ready to be scanned."""
    original = views.raw(text)
    return Part(field=field, position=position, text=text, raw=original, canon=views.canon(original))


def cut(part: Part, remaining: View) -> Part:
    """Return a part as it reads after redaction; what is found in it keeps its place in the original."""
    return replace(part, raw=remaining, canon=views.canon(remaining))


def parts(draft: Draft) -> Iterator[Part]:
    """Yield title, body, tags and metadata, in the order in which findings are reported."""
    yield part("title", draft.title)
    yield part("body", draft.body)
    for position, tag in enumerate(draft.tags, start=1):
        yield part("tag", tag, position)
    if said := said_beside(draft.details):
        yield part("metadata", said)


def said_beside(details: Details) -> str:
    """Return the metadata and the source of an entry as text, one line a value after its name, nothing escaped."""
    lines = list(_lines("", json.loads(details.metadata))) if details.metadata else []
    if details.span is not None:
        lines.append(f"source: {details.span.source}")
    return "\n".join(lines)


def _lines(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _lines(f"{name}.{key}" if name else key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _lines(name, inner)
    else:
        yield f"{name}: {value if isinstance(value, str) else json.dumps(value)}"
