"""What a scan says of a draft: findings with their rule and place, never the text found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from kapelle.domain.entries import Draft

Field = Literal["title", "body", "tag", "metadata"]
PersonalData = Literal["redact", "reject", "quarantine", "off"]

_NAMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a deployment or a team lets its memory hold."""

    # Exact hosts, or `*.suffix` for every host below one.
    link_hosts: frozenset[str] = frozenset()
    personal_data: PersonalData = "redact"

    def for_team(self, hosts: Iterable[str], personal_data: PersonalData | None) -> "Policy":
        """Return what holds in a team that lets its entries link to `hosts` and may decide on personal data itself."""
        return Policy(link_hosts=self.link_hosts.union(hosts), personal_data=personal_data or self.personal_data)

    def of(self, hosts: Iterable[str], repo_url: str | None, personal_data: str | None) -> "Policy":
        """Return what holds in a team as it is stored: with its hosts, its repository's, and its own decision."""
        repository = urlsplit(repo_url).hostname if repo_url else None
        match personal_data:
            case "redact" | "reject" | "quarantine" | "off":
                decided: PersonalData = personal_data
            case _:
                decided = self.personal_data
        return self.for_team((*hosts, repository) if repository else hosts, decided)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One rule that fired at one place. Lines and columns count from 1; a tag's line is its position."""

    rule: str
    # Chat-ready, such as "a GitHub token"; never the value, a part of it, or a hash of it.
    what: str
    field: Field
    line: int
    column: int
    # What the author can do instead, as a clause; empty when the finding says it all.
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The scan's answer for one draft. Any finding in `refused` keeps the draft out of the store."""

    # The text that may be stored: the scanned draft itself unless personal data was cut from it.
    draft: Draft
    refused: tuple[Finding, ...] = ()
    # For the reviewer: they neither refuse nor change anything.
    flags: tuple[Finding, ...] = ()
    quarantined: tuple[Finding, ...] = ()
    redacted: tuple[Finding, ...] = ()


def describe(findings: Sequence[Finding]) -> str:
    """Return the findings as one clause for a person in a chat; at most three are named."""
    named = ", ".join(f"{finding.what} in {_place(finding)}" for finding in findings[:_NAMED])
    more = f", and {len(findings) - _NAMED} more" if len(findings) > _NAMED else ""
    advice = next((finding.advice for finding in findings if finding.advice), "")
    return f"{named}{more}{'; ' + advice if advice else ''}"


def _place(finding: Finding) -> str:
    if finding.field == "tag":
        return f"tag {finding.line}, column {finding.column}"
    return f"{finding.field}, line {finding.line}, column {finding.column}"
