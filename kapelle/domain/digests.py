"""Keyed digests: what may be kept of a text or a request without keeping a fingerprint that anyone could test."""

import hashlib
import hmac
import json
import uuid
from collections.abc import Sequence

_OPERATIONS = uuid.UUID("6b1f8f5e-4d0e-4c39-9a63-1d0f6a2d7c11")


def request_digest(key: str, name: str, arguments: Sequence[object]) -> bytes:
    """HMAC-SHA-256 of a request in canonical form: equal for the same operation with the same arguments."""
    canonical = json.dumps([name, *arguments], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hmac.digest(key.encode(), canonical.encode(), hashlib.sha256)


def tombstone(key: str, org_id: str, team_id: int, text_hash: bytes, *, agent_id: int | None = None) -> bytes:
    """HMAC-SHA-256 of a text that a team forgot, or that one of its agents did."""
    whose = f"{org_id}/{team_id}/" if agent_id is None else f"{org_id}/{team_id}/agent {agent_id}/"
    return hmac.digest(key.encode(), whose.encode() + text_hash, hashlib.sha256)


def operation_id(org_id: str, team: str, source: str, request_id: str) -> str:
    """The operation that a caller's request id stands for: the same for every retry, in any process."""
    return str(uuid.uuid5(_OPERATIONS, json.dumps([org_id, team, source, request_id])))
