"""The double's operations: what each request finds or does, with the refusals that GitHub has been seen to give."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.github.git import GitRefused
from tests.doubles.github.repository import PullRequest, Repository
from tests.doubles.github.shapes import Json, Shapes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is sent back."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request, taken apart: what the path named, the query, the body."""

    repository: Repository
    named: dict[str, str]
    query: dict[str, str]
    body: Json
    app: bool = False


def refuse(status: int, message: str, *errors: Any, **headers: str) -> Answer:
    body: Json = {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(status)}
    if errors:
        body["errors"] = list(errors)
    return Answer(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


NOT_FOUND = refuse(404, "Not Found")
EMPTY = refuse(409, "Git Repository is empty.")
RULED = refuse(409, "Repository rule violations found\n\nChanges must be made through a pull request.")
UNFORCED = refuse(422, "Repository rule violations found\n\nCannot force-push to this branch")
QUEUED = refuse(422, "Cannot update this branch: its pull request was added to a merge queue.")


class Api:
    """The operations on one server's repositories."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes

    def get_repository(self, asked: Asked) -> Answer:
        return Answer(status=200, body=self._shapes.repository(asked.repository, app=asked.app))

    def get_ref(self, asked: Asked) -> Answer:
        if not asked.repository.git.branches():
            return EMPTY
        branch = asked.named["branch"]
        sha = asked.repository.git.head(branch)
        return NOT_FOUND if sha is None else self._ref(asked, branch, sha, 200)

    def create_ref(self, asked: Asked) -> Answer:
        git, branch, sha = asked.repository.git, asked.body["ref"].removeprefix("refs/heads/"), asked.body["sha"]
        if not git.has(sha):
            return refuse(422, "Object does not exist")
        if git.head(branch):
            return refuse(422, "Reference already exists")
        try:
            git.create_branch(branch, sha)
        except GitRefused:
            return refuse(422, "Reference update failed")
        return self._ref(asked, branch, sha, 201)

    def update_ref(self, asked: Asked) -> Answer:
        repository, branch, sha = asked.repository, asked.named["branch"], asked.body["sha"]
        head = repository.git.head(branch)
        if head is None:
            return refuse(422, "Reference does not exist")
        if repository.git.ahead_behind(head, sha)[1] and not asked.body.get("force"):
            return refuse(422, "Update is not a fast forward")
        if branch in repository.rules.unforced | repository.rules.closed:
            return UNFORCED
        repository.git.move_branch(branch, sha)
        return self._ref(asked, branch, sha, 200)

    def get_content(self, asked: Asked) -> Answer:
        repository, path = asked.repository, asked.named["path"]
        ref = asked.query.get("ref", repository.base)
        head = repository.git.head(ref)
        if head is None:
            return refuse(
                404, f"No commit found for the ref {ref}" if repository.git.branches() else "This repository is empty."
            )
        entry = repository.git.entry(head, path)
        listed = repository.git.listing(head, path) if entry and entry.kind == "tree" else None
        if listed is not None:
            return Answer(status=200, body=[self._shapes.file(repository, path, found, ref) for found in listed])
        if entry is None:
            return NOT_FOUND
        return Answer(status=200, body=self._shapes.file(repository, path.rpartition("/")[0], entry, ref))

    def put_content(self, asked: Asked) -> Answer:
        repository, path, body = asked.repository, asked.named["path"], asked.body
        branch = body.get("branch", repository.base)
        head = repository.git.head(branch)
        if head is None:
            return refuse(404, f"Branch {branch} not found")
        if refused := _barred(repository, branch):
            return refused
        there = repository.git.entry(head, path)
        if there and "sha" not in body:
            return refuse(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
        if there and there.sha != body["sha"]:
            return refuse(409, f"{path} does not match {body['sha']}")
        content = base64.b64decode(body["content"])
        made = repository.git.commit(branch, {path: content}, body["message"], author="kapelle-bot")
        answer = self._shapes.file_commit(repository, path, branch, made)
        return Answer(status=200 if there else 201, body=answer)

    def list_commits(self, asked: Asked) -> Answer:
        repository = asked.repository
        found = repository.git.log(asked.query.get("sha", repository.base), asked.query.get("path"))
        return Answer(status=200, body=[self._shapes.commit(repository, sha) for sha in found[:100]])

    def compare(self, asked: Asked) -> Answer:
        repository, (base, _, head) = asked.repository, asked.named["basehead"].partition("...")
        first, second = repository.git.head(base), repository.git.head(head)
        if first is None or second is None:
            return NOT_FOUND
        ahead, behind = repository.git.ahead_behind(first, second)
        return Answer(status=200, body=self._shapes.comparison(repository, base, head, ahead, behind))

    def merge(self, asked: Asked) -> Answer:
        repository, base = asked.repository, asked.body["base"]
        head = repository.git.head(asked.body["head"]) or ""
        if refused := _barred(repository, base):
            return refused
        made = repository.git.merge(base, head, message=f"Merge {asked.body['head']}")
        if made is None:
            return refuse(409, "Merge conflict")
        return Answer(status=201, body=self._shapes.commit(repository, made))

    def list_pulls(self, asked: Asked) -> Answer:
        wanted, state = asked.query.get("head", ""), asked.query.get("state", "open")
        # A head without an owner is no filter at all.
        owner, _, branch = wanted.partition(":")
        found = [
            self._shapes.simple_pull(asked.repository, pull)
            for pull in reversed(asked.repository.pulls)
            if state in {"all", pull.state} and (not branch or (pull.owner, pull.head) == (owner, branch))
        ]
        return Answer(status=200, body=found)

    def get_pull(self, asked: Asked) -> Answer:
        pull = next((one for one in asked.repository.pulls if str(one.number) == asked.named["number"]), None)
        return NOT_FOUND if pull is None else self._pull(asked.repository, pull, 200)

    def create_pull(self, asked: Asked) -> Answer:
        repository, head, base = asked.repository, asked.body["head"], asked.body["base"]
        ends = {"head": repository.git.head(head), "base": repository.git.head(base)}
        for name, sha in ends.items():
            if sha is None:
                return _invalid({"resource": "PullRequest", "field": name, "code": "invalid"})
        if any((one.state, one.head, one.home) == ("open", head, repository.id) for one in repository.pulls):
            return _invalid(_custom(f"A pull request already exists for {repository.owner}:{head}."))
        if not repository.git.ahead_behind(ends["base"] or "", ends["head"] or "")[0]:
            return _invalid(_custom(f"No commits between {base} and {head}"))
        pull = repository.open_pull(head, base, title=asked.body["title"], body=asked.body.get("body", ""))
        return self._pull(repository, pull, 201)

    def _ref(self, asked: Asked, branch: str, sha: str, status: int) -> Answer:
        return Answer(status=status, body=self._shapes.ref(asked.repository, branch, sha))

    def _pull(self, repository: Repository, pull: PullRequest, status: int) -> Answer:
        # GitHub finds out after the answer to the creation.
        mergeable = None if status == 201 or pull.state != "open" else repository.mergeable(pull)
        return Answer(status=status, body=self._shapes.pull(repository, pull, mergeable=mergeable))


def _barred(repository: Repository, branch: str) -> Answer | None:
    if branch in repository.rules.queued:
        return QUEUED
    return RULED if branch in repository.rules.closed else None


def _custom(message: str) -> Json:
    return {"resource": "PullRequest", "code": "custom", "message": message}


def _invalid(error: Json) -> Answer:
    return refuse(422, "Validation Failed", error)


Operation = Callable[[Api, Asked], Answer]
# Method, path within a repository, name in GitHub's description, and what it does.
ROUTES: tuple[tuple[str, str, str, Operation], ...] = (
    ("GET", r"", "repos/get", Api.get_repository),
    ("GET", r"/git/ref/heads/(?P<branch>.+)", "git/get-ref", Api.get_ref),
    ("POST", r"/git/refs", "git/create-ref", Api.create_ref),
    ("PATCH", r"/git/refs/heads/(?P<branch>.+)", "git/update-ref", Api.update_ref),
    ("GET", r"/contents/(?P<path>.+)", "repos/get-content", Api.get_content),
    ("PUT", r"/contents/(?P<path>.+)", "repos/create-or-update-file-contents", Api.put_content),
    ("GET", r"/commits", "repos/list-commits", Api.list_commits),
    ("GET", r"/compare/(?P<basehead>.+)", "repos/compare-commits", Api.compare),
    ("POST", r"/merges", "repos/merge", Api.merge),
    ("GET", r"/pulls", "pulls/list", Api.list_pulls),
    ("POST", r"/pulls", "pulls/create", Api.create_pull),
    ("GET", r"/pulls/(?P<number>\d+)", "pulls/get", Api.get_pull),
)
