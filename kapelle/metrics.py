"""What is counted for operators. Labels are names of rules and outcomes, never text."""

from collections.abc import Iterable

from prometheus_client import Counter

from kapelle.domain.scan import Finding, Verdict

_FINDINGS = Counter("kapelle_scan_findings", "What the scan found, by rule and what was done.", ["rule", "action"])
_WRITES = Counter("kapelle_writes", "Writes and decisions by how they ended for their caller.", ["outcome"])


def count_verdict(verdict: Verdict) -> None:
    """Count the findings of one scan."""
    count_findings(verdict.refused, "refused")
    count_findings(verdict.redacted, "redacted")
    count_findings(verdict.quarantined, "quarantined")
    count_findings(verdict.flags, "flagged")


def count_findings(findings: Iterable[Finding], action: str) -> None:
    for finding in findings:
        _FINDINGS.labels(finding.rule, action).inc()


def count_failed_scan() -> None:
    """Count a scan that could not be finished, for which its text was refused."""
    _FINDINGS.labels("scan-failed", "refused").inc()


def count_write(outcome: str) -> None:
    _WRITES.labels(outcome).inc()
