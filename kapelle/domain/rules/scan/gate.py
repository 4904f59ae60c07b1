"""The gate: one scan of a draft for hidden text, credentials, links and personal data.

It judges what would be stored: a text from which personal data was cut is looked at as it then reads, too.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from kapelle.domain.entries import Draft
from kapelle.domain.rules.scan import credentials, hidden, links, personal, places, shapes
from kapelle.domain.rules.scan.hits import Confidence, PersonalHit
from kapelle.domain.rules.scan.places import Part, parts
from kapelle.domain.scan import Finding, Policy, Verdict

# A list of people has more personal data than anybody wants named one by one.
_LISTED: Final = 200

# Called between rules; raises when the scan has taken too long.
Checkpoint: TypeAlias = Callable[[], None]


@dataclass(slots=True, kw_only=True)
class _Findings:
    refused: list[Finding] = field(default_factory=list)
    flags: list[Finding] = field(default_factory=list)
    quarantined: list[Finding] = field(default_factory=list)
    redacted: list[Finding] = field(default_factory=list)


def _unhurried() -> None:
    """Let a scan take its time."""


def scan(draft: Draft, policy: Policy, check: Checkpoint = _unhurried) -> Verdict:
    """Return what keeps the draft out, what a reviewer should see, and the draft as it may be stored."""
    found = _Findings()
    try:
        texts = [_scanned(part, policy, found, check) for part in parts(draft)]
    finally:
        # What was judged for this draft may be a secret, which nobody keeps.
        shapes.typed_strength.cache_clear()
    if found.redacted:
        title, body, *tags = texts
        # What is said beside the text is refused rather than cut.
        draft = replace(draft, title=title, body=body, tags=tuple(tags[: len(draft.tags)]))
    return Verdict(
        draft=draft,
        refused=tuple(found.refused),
        flags=tuple(found.flags),
        quarantined=tuple(found.quarantined),
        redacted=tuple(found.redacted),
    )


def secret_in(name: str) -> str | None:
    """Say what credential a name holds, None for one that holds none. Names are what people call teams and callers."""
    found = credentials.findings(places.part("title", name))
    return found[0].what if found else None


def _scanned(part: Part, policy: Policy, found: _Findings, check: Checkpoint) -> str:
    """Add what is in one part to the findings, and return its text as it may be stored."""
    if credentials.is_word(part.text):
        return part.text
    _add(found.refused, (part.finding(hit.rule, hit.what, hit.start) for hit in hidden.find(part.text)))
    _add(found.refused, _dangers(part, policy, check))
    check()
    _add(found.flags, (part.finding(hit.rule, hit.what, hit.start) for hit in hidden.instructions(part.canon)))
    if policy.personal_data == "off":
        return part.text
    sure = _personal(part, policy, found)
    check()
    if not sure or found.refused:
        # What is refused is not stored, however it would read.
        return personal.redact(part.text, sure) if sure else part.text
    cut = places.cut(part, personal.redacted(part.raw, sure))
    _add(found.refused, _dangers(cut, policy, check))
    return cut.raw.text


def _dangers(part: Part, policy: Policy, check: Checkpoint) -> Iterable[Finding]:
    """Yield the credentials and links of a part as it would be stored."""
    check()
    yield from credentials.findings(part, check)
    check()
    hits = links.find((part.raw, part.canon), policy.link_hosts)
    yield from (part.finding(hit.rule, hit.what, hit.start) for hit in hits)


def _add(kept: list[Finding], more: Iterable[Finding]) -> None:
    """Add findings that are not there yet, as those of a text that is looked at twice are."""
    known = {(finding.field, finding.what, finding.line) for finding in kept}
    kept += [finding for finding in more if (finding.field, finding.what, finding.line) not in known]


def _personal(part: Part, policy: Policy, found: _Findings) -> list[PersonalHit]:
    """Add the personal data of a part to the findings, and return what is to be cut out."""
    sure: list[PersonalHit] = []
    for hit in personal.find(part.canon):
        if hit.confidence is Confidence.LOW or policy.personal_data == "quarantine":
            kept = found.quarantined
        # A tag is a name, and a placeholder is none; metadata are for programs, which would take it for a value.
        elif policy.personal_data == "reject" or part.field in {"tag", "metadata"}:
            kept = found.refused
        else:
            kept = found.redacted
            sure.append(hit)
        if len(kept) < _LISTED:
            kept.append(part.finding(hit.rule, hit.what, hit.start))
        elif len(kept) == _LISTED:
            kept.append(part.finding("personal-more", "more personal data", hit.start))
    return sure
