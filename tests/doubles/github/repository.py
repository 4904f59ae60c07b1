"""A repository at the double: its git, its pull requests, its rules."""

import itertools
from dataclasses import dataclass, field
from pathlib import Path

from tests.doubles.github.git import Git


@dataclass(kw_only=True)
class PullRequest:
    """A pull request. While it is open its head follows its branch."""

    number: int
    head: str
    head_sha: str
    base: str
    title: str
    body: str
    # The repository that the head is in; None for a fork that was deleted.
    home: int | None
    owner: str
    state: str = "open"
    merged: bool = False


@dataclass(kw_only=True)
class Rules:
    """What a repository forbids."""

    archived: bool = False
    no_push: bool = False
    # Branches that may not be forced, and that may not be changed directly.
    unforced: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    # Branches whose pull request is in the merge queue.
    queued: set[str] = field(default_factory=set)


class Repository:
    """One repository with its pull requests."""

    def __init__(self, folder: Path, *, number: int, name: str, base: str = "main") -> None:
        self.id = number
        self.name = name
        self.base = base
        self.git = Git(folder)
        self.rules = Rules()
        self.pulls: list[PullRequest] = []
        self._numbers = itertools.count(1)

    @property
    def owner(self) -> str:
        return self.name.partition("/")[0]

    def begin(self) -> None:
        """Make the first commit."""
        self.git.commit(self.base, {"README.md": b"# Payments\n", "docs/guide.md": b"Guide\n"}, "Begin")

    def open_pull(
        self, head: str, base: str, *, title: str = "t", body: str = "", home: int | None = -1, owner: str = ""
    ) -> PullRequest:
        """Open a pull request; `home` is the repository's own unless a fork is named."""
        own = home == -1
        made = PullRequest(
            number=next(self._numbers),
            head=head,
            head_sha=(self.git.head(head) if own else None) or "f" * 40,
            base=base,
            title=title,
            body=body,
            home=self.id if own else home,
            owner=owner or self.owner,
        )
        self.pulls.append(made)
        return made

    def follow(self) -> None:
        """Let open pull requests follow their branches: one whose branch is gone, or equals its base, is closed."""
        for pull in self.pulls:
            if pull.state != "open" or pull.home != self.id:
                continue
            head = self.git.head(pull.head)
            if head is None or head == self.git.head(pull.base):
                pull.state = "closed"
            else:
                pull.head_sha = head

    def mergeable(self, pull: PullRequest) -> bool:
        ours = self.git.head(pull.base) or ""
        return self.git.has(pull.head_sha) and self.git.merged_tree(ours, pull.head_sha) is not None

    def merge(self, pull: PullRequest, method: str = "squash", *, delete_branch: bool = False) -> None:
        """Merge a pull request as a person does."""
        message = f"{pull.title} (#{pull.number})"
        if method == "rebase":
            done = self.git.rebase(pull.base, pull.head_sha)
        else:
            done = self.git.merge(pull.base, pull.head_sha, message=message, squash=method == "squash")
        assert done is not None, "the pull request conflicts"
        pull.state, pull.merged = "closed", True
        if delete_branch:
            self.git.delete_branch(pull.head)

    def numbers(self) -> list[int]:
        return [pull.number for pull in self.pulls]
