"""Who is calling over HTTP: what a token stands for, in which team, and what its scopes let it do."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Protocol

from fastapi import Depends, Header, Query, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from kapelle.adapters.http.faults import Unauthenticated
from kapelle.adapters.slots import Slots
from kapelle.domain import validation
from kapelle.domain.callers import Caller, Claim, Role, agent_source
from kapelle.domain.errors import InvalidRequest, NotAllowed
from kapelle.operations import access, names
from kapelle.services import Services, Tenants
from kapelle.store import teams, tokens
from kapelle.store.pool import tenant
from kapelle.store.tokens import Bearer

_BEARER = HTTPBearer(auto_error=False, description="An access token, `kap_...`.")
# What a scope asks of a person's role in the team.
_ROLES = {"read": Role.VIEWER, "propose": Role.MEMBER, "curate": Role.MEMBER, "admin": Role.MAINTAINER}

Credentials = Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]
TeamName = Annotated[
    str | None,
    Query(
        alias="team",
        max_length=63,
        description="The team's slug. An agent's is its own; a person who is in one team only may leave it out.",
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=validation.REQUEST_ID_CHARACTERS,
        pattern=r"^[\x21-\x7e]+$",
        description="The same key with the same request gets the same answer, and is done once.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorway:
    """What the routes of one application share."""

    tenants: Tenants
    reads: Slots
    writes: Slots


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """An authorized caller in one team of its org, with the services of that org."""

    caller: Caller
    services: Services
    bearer: Bearer

    def require_scope(self, scope: str) -> None:
        """Refuse what the token may not do."""
        if scope not in self.bearer.scopes:
            raise NotAllowed(f"this token does not have the scope '{scope}'")

    def at(self, moment: datetime | None) -> "Visitor":
        """Return the visitor as one who asks about a past moment, if there is one."""
        if moment is None:
            return self
        return replace(self, caller=replace(self.caller, as_of=validation.reachable("as_of", moment)))


class _Claims(Protocol):
    """The fields by which a body may say again what its token says."""

    org_id: str | None
    agent_id: str | None
    team: str | None


def require_own(visitor: Visitor, claims: _Claims) -> None:
    """Refuse a body that names an org, a team or an agent that are not the token's.

    Raises:
        NotAllowed: naming the field, and nothing of what is there.
    """
    bearer = visitor.bearer
    own_agent = {None, f"{bearer.team}/{bearer.agent}", bearer.agent} if bearer.agent else {None}
    if claims.org_id not in {None, bearer.org_id}:
        raise NotAllowed("org_id is not the org of this token; leave it out, the token says it")
    if claims.agent_id not in own_agent:
        raise NotAllowed("agent_id is not the agent of this token; leave it out, the token says it")
    if claims.team not in {None, visitor.caller.team}:
        raise NotAllowed("team is not the team that this request is for; name it in the address, as ?team=")


async def _bearer(services: Services, credentials: HTTPAuthorizationCredentials | None) -> Bearer:
    found = await tokens.bearer(services.pool, credentials.credentials) if credentials else None
    if found is None:
        raise Unauthenticated
    return found


def allowed(scope: str, *, reads: bool = False) -> Callable[..., AsyncIterator[Visitor]]:
    """Return the dependency that lets a caller in whose token has a scope, and holds a slot for its request."""

    async def visit(
        request: Request, credentials: Credentials, team: TeamName = None, key: IdempotencyKey = None
    ) -> AsyncIterator[Visitor]:
        doorway: Doorway = request.app.state.doorway
        with doorway.reads if reads else doorway.writes:
            bearer = await _bearer(doorway.tenants.own, credentials)
            if scope not in bearer.scopes:
                raise NotAllowed(f"this token does not have the scope '{scope}'")
            services = doorway.tenants.of(bearer.org_id)
            caller = await _caller(services, bearer, team, _ROLES[scope])
            names.require_no_secret(idempotency_key=key)
            yield Visitor(caller=replace(caller, request_id=None if reads else key), services=services, bearer=bearer)

    return visit


async def _caller(services: Services, bearer: Bearer, team: str | None, needs: Role) -> Caller:
    claim, slug = await _claim(services, bearer, team)
    caller = await access.caller(
        services, claim, slug, needs=needs, request_id=None, patience=services.settings.reply_seconds
    )
    return replace(caller, agent_id=bearer.agent_id, joins=False)


async def _claim(services: Services, bearer: Bearer, team: str | None) -> tuple[Claim, str]:
    if bearer.agent is not None and bearer.team is not None:
        if team not in {None, bearer.team}:
            raise NotAllowed(f"this token is for team '{bearer.team}' and for no other")
        return Claim(source=agent_source(bearer.team, bearer.agent)), bearer.team
    return Claim(person=bearer.person), team or await _only_team(services, bearer)


async def _only_team(services: Services, bearer: Bearer) -> str:
    async with tenant(services.pool, bearer.org_id) as conn:
        found = await teams.listing(conn, org_id=bearer.org_id, person_id=bearer.person)
    if len(found) != 1:
        raise InvalidRequest("name the team in the address, as ?team=payments")
    return found[0].slug


Reader = Annotated[Visitor, Depends(allowed("read", reads=True))]
Proposer = Annotated[Visitor, Depends(allowed("propose"))]
Curator = Annotated[Visitor, Depends(allowed("curate"))]
Admin = Annotated[Visitor, Depends(allowed("admin", reads=True))]
