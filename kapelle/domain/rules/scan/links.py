"""Links: every destination that a reader could be sent to, and its host against the team's list."""

from collections.abc import Iterator, Sequence
from typing import Final

from kapelle.domain.rules.scan import link_hosts
from kapelle.domain.rules.scan.hits import Hit
from kapelle.domain.rules.scan.link_finder import Candidate, Form, candidates
from kapelle.domain.rules.scan.views import View

# More would help nobody: the first ones already refuse the text.
MAX_HITS: Final = 50


def find(views: Sequence[View], hosts: frozenset[str]) -> tuple[Hit, ...]:
    """Return one hit, at its first place, for each host or scheme in any of the views that may not be linked to.

    `hosts` are exact hosts, or `*.suffix` for every host below one. No hit names more of a destination than its host
    or scheme.
    """
    found: dict[str, Hit] = {}
    seen: set[str] = set()
    for view in views:
        if view.text not in seen:
            seen.add(view.text)
            _collect(view, hosts, found)
    return tuple(sorted(found.values(), key=lambda hit: hit.start))


def _collect(view: View, hosts: frozenset[str], found: dict[str, Hit]) -> None:
    judged: set[tuple[Form, str]] = set()
    for candidate in candidates(view.text, view.low):
        if (candidate.form, candidate.value) in judged:
            continue
        judged.add((candidate.form, candidate.value))
        for rule, what in _judge(candidate, hosts):
            start = view.span(candidate.start, candidate.start + 1)[0]
            if what not in found or start < found[what].start:
                found[what] = Hit(rule=rule, what=what, start=start)
        if len(found) >= MAX_HITS:
            return


def _judge(candidate: Candidate, hosts: frozenset[str]) -> Iterator[tuple[str, str]]:
    if candidate.form is Form.SCHEME:
        yield "link-scheme", f"a {candidate.value}: link"
        return
    judge = link_hosts.foreign_name if candidate.form is Form.NAME else link_hosts.foreign
    host = judge(candidate.value, hosts)
    if host is not None:
        yield "link-host", f"a link to {host}, which is not an allowed host"
