"""What went wrong, as HTTP tells it: one shape for every error, with a stable code in capitals."""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match

from kapelle.adapters.errors import HTTP_STATUS, UNEXPECTED, sentence
from kapelle.adapters.where import where
from kapelle.domain.errors import Fault, StillRunning, Unavailable

log = logging.getLogger(__name__)

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
RETRY_AFTER = {"Retry-After": "1"}


class Problem(BaseModel):
    """What went wrong."""

    code: str = Field(description="Stable, for programs.", examples=["NOT_FOUND"])
    message: str = Field(description="One sentence for people.", examples=["there is no entry 12 in this team"])
    request_id: str = Field(description="As in the header X-Request-Id.", examples=["5c0a3c5e9f2b4a7d"])


class ErrorAnswer(BaseModel):
    """The shape of every error."""

    error: Problem


class Duplicate(Problem):
    """The memory holds the text already."""

    existing_memory_id: int = Field(description="The entry that says the same.", examples=[12])


class DuplicateAnswer(BaseModel):
    """The memory holds the text already, or the request cannot be carried out as things stand."""

    error: Duplicate | Problem


_MEANINGS = {
    401: "No valid token.",
    403: "The token, or the role of its holder, does not reach that far; or the body names another holder.",
    404: "There is no such thing for the caller.",
    409: "It cannot be done as things stand, or the Idempotency-Key was used for another request or is in use.",
    413: "The request is larger than the limit.",
    422: "The request is malformed, over a limit, or its text must not be stored.",
    503: "A part that this needs does not answer. Nothing was done; it may be tried again.",
}


def documented(*statuses: int, duplicates: bool = False) -> dict[int | str, dict[str, Any]]:
    """Return the errors of a route for its description; those that any route can have are among them."""
    all_of_them = (401, 403, 404, 422, 503, *statuses)
    answers: dict[int | str, dict[str, Any]] = {
        status: {"model": ErrorAnswer, "description": _MEANINGS[status]} for status in all_of_them
    }
    if duplicates:
        answers[409]["model"] = DuplicateAnswer
    return answers


class DuplicateContent(Exception):
    """The memory holds the text already, in an entry that the caller is told."""

    def __init__(self, message: str, entry_id: int) -> None:
        super().__init__(message)
        self.entry_id = entry_id


class Unauthenticated(Exception):
    """The request brings no token, or none that is good for anything now."""


def problem(request: Request, code: str, message: str, **more: object) -> dict[str, object]:
    """Return the body of an error."""
    return {"error": {"code": code, "message": message, "request_id": request.state.request_id, **more}}


def told(request: Request, fault: Fault) -> tuple[int, dict[str, object]]:
    """Return status and body of a fault."""
    return HTTP_STATUS[fault.code], problem(request, fault.code.upper(), sentence(fault))


def duplicate(request: Request, found: DuplicateContent) -> tuple[int, dict[str, object]]:
    """Return status and body for a text that is there already."""
    return 409, problem(request, "DUPLICATE_CONTENT", str(found), existing_memory_id=found.entry_id)


def install(app: FastAPI) -> None:
    """Let every error of the application have the one shape."""
    app.add_exception_handler(Fault, _fault)
    app.add_exception_handler(DuplicateContent, _duplicate)
    app.add_exception_handler(Unauthenticated, _unauthenticated)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, unexpected)


async def _fault(request: Request, fault: Exception) -> JSONResponse:
    assert isinstance(fault, Fault), "it is installed for faults"
    status, body = told(request, fault)
    headers = RETRY_AFTER if isinstance(fault, StillRunning | Unavailable) else None
    return JSONResponse(body, status, headers)


async def _duplicate(request: Request, found: Exception) -> JSONResponse:
    assert isinstance(found, DuplicateContent), "it is installed for duplicates"
    status, body = duplicate(request, found)
    return JSONResponse(body, status)


async def _unauthenticated(request: Request, _error: Exception) -> JSONResponse:
    message = "a valid access token is needed, as `Authorization: Bearer kap_...`"
    return JSONResponse(problem(request, "UNAUTHENTICATED", message), 401, {"WWW-Authenticate": "Bearer"})


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError), "it is installed for malformed requests"
    first = error.errors()[0]
    return JSONResponse(problem(request, "INVALID_REQUEST", _complaint(first)), 422)


def _complaint(error: dict[str, Any]) -> str:
    """Say what is wrong with which field, without the value, which may be a secret in the wrong place."""
    if error["type"] == "extra_forbidden":
        return f"{_place(error['loc'][:-1]) or 'the request'} has a field that is not known"
    if error["type"] == "json_invalid":
        return "the request is not valid JSON in UTF-8"
    # Validators of ours tell by an InvalidRequest what is wrong.
    cause = error.get("ctx", {}).get("error")
    message = sentence(cause) if isinstance(cause, Fault) else str(error["msg"])
    return f"{_place(error['loc'])}: {message}"


def _place(parts: tuple[object, ...]) -> str:
    # What a caller chose as a key is not repeated.
    known = [str(part) for part in parts if isinstance(part, int) or (str(part).isidentifier() and len(str(part)) < 40)]
    return ".".join(known)


async def http(request: Request, error: Exception) -> JSONResponse:
    """Answer one of the framework's own errors."""
    assert isinstance(error, HTTPException), "it is installed for the framework's own errors"
    match error.status_code:
        case 400:
            return JSONResponse(problem(request, "INVALID_REQUEST", "the request is not valid JSON in UTF-8"), 422)
        case 413:
            return JSONResponse(problem(request, "CONTENT_TOO_LARGE", error.detail), 413)
        case 404:
            return JSONResponse(problem(request, "NOT_FOUND", "there is nothing at this address"), 404)
        case 405:
            message = "this address does not take this method"
            return JSONResponse(problem(request, "METHOD_NOT_ALLOWED", message), 405, {"Allow": _methods(request)})
        case status:
            return JSONResponse(problem(request, "INVALID_REQUEST", "the request cannot be read"), status)


def _methods(request: Request) -> str:
    """Return what an address takes; the framework names the methods of its first route alone."""
    return ", ".join(method for method in _METHODS if _is_taken(request, method))


def _is_taken(request: Request, method: str) -> bool:
    asked = {**request.scope, "method": method}
    return any(route.matches(asked)[0] is Match.FULL for route in request.app.routes)


async def unexpected(request: Request, error: Exception) -> JSONResponse:
    """Answer an error that nobody foresaw; its message may quote what it failed on, and stays here."""
    log.error("request failed unexpectedly", extra=where(error))
    return JSONResponse(problem(request, "INTERNAL", UNEXPECTED), 500)
