"""A GitHub of our own: a real HTTP server with real git repositories behind it.

Every request and every answer is held against GitHub's own description of its API. What goes wrong is planned with
faults; what was asked is in the log, so that a test can say what was not written.
"""

import json
import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

import jsonschema_rs
import jwt

from tests.doubles.github import schemas
from tests.doubles.github.api import NOT_FOUND, ROUTES, Answer, Api, Asked, Operation, refuse
from tests.doubles.github.repository import Repository
from tests.doubles.github.shapes import Shapes

PREFIX = "/api/v3"
TOKEN = "ghp_double"
APP_TOKEN = "ghs_installed"
APP_ID, INSTALLATION = "4711", 99
WRITES = frozenset({"PUT", "POST", "PATCH", "DELETE"})
_INSTALLATION = f"{PREFIX}/app/installations/{INSTALLATION}/access_tokens"
_BY_ID = re.compile(rf"{PREFIX}/repositories/(?P<id>\d+)(?P<rest>.*)")
_BY_NAME = re.compile(rf"{PREFIX}/repos/(?P<name>[^/]+/[^/]+)(?P<rest>.*)")
_HOLD_SECONDS = 60
LOST, UNSEEN = 0, -1

Kind = Literal["status", "drop_before", "drop_after", "hold_before", "hold_after"]


@dataclass(kw_only=True)
class Fault:
    """Something that goes wrong with requests of this method whose path matches, as often as `times` says."""

    method: str
    path: str
    kind: Kind = "status"
    answer: Answer = NOT_FOUND
    times: int = 1
    # The requests that match, before this many have passed, are left alone.
    after: int = 0
    held: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One request as it was answered.

    The status is LOST for an answer that was not sent, and UNSEEN for one that was dropped before it did anything.
    """

    method: str
    path: str
    status: int

    @property
    def wrote(self) -> bool:
        return self.method in WRITES and self.status in {LOST, 200, 201}


class GitHubDouble:
    """The server and its repositories."""

    def __init__(self, folder: Path, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> None:
        self._folder = folder
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.double = self  # type: ignore[attr-defined]
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        scheme = "http" if tls is None else "https"
        self.port: int = self._server.server_address[1]
        self.place = f"{host}:{self.port}"
        self.web = f"{scheme}://{self.place}"
        self.url = self.web + PREFIX
        self.repositories: dict[int, Repository] = {}
        self.renamed: dict[str, int] = {}
        self.faults: list[Fault] = []
        self.log: list[Logged] = []
        self.violations: list[str] = []
        self.app_key: bytes | None = None
        self.tokens = {TOKEN}
        # What is written is one thing after another, as it is at GitHub within a repository.
        self.lock = threading.RLock()
        self._api = Api(Shapes(self.web, self.url))

    def repository(self, name: str = "acme/payments", *, base: str = "main", empty: bool = False) -> Repository:
        number = len(self.repositories) + 7
        made = Repository(self._folder / str(number), number=number, name=name, base=base)
        if not empty:
            made.begin()
        self.repositories[number] = made
        return made

    def rename(self, repository: Repository, name: str) -> None:
        self.renamed[repository.name] = repository.id
        repository.name = name

    def plan(self, method: str, path: str, kind: Kind = "status", **more: Any) -> Fault:
        """Plan a fault. More: answer, times, after."""
        fault = Fault(method=method, path=path, kind=kind, **more)
        self.faults.append(fault)
        return fault

    def asked(self, repository: Repository) -> list[Logged]:
        """Return what was asked of a repository so far, by its present name, its earlier ones, or its id."""
        names = {repository.name} | {name for name, number in self.renamed.items() if number == repository.id}
        places = (*(f"/repos/{name}" for name in names), f"/repositories/{repository.id}")
        return [
            one for one in self.log if any(one.path == place or one.path.startswith(place + "/") for place in places)
        ]

    def answer(self, method: str, target: str, authorization: str, body: dict[str, Any]) -> Answer:
        """Answer one request, and hold both against GitHub's description."""
        parts = urlsplit(target)
        path = unquote(parts.path)
        if path == _INSTALLATION and method == "POST":
            answer = self._install(authorization)
            return self._checked("apps/create-installation-access-token", {}, body, answer)
        if authorization.partition(" ")[2] not in self.tokens:
            return refuse(401, "Bad credentials")
        found = self._find(path)
        if isinstance(found, Answer):
            return found if method == "GET" else Answer(status=307, body=found.body, headers=found.headers)
        repository, rest = found
        if repository is None:
            return NOT_FOUND
        refused = _forbidden(repository) if method in WRITES else None
        return refused or self._operate(repository, method, rest, dict(parse_qsl(parts.query)), body, authorization)

    def _operate(
        self,
        repository: Repository,
        method: str,
        rest: str,
        query: dict[str, str],
        body: dict[str, Any],
        authorization: str,
    ) -> Answer:
        for verb, pattern, name, operation in ROUTES:
            match = re.fullmatch(pattern, rest)
            if match and verb == method:
                app = authorization.endswith(APP_TOKEN)
                asked = Asked(repository=repository, named=match.groupdict(), query=query, body=body, app=app)
                return self._checked(name, query, body, self._run(operation, asked))
        self.violations.append(f"no such operation: {method} {rest}")
        return NOT_FOUND

    def _run(self, operation: Operation, asked: Asked) -> Answer:
        with self.lock:
            answer = operation(self._api, asked)
            asked.repository.follow()
            return answer

    def _find(self, path: str) -> tuple[Repository | None, str] | Answer:
        if match := _BY_ID.fullmatch(path):
            return self.repositories.get(int(match["id"])), match["rest"]
        match = _BY_NAME.fullmatch(path)
        if match is None:
            return None, ""
        if number := self.renamed.get(match["name"]):
            url = f"{self.url}/repositories/{number}{match['rest']}"
            return Answer(status=301, body={"message": "Moved Permanently", "url": url}, headers={"Location": url})
        return next((one for one in self.repositories.values() if one.name == match["name"]), None), match["rest"]

    def _install(self, authorization: str) -> Answer:
        assert self.app_key is not None, "the double knows no App"
        try:
            claims = jwt.decode(authorization.partition(" ")[2], self.app_key, algorithms=["RS256"])
        except jwt.PyJWTError:
            return refuse(401, "A JSON web token could not be decoded")
        assert claims["iss"] == APP_ID
        self.tokens.add(APP_TOKEN)
        permissions = {"contents": "write", "metadata": "read", "pull_requests": "write"}
        return Answer(
            status=201, body={"token": APP_TOKEN, "expires_at": "2099-01-01T00:00:00Z", "permissions": permissions}
        )

    def _checked(self, name: str, query: dict[str, str], body: dict[str, Any], answer: Answer) -> Answer:
        self.violations += violations(name, query, body, answer)
        return answer

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.05)

    def stop(self) -> None:
        for fault in self.faults:
            fault.released.set()
        self._server.shutdown()
        self._server.server_close()


def _forbidden(repository: Repository) -> Answer | None:
    if repository.rules.archived:
        return refuse(403, "Repository was archived so is read-only.")
    if repository.rules.no_push:
        return refuse(403, "Resource not accessible by personal access token")
    return None


@cache
def _validator(name: str, status: int) -> jsonschema_rs.Validator | None:
    schema = schemas.REQUESTS.get(name) if status == 0 else schemas.ANSWERS.get((name, status))
    if status >= 400:
        schema = schemas.ERROR
    return None if schema is None else jsonschema_rs.validator_for(schema, validate_formats=True)


def violations(name: str, query: dict[str, str], body: dict[str, Any], answer: Answer) -> Iterator[str]:
    """Say where a request or its answer differs from GitHub's description of the operation."""
    if unknown := query.keys() - schemas.PARAMETERS.get(name, set()):
        yield f"{name} is asked with {sorted(unknown)}"
    request, reply = _validator(name, 0), _validator(name, answer.status)
    if request is not None:
        yield from (f"request of {name}: {error.message}" for error in request.iter_errors(body))
    if reply is None:
        yield f"{name} does not answer {answer.status}"
    else:
        yield from (f"answer of {name}: {error.message}" for error in reply.iter_errors(answer.body))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _double(self) -> GitHubDouble:
        double: GitHubDouble = self.server.double  # type: ignore[attr-defined]
        return double

    def _serve(self) -> None:
        double = self._double
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self._fault()
        if fault and fault.kind == "hold_before":
            self._hold(fault)
        if fault and fault.kind in {"drop_before", "hold_before"}:
            return self._drop(UNSEEN)
        if fault and fault.kind == "status":
            answer = fault.answer
        else:
            authorization = self.headers.get("Authorization") or ""
            body = json.loads(content) if content else {}
            answer = double.answer(self.command, self.path, authorization, body)
        if fault and fault.kind == "hold_after":
            self._hold(fault)
        if fault and fault.kind in {"drop_after", "hold_after"}:
            return self._drop(LOST)
        self._note(answer.status)
        return self._send(answer)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - the base class's names

    def _fault(self) -> Fault | None:
        path = unquote(self.path)
        with self._double.lock:
            for fault in self._double.faults:
                if fault.times and fault.method in {self.command, "*"} and re.search(fault.path, path):
                    fault.after -= 1
                    if fault.after < 0:
                        fault.times -= 1
                        return fault
        return None

    def _hold(self, fault: Fault) -> None:
        fault.held.set()
        fault.released.wait(_HOLD_SECONDS)

    def _drop(self, status: int) -> None:
        """Hang up without an answer."""
        self._note(status)
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            # The one who asked is gone already.
            return

    def _note(self, status: int) -> None:
        path = unquote(urlsplit(self.path).path).removeprefix(PREFIX)
        self._double.log.append(Logged(method=self.command, path=path, status=status))

    def _send(self, answer: Answer) -> None:
        html = isinstance(answer.body, str)
        content = answer.body.encode() if html else json.dumps(answer.body).encode()
        try:
            self.send_response(answer.status)
            self.send_header("Content-Type", "text/html" if html else "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Keep quiet: the log is the double's."""


@contextmanager
def running_github(folder: Path, *, tls: ssl.SSLContext | None = None) -> Iterator[GitHubDouble]:
    """Run a double until the end, where every exchange must have been as GitHub describes it."""
    double = GitHubDouble(folder, tls=tls, host="127.0.0.1" if tls is None else "localhost")
    thread = threading.Thread(target=double.serve, daemon=True)
    thread.start()
    try:
        yield double
    finally:
        double.stop()
        thread.join(5)
    assert double.violations == []
