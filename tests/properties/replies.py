"""What every reply of the command subject looks like, whatever the request was."""

import json
import re
from typing import Any

# What a stack trace, an exception or a file of ours would show. Words that a caller sent may come back in no error.
_INSIDE = re.compile(
    r"Traceback|\.py\b|line \d+, in|\w+(?:Error|Exception|Fault|Warning)\b|asyncpg|psycopg|temporalio|kapelle\."
    r"|ibex_core|/site-packages/|<class|0x[0-9a-f]{6,}"
)
_LONGEST_ERROR = 600


def malformed(data: bytes) -> str:
    """Return what is wrong with a reply, or nothing."""
    try:
        reply: Any = json.loads(data.decode("utf-8"))
    except ValueError:
        return f"not JSON in UTF-8: {data[:200]!r}"
    if not isinstance(reply, dict):
        return f"not an object: {data[:200]!r}"
    return _refusal(reply) if reply.get("ok") is False else _success(reply)


def _refusal(reply: dict[str, Any]) -> str:
    error = reply.get("error")
    if set(reply) != {"ok", "error"} or not isinstance(error, str) or not error.strip():
        return f"not a refusal: {reply!r:.200}"
    if len(error.splitlines()) != 1 or len(error) > _LONGEST_ERROR:
        return f"not one short line: {error[:700]!r}"
    return f"shows the inside: {error!r}" if _INSIDE.search(error) else ""


def _success(reply: dict[str, Any]) -> str:
    entries = reply.get("entries", [])
    if (
        reply.get("ok") is not True
        or not set(reply) <= {"ok", "text", "entries"}
        or not isinstance(reply.get("text"), str)
    ):
        return f"neither success nor refusal: {reply!r:.200}"
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        return f"entries are no strings: {entries!r:.200}"
    return ""
