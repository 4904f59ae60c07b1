"""The decisions of an export at its repository: what to push, what to leave, when to open a pull request.

While a pull request is open nothing is ever forced. While none is, the branch is brought to the base before the commit:
after a squash merge it would still carry its own commits, and the next pull request could not be merged.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from kapelle.contracts.export import Pushed
from kapelle.domain.exports import BRANCH, COMMIT_MESSAGE, TITLE, Fate, Last
from kapelle.domain.rules.rendering import COMFORTABLE_BYTES, PATH
from kapelle.providers.github_faults import GitHubFault, Problem
from kapelle.providers.github_repository import PullState, Repository, SeenPull

Say = Callable[[str], None]

# Looks that somebody else's change between look and write may spoil.
ROUNDS = 3
_LOOK_AGAIN = frozenset({Problem.STALE, Problem.BRANCH_EXISTS})
_UNCHANGED = {PullState.OPEN: Fate.STILL_OPEN, PullState.MERGED: Fate.MERGED, PullState.CLOSED: Fate.CLOSED}


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """The file as it should be."""

    content: bytes
    blob: str


def check(repository: Repository) -> None:
    """Refuse a repository that nothing can be exported to.

    Raises:
        GitHubFault: with the reason.
    """
    if repository.archived:
        raise GitHubFault("the repository is archived")
    if not repository.may_push:
        raise GitHubFault("the token may not push to the repository")
    if repository.base == BRANCH:
        raise GitHubFault(f"{BRANCH} is the repository's default branch")


def push(repository: Repository, file: File, last: Last | None, say: Say) -> Pushed:
    """Bring the file to the branch unless it is there, and say what that found and did.

    Raises:
        GitHubFault: with a reason for people.
    """
    work = _Push(repository, file, last, say)
    for left in reversed(range(ROUNDS)):
        try:
            pushed = work.once()
            break
        except GitHubFault as fault:
            if fault.problem not in _LOOK_AGAIN or not left:
                raise
    remarks = (*pushed.remarks, *_size(file)) if pushed.commit else ()
    return replace(pushed, repo_id=repository.id, base=repository.base, blob=file.blob, remarks=remarks)


def open_pull(repository: Repository, pushed: Pushed, body: str, say: Say) -> Pushed:
    """Open the pull request for what was pushed, or find it open. Without a fate it has to be pushed again.

    Raises:
        GitHubFault: with a reason for people.
    """
    if found := repository.open_pulls(BRANCH):
        return _opened(pushed, found[0])
    try:
        pull = repository.open_pull(BRANCH, title=TITLE, body=body)
    except GitHubFault as fault:
        return _not_opened(repository, pushed, fault)
    say(f"pull request #{pull.number} opened")
    return replace(pushed, fate=Fate.OPENED, pull=pull)


def _not_opened(repository: Repository, pushed: Pushed, fault: GitHubFault) -> Pushed:
    match fault.problem:
        case Problem.PULL_EXISTS if found := repository.open_pulls(BRANCH):
            return _opened(pushed, found[0])
        case Problem.NOTHING_NEW:
            return replace(pushed, fate=Fate.UP_TO_DATE, commit="")
        case Problem.VANISHED:
            return pushed
    raise fault


def _opened(pushed: Pushed, seen: SeenPull) -> Pushed:
    """A pull request that was not open when this run pushed is the one that this run opened."""
    return replace(pushed, fate=Fate.OPENED, pull=seen.pull)


def _size(file: File) -> tuple[str, ...]:
    if len(file.content) <= COMFORTABLE_BYTES:
        return ()
    return (f"the file has {len(file.content) // 1000} KB, more than an agent should read at once",)


class _Push:
    """One look at the repository, and what follows from it."""

    def __init__(self, repository: Repository, file: File, last: Last | None, say: Say) -> None:
        self._repository = repository
        self._file = file
        self._last = last
        self._say = say

    @property
    def _unchanged(self) -> bool:
        """Compare with the last finished export, not with the branch: a run may have pushed and opened nothing."""
        return self._last is not None and self._last.blob == self._file.blob

    def once(self) -> Pushed:
        found = self._repository.open_pulls(BRANCH)
        return self._update(found[0]) if found else self._begin()

    def _update(self, seen: SeenPull) -> Pushed:
        if self._unchanged:
            return Pushed(fate=Fate.STILL_OPEN, pull=seen.pull)
        there = self._repository.blob(PATH, BRANCH)
        if there == self._file.blob:
            # Our own commit whose answer was lost, or somebody typed the same.
            return Pushed(fate=Fate.UPDATED, pull=seen.pull, commit=seen.head_sha)
        replaced = self._replaced(there)
        try:
            commit = self._write(there)
        except GitHubFault as fault:
            raise _named(fault, seen.pull.number) from None
        remarks = (*self._base_of(seen), *self._conflict(seen), *replaced)
        return Pushed(fate=Fate.UPDATED, pull=seen.pull, commit=commit, remarks=remarks)

    def _begin(self) -> Pushed:
        if self._unchanged and self._last is not None:
            seen = self._repository.pull(self._last.number)
            return Pushed(fate=_UNCHANGED[seen.state], pull=seen.pull)
        at_base = self._repository.blob(PATH, self._repository.base)
        if at_base == self._file.blob:
            return Pushed(fate=Fate.UP_TO_DATE)
        base_head = self._repository.head(self._repository.base)
        if base_head is None:
            raise GitHubFault("the repository is empty; it needs a first commit")
        head = self._repository.head(BRANCH)
        if head is not None and self._is_half_finished(head):
            return Pushed(commit=head)
        if head is None:
            self._repository.create_branch(BRANCH, base_head)
            self._say(f"branch {BRANCH} created")
        elif head != base_head and not self._resync(base_head):
            at_base = self._repository.blob(PATH, BRANCH)
        return Pushed(commit=self._write(at_base))

    def _is_half_finished(self, head: str) -> bool:
        """Tell whether a run pushed this very file and came no further."""
        return (
            self._repository.blob(PATH, BRANCH) == self._file.blob
            and self._repository.is_ahead(BRANCH)
            and not self._repository.was_head(BRANCH, head)
        )

    def _resync(self, base_head: str) -> bool:
        """Bring the branch to the base; False where only a merge was allowed, which keeps what the branch has."""
        if self._repository.open_pulls(BRANCH):
            # A branch that equals its base closes its pull request for good.
            raise GitHubFault("a pull request was opened in this moment", problem=Problem.STALE, permanent=False)
        try:
            self._repository.reset_branch(BRANCH, base_head)
        except GitHubFault as fault:
            if fault.problem is not Problem.RULE:
                raise
            self._merge_base(fault)
            return False
        self._say(f"branch {BRANCH} brought to {self._repository.base}")
        return True

    def _merge_base(self, forbidden: GitHubFault) -> None:
        try:
            self._repository.merge_base_into(BRANCH)
        except GitHubFault as fault:
            raise (forbidden if fault.permanent or fault.problem is Problem.STALE else fault) from None
        self._say(f"{self._repository.base} merged into {BRANCH}")

    def _write(self, there: str | None) -> str:
        commit = self._repository.write(PATH, self._file.content, message=COMMIT_MESSAGE, branch=BRANCH, replaces=there)
        self._say(f"{PATH} committed")
        return commit

    def _replaced(self, there: str | None) -> tuple[str, ...]:
        """Name who edited the file in the pull request, where the next commit replaces that."""
        if self._last is None or there is None or there == self._last.blob:
            return ()
        change = self._repository.last_change(PATH, BRANCH)
        if change is None or change.message == COMMIT_MESSAGE:
            return ()
        return (f"replaced edits by {change.author} in {change.sha[:7]}",)

    def _base_of(self, seen: SeenPull) -> tuple[str, ...]:
        return () if seen.base == self._repository.base else (f"it goes to {seen.base}",)

    def _conflict(self, seen: SeenPull) -> tuple[str, ...]:
        try:
            conflicts = self._repository.conflicts(seen.pull.number)
        except GitHubFault:
            # What was pushed is pushed; the remark is only for the reader.
            return ()
        return (f"has conflicts with {seen.base}",) if conflicts else ()


def _named(fault: GitHubFault, number: int) -> GitHubFault:
    if fault.problem is not Problem.QUEUED:
        return fault
    return GitHubFault(f"PR #{number} is in the merge queue; try again after it lands", problem=fault.problem)
