"""A bare git repository, through git's plumbing: only a real merge can say whether two texts conflict."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_ZERO = "0" * 40
_AUTHOR = {"GIT_AUTHOR_DATE": "2026-03-02T09:00:00Z", "GIT_COMMITTER_DATE": "2026-03-02T09:00:00Z"}


class GitRefused(Exception):
    """Git did not do it; the message is its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """One line of a directory."""

    mode: str
    kind: str
    sha: str
    name: str


class Git:
    """One bare repository."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._run("init", "--quiet", "--bare", str(folder))

    def head(self, branch: str) -> str | None:
        try:
            return self._text("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}")
        except GitRefused:
            return None

    def branches(self) -> dict[str, str]:
        lines = self._text("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads").splitlines()
        return dict(line.split(" ") for line in lines)

    def has(self, sha: str) -> bool:
        try:
            self._run("cat-file", "-e", f"{sha}^{{commit}}")
        except GitRefused:
            return False
        return True

    def create_branch(self, branch: str, sha: str) -> None:
        self._run("update-ref", f"refs/heads/{branch}", sha, _ZERO)

    def move_branch(self, branch: str, sha: str) -> None:
        self._run("update-ref", f"refs/heads/{branch}", sha)

    def delete_branch(self, branch: str) -> None:
        self._run("update-ref", "-d", f"refs/heads/{branch}")

    def rename_branch(self, old: str, new: str) -> None:
        self.create_branch(new, self.head(old) or "")
        self.delete_branch(old)

    def listing(self, commit: str, path: str) -> list[TreeEntry] | None:
        """Return a directory, None if there is none at this path."""
        try:
            output = self._run("ls-tree", "-z", f"{commit}:{path}").decode()
        except GitRefused:
            return None
        entries = []
        for line in output.split("\0")[:-1]:
            what, _, name = line.partition("\t")
            mode, kind, sha = what.split()
            entries.append(TreeEntry(mode=mode, kind=kind, sha=sha, name=name))
        return entries

    def entry(self, commit: str, path: str) -> TreeEntry | None:
        folder, _, name = path.rpartition("/")
        return next((found for found in self.listing(commit, folder) or [] if found.name == name), None)

    def content(self, sha: str) -> bytes:
        return self._run("cat-file", "blob", sha)

    def commit(
        self, branch: str, files: Mapping[str, bytes | tuple[str, str]], message: str, *, author: str = "dana"
    ) -> str:
        """Commit files on a branch, which is made if it is missing. A pair is a mode and an object's id."""
        parent = self.head(branch)
        with self._index() as env:
            if parent:
                self._run("read-tree", parent, env=env)
            for path, content in files.items():
                mode, sha = content if isinstance(content, tuple) else ("100644", self.store(content))
                self._run("update-index", "--add", "--replace", "--cacheinfo", f"{mode},{sha},{path}", env=env)
            tree = self._text("write-tree", env=env)
        made = self._commit(tree, [parent] if parent else [], message, author)
        self._run("update-ref", f"refs/heads/{branch}", made, parent or _ZERO)
        return made

    def ahead_behind(self, base: str, head: str) -> tuple[int, int]:
        """Return how many commits `head` has that `base` lacks, and the other way round."""
        behind, ahead = self._text("rev-list", "--left-right", "--count", f"{base}...{head}").split()
        return int(ahead), int(behind)

    def merged_tree(self, ours: str, theirs: str, base: str | None = None) -> str | None:
        """Merge two commits and return the tree, None if they conflict."""
        base = base or self._text("merge-base", ours, theirs)
        with self._index() as env:
            self._run("read-tree", "-i", "-m", "--aggressive", base, ours, theirs, env=env)
            try:
                self._run("merge-index", "git-merge-one-file", "-a", env=env)
                return self._text("write-tree", env=env)
            except GitRefused:
                return None

    def merge(self, into: str, head: str, *, message: str, squash: bool = False) -> str | None:
        """Merge a commit into a branch; None if they conflict."""
        ours = self.head(into) or ""
        tree = self.merged_tree(ours, head)
        if tree is None:
            return None
        made = self._commit(tree, [ours] if squash else [ours, head], message, "web-flow")
        self.move_branch(into, made)
        return made

    def rebase(self, onto: str, head: str) -> str | None:
        """Put the commits of `head` on top of a branch, one by one; None if one conflicts."""
        tip = self.head(onto) or ""
        for commit in self._text("rev-list", "--reverse", f"{tip}..{head}").splitlines():
            tree = self.merged_tree(tip, commit, f"{commit}^")
            if tree is None:
                return None
            tip = self._commit(tree, [tip], self.message(commit), "web-flow")
        self.move_branch(onto, tip)
        return tip

    def message(self, commit: str) -> str:
        return self._text("log", "-1", "--format=%B", commit).strip()

    def author(self, commit: str) -> str:
        return self._text("log", "-1", "--format=%an", commit)

    def log(self, branch: str, path: str | None = None, *, since: str | None = None) -> list[str]:
        """Return commits of a branch, newest first."""
        span = f"{since}..{branch}" if since else branch
        return self._text("rev-list", span, *(("--", path) if path else ())).split()

    def _commit(self, tree: str, parents: list[str], message: str, author: str) -> str:
        names = {"GIT_AUTHOR_NAME": author, "GIT_COMMITTER_NAME": author}
        mails = {"GIT_AUTHOR_EMAIL": f"{author}@example.com", "GIT_COMMITTER_EMAIL": f"{author}@example.com"}
        options = [option for parent in parents for option in ("-p", parent)]
        return self._text("commit-tree", tree, *options, "-m", message, env={**names, **mails, **_AUTHOR})

    def store(self, content: bytes) -> str:
        """Store a file's content and return its id."""
        return self._run("hash-object", "-w", "--stdin", content=content).decode().strip()

    @contextmanager
    def _index(self) -> Iterator[dict[str, str]]:
        with tempfile.TemporaryDirectory(prefix="kapelle-git-") as folder:
            yield {"GIT_INDEX_FILE": f"{folder}/index", "GIT_WORK_TREE": folder}

    def _text(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        return self._run(*arguments, env=env).decode().strip()

    def _run(self, *arguments: str, env: Mapping[str, str] | None = None, content: bytes = b"") -> bytes:
        # Nothing of the machine's own configuration takes part.
        plain = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}  # noqa: TID251
        done = subprocess.run(
            ["git", *arguments],
            env={**plain, "GIT_DIR": str(self._folder), **(env or {})},
            cwd=(env or {}).get("GIT_WORK_TREE"),
            input=content,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise GitRefused(done.stderr.decode().strip())
        return done.stdout
