"""The parts of a draft that are scanned, and where in them something was found."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kapelle.domain.entries import Draft
from kapelle.domain.rules.scan import views
from kapelle.domain.rules.scan.views import View
from kapelle.domain.scan import Field, Finding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
        line = self.position or self.text.count("\n", 0, offset) + 1
        column = offset - (self.text.rfind("\n", 0, offset) + 1) + 1
        return Finding(rule=rule, what=what, field=self.field, line=line, column=column, advice=advice)


def part(field: Field, text: str, position: int = 0) -> Part:
    """Return a field's text ready to be scanned."""
    original = views.raw(text)
    return Part(field=field, position=position, text=text, raw=original, canon=views.canon(original))


def cut(part: Part, remaining: View) -> Part:
    """Return a part as it reads after redaction; what is found in it keeps its place in the original."""
    return replace(part, raw=remaining, canon=views.canon(remaining))


def parts(draft: Draft) -> Iterator[Part]:
    """Yield title, body and tags, in the order in which findings are reported."""
    yield part("title", draft.title)
    yield part("body", draft.body)
    for position, tag in enumerate(draft.tags, start=1):
        yield part("tag", tag, position)
