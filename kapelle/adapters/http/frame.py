"""What surrounds every request: its id, the limit of its size, its time, and headers that keep answers private."""

import re
import time
import uuid

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kapelle import metrics
from kapelle.adapters.http import faults

ID_HEADER = "X-Request-Id"
# Bytes of one request; that of a bulk request holds many entries.
LARGEST_REQUEST = 512 * 1024
LARGEST_BULK = 4 * 1024 * 1024
BULK_PATH = "/v1/memories/bulk"

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class _TooLarge(HTTPException):
    """The body goes on beyond the limit. The framework lets its own errors pass through its reading of bodies."""

    def __init__(self, limit: int) -> None:
        super().__init__(413, f"the request is larger than the limit of {limit} bytes")


class Frame:
    """Wraps the application. Written for ASGI itself, so that an answer need not be copied to be timed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        sent = _Sent(send, _request_id(scope))
        scope.setdefault("state", {})["request_id"] = sent.request_id
        metrics.count_begun()
        try:
            await self._serve(scope, receive, sent)
        finally:
            metrics.count_answered(_method(scope), _route(scope), sent.status, time.perf_counter() - began)

    async def _serve(self, scope: Scope, receive: Receive, sent: "_Sent") -> None:
        limit = LARGEST_BULK if scope["path"] == BULK_PATH else LARGEST_REQUEST
        try:
            _require_fitting(Headers(scope=scope).get("content-length", "0"), limit)
            await self._app(scope, _bounded(receive, limit), sent)
        except _TooLarge as error:
            response = await faults.http(Request(scope), error)
            await response(scope, receive, sent)
        except Exception as error:  # noqa: BLE001 - the process edge: every request gets an answer of the one shape.
            if not sent.status:
                response = await faults.unexpected(Request(scope), error)
                await response(scope, receive, sent)


class _Sent:
    """Passes an answer on with the headers that every one has, and remembers its status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[ID_HEADER] = self.request_id
            headers["Cache-Control"] = "no-store"
            headers["X-Content-Type-Options"] = "nosniff"
        await self._send(message)


def _request_id(scope: Scope) -> str:
    """Return the caller's id if it is harmless in logs and headers, and a new one otherwise."""
    given = Headers(scope=scope).get(ID_HEADER, "")
    return given if _ID.fullmatch(given) else uuid.uuid4().hex


def _require_fitting(length: str, limit: int) -> None:
    if length.isascii() and length.isdecimal() and (len(length) > 15 or int(length) > limit):
        raise _TooLarge(limit)


def _bounded(receive: Receive, limit: int) -> Receive:
    """Return what gives the body's parts until there are more bytes than the limit."""
    received = 0

    async def bounded() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise _TooLarge(limit)
        return message

    return bounded


def _route(scope: Scope) -> str:
    """Return the template of the route, one word for whatever has none: a path is the caller's text."""
    path: str = getattr(scope.get("route"), "path", "none")
    return path


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"} else "other"
