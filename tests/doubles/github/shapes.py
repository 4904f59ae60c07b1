"""The double's answers, in the shapes of GitHub's API."""

from typing import Any

from tests.doubles.github.git import TreeEntry
from tests.doubles.github.repository import PullRequest, Repository

Json = dict[str, Any]
TIME = "2026-03-02T09:14:00Z"


class Shapes:
    """Puts what a repository holds into answers whose addresses are those of this server."""

    def __init__(self, web: str, api: str) -> None:
        self.web, self.api = web, api

    def url(self, repository: Repository) -> str:
        return f"{self.api}/repos/{repository.name}"

    def user(self, login: str) -> Json:
        urls = {"url": f"{self.api}/users/{login}", "html_url": f"{self.web}/{login}"}
        return {"login": login, "id": len(login), "node_id": login, "type": "User", "site_admin": False, **urls}

    def repository(self, repository: Repository, *, app: bool = False) -> Json:
        # What an App's token is told of permissions says nothing.
        push, pull = not (app or repository.rules.no_push), not app
        return {
            "id": repository.id,
            "node_id": f"R_{repository.id}",
            "name": repository.name.partition("/")[2],
            "full_name": repository.name,
            "owner": self.user(repository.owner),
            "private": True,
            "html_url": f"{self.web}/{repository.name}",
            "url": self.url(repository),
            "fork": False,
            "archived": repository.rules.archived,
            "disabled": False,
            "default_branch": repository.base,
            "permissions": {"admin": False, "maintain": False, "push": push, "triage": push, "pull": pull},
        }

    def ref(self, repository: Repository, branch: str, sha: str) -> Json:
        url = self.url(repository)
        return {
            "ref": f"refs/heads/{branch}",
            "node_id": branch,
            "url": f"{url}/git/refs/heads/{branch}",
            "object": {"type": "commit", "sha": sha, "url": f"{url}/git/commits/{sha}"},
        }

    def file(self, repository: Repository, folder: str, entry: TreeEntry, ref: str) -> Json:
        path = f"{folder}/{entry.name}" if folder else entry.name
        url = f"{self.url(repository)}/contents/{path}?ref={ref}"
        # In a directory's listing a submodule calls itself a file.
        kind = {"120000": "symlink", "040000": "dir"}.get(entry.mode, "file")
        plain = kind != "dir" and entry.mode != "160000"
        git = f"{self.url(repository)}/git/blobs/{entry.sha}"
        html = f"{self.web}/{repository.name}/blob/{ref}/{path}"
        return {
            "type": kind,
            "size": 0,
            "name": entry.name,
            "path": path,
            "sha": entry.sha,
            "url": url,
            "git_url": git,
            "html_url": html,
            "download_url": f"{self.web}/raw/{repository.name}/{ref}/{path}" if plain else None,
            "_links": {"self": url, "git": git, "html": html},
        }

    def commit(self, repository: Repository, sha: str) -> Json:
        url, git = self.url(repository), repository.git
        name = git.author(sha)
        person = {"name": name, "email": f"{name}@example.com", "date": TIME}
        tree = {"sha": sha, "url": f"{url}/git/trees/{sha}"}
        inner = {"url": url, "author": person, "committer": person, "message": git.message(sha), "tree": tree}
        return {
            "url": f"{url}/commits/{sha}",
            "sha": sha,
            "node_id": sha,
            "html_url": f"{self.web}/{repository.name}/commit/{sha}",
            "commit": inner,
            "author": None if name == "stranger" else self.user(name),
            "committer": None,
            "parents": [],
        }

    def file_commit(self, repository: Repository, path: str, branch: str, sha: str) -> Json:
        folder, _, _ = path.rpartition("/")
        entry = repository.git.entry(sha, path)
        assert entry is not None
        url = f"{self.url(repository)}/git/commits/{sha}"
        message = repository.git.message(sha)
        return {
            "content": self.file(repository, folder, entry, branch),
            "commit": {"sha": sha, "url": url, "message": message},
        }

    def simple_pull(self, repository: Repository, pull: PullRequest) -> Json:
        home = self.repository(repository) if pull.home == repository.id else self._fork(repository, pull)
        owner = self.user(pull.owner)
        base_sha = repository.git.head(pull.base) or "0" * 40
        head = {
            "label": f"{pull.owner}:{pull.head}",
            "ref": pull.head,
            "sha": pull.head_sha,
            "user": owner,
            "repo": home,
        }
        base = {"label": f"{repository.owner}:{pull.base}", "ref": pull.base, "sha": base_sha, "user": owner}
        return {
            "url": f"{self.url(repository)}/pulls/{pull.number}",
            "id": 1000 + pull.number,
            "node_id": f"PR_{pull.number}",
            "html_url": f"{self.web}/{repository.name}/pull/{pull.number}",
            "number": pull.number,
            "state": pull.state,
            "locked": False,
            "title": pull.title,
            "user": owner,
            "body": pull.body,
            "created_at": TIME,
            "updated_at": TIME,
            "merged_at": TIME if pull.merged else None,
            "head": head,
            "base": {**base, "repo": self.repository(repository)},
            "draft": False,
        }

    def pull(self, repository: Repository, pull: PullRequest, *, mergeable: bool | None) -> Json:
        base = repository.git.head(pull.base) or ""
        known = repository.git.has(pull.head_sha)
        commits = repository.git.ahead_behind(base, pull.head_sha)[0] if known else 1
        return {
            **self.simple_pull(repository, pull),
            "merged": pull.merged,
            "mergeable": mergeable,
            "commits": commits,
        }

    def comparison(self, repository: Repository, base: str, head: str, ahead: int, behind: int) -> Json:
        status = "diverged" if ahead and behind else "ahead" if ahead else "behind" if behind else "identical"
        url = f"{self.url(repository)}/compare/{base}...{head}"
        numbers = {"ahead_by": ahead, "behind_by": behind, "total_commits": ahead}
        return {"url": url, "status": status, "commits": [], **numbers}

    def _fork(self, repository: Repository, pull: PullRequest) -> Json | None:
        if pull.home is None:
            return None
        name = repository.name.partition("/")[2]
        fork = {"id": pull.home, "full_name": f"{pull.owner}/{name}-fork", "fork": True}
        return {**self.repository(repository), **fork, "owner": self.user(pull.owner)}
