"""One repository at GitHub, in the few questions and changes that an export needs.

Every method is one request or two, and raises a `GitHubFault` for whatever goes wrong.
"""

from dataclasses import dataclass
from enum import StrEnum
from posixpath import split

from github import Github, GithubException
from github.Commit import Commit
from github.ContentFile import ContentFile
from github.NamedUser import NamedUser
from github.PullRequest import PullRequest
from github.Repository import Repository as Answer

from kapelle.domain.exports import Pull
from kapelle.providers.github_errors import translated
from kapelle.providers.github_faults import GitHubFault

# GitHub lists no more of a directory.
LISTED = 1000


class PullState(StrEnum):
    """Where a pull request stands."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPull:
    """A pull request as it is listed."""

    pull: Pull
    state: PullState
    base: str
    head_sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The last commit that touched a file."""

    sha: str
    author: str
    message: str


class Repository:
    """A repository that was looked up: its id and address come from the answer, and so do those of all that follows."""

    def __init__(self, repository: Answer) -> None:
        self._repository = repository

    @property
    def id(self) -> int:
        return self._repository.id

    @property
    def name(self) -> str:
        """Owner and name, as they are now."""
        return self._repository.full_name

    @property
    def base(self) -> str:
        return self._repository.default_branch

    @property
    def archived(self) -> bool:
        return self._repository.archived

    @property
    def may_push(self) -> bool:
        """Whether the token's owner may push. An App's token says nothing of that and counts as allowed."""
        permissions = self._repository.permissions
        return permissions.push or not permissions.pull

    @translated()
    def open_pulls(self, branch: str) -> list[SeenPull]:
        """Return the open pull requests from our branch, the one to the default branch first, then the newest."""
        found = self._pulls("open", branch)
        return sorted(found, key=lambda seen: (seen.base != self.base, -seen.pull.number))

    @translated()
    def was_head(self, branch: str, sha: str) -> bool:
        """Tell whether a pull request from our branch, open or not, ever ended at this commit."""
        return any(seen.head_sha == sha for seen in self._pulls("all", branch))

    @translated()
    def pull(self, number: int) -> SeenPull:
        return _seen(self._repository.get_pull(number))

    @translated()
    def conflicts(self, number: int) -> bool:
        """Tell whether a pull request is known to conflict; GitHub may not have found out yet."""
        return self._repository.get_pull(number).mergeable is False

    @translated()
    def head(self, branch: str) -> str | None:
        """Return the commit that a branch is at, None if there is no such branch."""
        try:
            return self._repository.get_git_ref(f"heads/{branch}").object.sha
        except GithubException as error:
            _require_missing(error)
            return None

    @translated()
    def blob(self, path: str, branch: str) -> str | None:
        """Return git's id of a file, None if there is none.

        The directory is listed rather than the file read: that shows symbolic links, which a read follows, and has no
        limit to the file's size.

        Raises:
            GitHubFault: the path is not that of a plain file.
        """
        folder, name = split(path)
        try:
            listed = self._repository.get_contents(folder, ref=branch)
        except GithubException as error:
            _require_missing(error)
            return None
        if not isinstance(listed, list):
            raise GitHubFault(f"{folder} is not a directory in the repository")
        found = next((file for file in listed if file.name == name), None)
        if found is None and len(listed) >= LISTED:
            raise GitHubFault(f"{folder} holds too many files to be looked through")
        return None if found is None else _plain(found, path)

    @translated()
    def create_branch(self, branch: str, sha: str) -> None:
        self._repository.create_git_ref(f"refs/heads/{branch}", sha)

    @translated()
    def reset_branch(self, branch: str, sha: str) -> None:
        """Move a branch to a commit, whatever it held."""
        self._repository.get_git_ref(f"heads/{branch}").edit(sha, force=True)

    @translated()
    def merge_base_into(self, branch: str) -> None:
        self._repository.merge(branch, self.base)

    @translated()
    def is_ahead(self, branch: str) -> bool:
        """Tell whether a branch has commits that the base lacks."""
        return self._repository.compare(self.base, branch).ahead_by > 0

    @translated()
    def last_change(self, path: str, branch: str) -> Change | None:
        found = next(iter(self._repository.get_commits(sha=branch, path=path)), None)
        return None if found is None else _change(found)

    @translated()
    def write(self, path: str, content: bytes, *, message: str, branch: str, replaces: str | None) -> str:
        """Commit a file on a branch and return the commit. `replaces` is the id of what is there, as last seen."""
        if replaces is None:
            done = self._repository.create_file(path, message, content, branch=branch)
        else:
            done = self._repository.update_file(path, message, content, replaces, branch=branch)
        return str(done["commit"].sha)

    @translated()
    def open_pull(self, branch: str, *, title: str, body: str) -> Pull:
        """Open a pull request from a branch to the base."""
        made = self._repository.create_pull(self.base, branch, title=title, body=body)
        number: int | None = made.number
        if number is None:
            # PyGithub takes a redirect for an answer.
            raise GitHubFault("the repository has moved in this moment", permanent=False)
        return Pull(number=number, url=made.html_url)

    def _pulls(self, state: str, branch: str) -> list[SeenPull]:
        owner = self._repository.owner.login
        found = self._repository.get_pulls(state=state, head=f"{owner}:{branch}", sort="created", direction="desc")
        return [_seen(pull) for pull in found if self._is_ours(pull, branch, f"{owner}:{branch}")]

    def _is_ours(self, pull: PullRequest, branch: str, label: str) -> bool:
        """GitHub's filter by head has let others through, and forks may have a branch of the same name."""
        if pull.head.ref != branch:
            return False
        # A deleted fork has no repository any more.
        home: Answer | None = pull.head.repo
        return pull.head.label == label if home is None else home.id == self.id


def _change(commit: Commit) -> Change:
    # Who has no account there has a name in the commit all the same.
    account: NamedUser | None = commit.author
    name = commit.commit.author.name if account is None else account.login
    return Change(sha=commit.sha, author=name or "somebody", message=commit.commit.message)


def _seen(pull: PullRequest) -> SeenPull:
    state = PullState.OPEN if pull.state == "open" else PullState.MERGED if pull.merged_at else PullState.CLOSED
    return SeenPull(
        pull=Pull(number=pull.number, url=pull.html_url), state=state, base=pull.base.ref, head_sha=pull.head.sha
    )


def _require_missing(error: GithubException) -> None:
    # A branch that does not exist, and an empty repository, have messages of their own and no exception class.
    if error.status != 404:
        raise error


def _plain(file: ContentFile, path: str) -> str:
    # A submodule is listed as a file that cannot be downloaded.
    download: str | None = file.download_url
    if file.type != "file" or download is None:
        kind = "submodule" if file.type == "file" else file.type
        raise GitHubFault(f"{path} is a {'directory' if kind == 'dir' else kind} in the repository")
    return file.sha


@translated()
def looked_up(client: Github, repository: str | int) -> Repository:
    """Look a repository up.

    With a client that is not lazy: a lazy one drops parameters at a rename and takes redirects for answers.
    """
    return Repository(client.get_repo(repository))
