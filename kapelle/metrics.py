"""What is counted for operators. Labels are names of ours, such as rules and routes: never a tenant or a text."""

from collections.abc import Iterable

from prometheus_client import Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from kapelle.domain.scan import Finding, Verdict

CONTENT_TYPE = CONTENT_TYPE_LATEST

_FINDINGS = Counter("kapelle_scan_findings", "What the scan found, by rule and what was done.", ["rule", "action"])
_WRITES = Counter("kapelle_writes", "Writes and decisions by how they ended for their caller.", ["outcome"])
_REQUESTS = Histogram(
    "kapelle_request_seconds",
    "Time from an HTTP request to its answer.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
_UNDER_WAY = Gauge("kapelle_requests_under_way", "HTTP requests that have no answer yet.")


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


def count_begun() -> None:
    """Count an HTTP request that came in."""
    _UNDER_WAY.inc()


def count_answered(method: str, route: str, status: int, seconds: float) -> None:
    """Count an HTTP request that was answered. `route` is the template, not the path."""
    _UNDER_WAY.dec()
    _REQUESTS.labels(method, route, str(status)).observe(seconds)


def render() -> bytes:
    """Return everything that this process counts, in the text format of Prometheus."""
    return generate_latest()
