"""What a scan says of a draft: findings with their rule and place, never the text found."""

from dataclasses import dataclass
from typing import Literal

Field = Literal["title", "body", "tag", "metadata"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One rule that fired at one place. Lines and columns count from 1; a tag's line is its position."""

    rule: str
    # Chat-ready, such as "a GitHub token"; never the value, a part of it, or a hash of it.
    what: str
    field: Field
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The scan's answer for one draft. Any finding in `refused` keeps the draft out of the store."""

    refused: tuple[Finding, ...] = ()
