"""What GitHub's refusals mean: a problem that code can act on, and a reason that a person can."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kapelle.domain.errors import Fault

# Longer than this nobody waits in a chat; the export ends as text and says how long GitHub asks to wait.
LONGEST_WAIT = 100.0
# Without a header GitHub asks to wait at least a minute after a secondary rate limit.
PLAIN_WAIT = 60.0


class Problem(StrEnum):
    """What the code that asked can do something about, or else OTHER."""

    MISSING = "missing"
    # A branch that was to be created is there.
    BRANCH_EXISTS = "branch exists"
    # The file or the branch moved between our look and our write: look again.
    STALE = "stale"
    PULL_EXISTS = "pull request exists"
    # The base has all commits of the branch.
    NOTHING_NEW = "nothing new"
    # The branch, or the base, is gone.
    VANISHED = "vanished"
    QUEUED = "in the merge queue"
    RULE = "forbidden by a rule"
    OTHER = "other"


class GitHubFault(Fault):
    """GitHub refused, or did not answer. The message is a clause for people and quotes no header."""

    code = "github"

    def __init__(
        self,
        message: str,
        *,
        problem: Problem = Problem.OTHER,
        permanent: bool = True,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.problem = problem
        self.permanent = permanent
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer that is none: status, the texts in its body, and its headers with lower-case names."""

    status: int
    texts: tuple[str, ...]
    headers: Mapping[str, str]

    @property
    def said(self) -> str:
        return "\n".join(self.texts).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    statuses: frozenset[int]
    says: re.Pattern[str]
    problem: Problem
    reason: str


def _row(statuses: Sequence[int], says: str, problem: Problem, reason: str) -> _Row:
    return _Row(statuses=frozenset(statuses), says=re.compile(says), problem=problem, reason=reason)


# Looking again may find that it has passed.
_PASSING = frozenset({Problem.STALE, Problem.BRANCH_EXISTS, Problem.PULL_EXISTS, Problem.VANISHED})
_MOVED = "somebody else changes the branch at the same time; export again"
_ROWS = (
    _row((401,), "", Problem.OTHER, "GitHub does not accept the token; an admin must renew it"),
    _row((403,), "archived", Problem.OTHER, "the repository is archived"),
    _row(
        (403,),
        "not accessible by",
        Problem.OTHER,
        "the token lacks a permission; it needs Contents and Pull requests, both read and write",
    ),
    _row((403, 451), "disabled|blocked|unavailable|dmca", Problem.OTHER, "GitHub has blocked the repository"),
    _row((404,), "", Problem.MISSING, "the repository was not found, or the token has no access to it"),
    _row((409,), "empty", Problem.OTHER, "the repository is empty; it needs a first commit"),
    _row((403, 405, 409, 422), "merge queue", Problem.QUEUED, "the pull request is in the merge queue"),
    _row(
        (403, 409, 422),
        "rule violations|protected branch|force.push|fast.forward",
        Problem.RULE,
        "a rule of the repository forbids to change the branch kapelle/team-memory",
    ),
    _row((409,), "does not match|is at .* but expected|conflict", Problem.STALE, _MOVED),
    _row((422,), '"sha" wasn\'t supplied', Problem.STALE, _MOVED),
    _row((422,), "reference already exists", Problem.BRANCH_EXISTS, _MOVED),
    _row((422,), "no commits between", Problem.NOTHING_NEW, "there is nothing new for the base branch"),
    _row((422,), "pull request already exists", Problem.PULL_EXISTS, "the pull request exists and is not shown yet"),
    _row((422,), "no history in common|head invalid|base invalid|does not exist", Problem.VANISHED, _MOVED),
    _row(
        (422,),
        "reference update failed",
        Problem.OTHER,
        "a branch named kapelle is in the way of kapelle/team-memory; rename it",
    ),
)


def fault(refusal: Refusal) -> GitHubFault:
    """Return what a refusal means."""
    if waiting := _limited(refusal):
        return waiting
    if refusal.status >= 500:
        return GitHubFault(f"GitHub does not work at the moment (it answered {refusal.status})", permanent=False)
    if refusal.status == 403 and "required" in refusal.headers.get("x-github-sso", ""):
        return GitHubFault("the token is not authorized for the organization's single sign-on; an admin must do that")
    for row in _ROWS:
        if refusal.status in row.statuses and row.says.search(refusal.said):
            return GitHubFault(row.reason, problem=row.problem, permanent=row.problem not in _PASSING)
    return GitHubFault(f"GitHub refused it (it answered {refusal.status})")


def _limited(refusal: Refusal) -> GitHubFault | None:
    """Return the wait that GitHub asks for, if it does."""
    limited = "retry-after" in refusal.headers or "rate limit" in refusal.said
    if refusal.status not in {403, 429} or not (limited or refusal.status == 429):
        return None
    wait = _wait(refusal.headers)
    if wait > LONGEST_WAIT:
        return GitHubFault(f"GitHub asks to wait {_minutes(wait)} before the next request")
    return GitHubFault("GitHub asks to slow down; try again in a few minutes", permanent=False, retry_after=wait)


def _wait(headers: Mapping[str, str]) -> float:
    asked = headers.get("retry-after", "")
    if asked.isascii() and asked.isdecimal():
        return float(asked)
    # The time of the reset is a date, and this clock may be off: the longest wait means "not now".
    return LONGEST_WAIT + 1 if headers.get("x-ratelimit-remaining") == "0" else PLAIN_WAIT


def _minutes(seconds: float) -> str:
    minutes = round(seconds / 60)
    return "a minute or two" if minutes < 3 else f"{minutes} minutes"
