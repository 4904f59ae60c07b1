"""The gate: one scan of a draft for hidden text, credentials, links and personal data.

It accepts every string and never raises on one.
"""

from dataclasses import dataclass, field, replace

from kapelle.domain.entries import Draft
from kapelle.domain.rules.scan import credentials, hidden, links, personal
from kapelle.domain.rules.scan.hits import Confidence, PersonalHit
from kapelle.domain.rules.scan.places import Part, parts
from kapelle.domain.scan import Finding, Policy, Verdict


@dataclass(slots=True, kw_only=True)
class _Findings:
    refused: list[Finding] = field(default_factory=list)
    flags: list[Finding] = field(default_factory=list)
    quarantined: list[Finding] = field(default_factory=list)
    redacted: list[Finding] = field(default_factory=list)


def scan(draft: Draft, policy: Policy) -> Verdict:
    """Return what keeps the draft out, what a reviewer should see, and the draft as it may be stored."""
    found = _Findings()
    texts = [_scanned(part, policy, found) for part in parts(draft)]
    if found.redacted:
        title, body, *tags = texts
        draft = replace(draft, title=title, body=body, tags=tuple(tags))
    return Verdict(
        draft=draft,
        refused=tuple(found.refused),
        flags=tuple(found.flags),
        quarantined=tuple(found.quarantined),
        redacted=tuple(found.redacted),
    )


def _scanned(part: Part, policy: Policy, found: _Findings) -> str:
    """Add what is in one part to the findings, and return its text as it may be stored."""
    found.refused += [part.finding(hit.rule, hit.what, hit.start) for hit in hidden.find(part.text)]
    found.refused += credentials.findings(part)
    found.refused += [
        part.finding(hit.rule, hit.what, hit.start) for hit in links.find((part.raw, part.canon), policy.link_hosts)
    ]
    found.flags += [part.finding(hit.rule, hit.what, hit.start) for hit in hidden.instructions(part.canon)]
    return part.text if policy.personal_data == "off" else _personal(part, policy, found)


def _personal(part: Part, policy: Policy, found: _Findings) -> str:
    sure: list[PersonalHit] = []
    for hit in personal.find(part.canon):
        if hit.confidence is Confidence.LOW or policy.personal_data == "quarantine":
            found.quarantined.append(_finding(part, hit))
        # A tag is a name, and a placeholder is none.
        elif policy.personal_data == "reject" or part.field == "tag":
            found.refused.append(_finding(part, hit))
        else:
            sure.append(hit)
            found.redacted.append(_finding(part, hit))
    return personal.redact(part.text, sure) if sure else part.text


def _finding(part: Part, hit: PersonalHit) -> Finding:
    return part.finding(hit.rule, hit.what, hit.start)
