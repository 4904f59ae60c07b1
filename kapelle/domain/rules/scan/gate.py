"""The gate: one scan of a draft for credentials, links, personal data and hidden text. It accepts every string and never raises on one."""

from kapelle.domain.entries import Draft
from kapelle.domain.rules.scan import credentials
from kapelle.domain.rules.scan.places import Part, parts
from kapelle.domain.scan import Finding, Policy, Verdict


def scan(draft: Draft, policy: Policy) -> Verdict:
    """Return what keeps the draft out, what a reviewer should see, and the draft as it may be stored."""
    refused: list[Finding] = []
    for part in parts(draft):
        refused += credentials.findings(part)
    return Verdict(draft=draft, refused=tuple(refused))
