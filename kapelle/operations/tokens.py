"""What a door that takes tokens asks: whom this one stands for."""

import re
from dataclasses import dataclass

from kapelle.domain.callers import Claim
from kapelle.domain.errors import InvalidRequest, NotAllowed, NotFound
from kapelle.operations.results import Told
from kapelle.services import Services
from kapelle.store import bearers
from kapelle.store.pool import tenant

_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Say which agent a token stands for, and what it is good for. The token comes as its SHA-256, in hex."""

    token_hash: str


async def show(request: Show, claim: Claim, services: Services) -> Told:
    """Answer services alone: a person or an agent has no use for what a token stands for."""
    if claim.source is None or not claim.source.startswith("service:"):
        raise NotAllowed("only a service asks whom a token stands for; its source begins with service:")
    if not _DIGEST.fullmatch(request.token_hash):
        raise InvalidRequest("the token hash must be a SHA-256 in 64 lower-case hexadecimal digits")
    async with tenant(services.pool, services.org_id) as conn:
        found = await bearers.agent_of(conn, org_id=services.org_id, digest=bytes.fromhex(request.token_hash))
    if found is None:
        raise NotFound("the token stands for no agent: it is unknown, expired or revoked, or it is a person's")
    return Told(text=f"agent:{found.team}/{found.name}", lines=tuple(sorted(found.scopes)))
