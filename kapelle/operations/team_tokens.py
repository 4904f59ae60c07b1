"""Access tokens of a team's agents and members: made, listed without the token itself, and revoked."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from kapelle.domain import validation
from kapelle.domain.callers import Caller, Claim, Role
from kapelle.domain.errors import InvalidRequest, NotAllowed, NotFound
from kapelle.operations import access
from kapelle.operations.results import Told
from kapelle.services import Services
from kapelle.store import teams, tokens
from kapelle.store.bootstrap import ADMIN_SCOPES, AGENT_SCOPES
from kapelle.store.pool import tenant
from kapelle.store.tokens import Kept, NewToken

PERSON_SCOPES = ("read", "propose", "curate")
LONGEST_DAYS = 3650
NEVER = "never"
_HOLDERS = {"agent": "an agent", "person": "a person"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateToken:
    """Make a token for an agent of the team (agent:coder) or for a member (person:ada). It is shown only this once."""

    slug: str
    holder: str
    scopes: str = ""
    days: str = "90"
    purpose: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTokens:
    """List the tokens of a team's agents and members: whose they are, what they may do, and until when."""

    slug: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeToken:
    """Revoke a token at once, everywhere."""

    slug: str
    token_id: str


async def create(request: CreateToken, claim: Claim, services: Services) -> Told:
    kind, _, name = request.holder.partition(":")
    if kind not in {"agent", "person"} or not name:
        raise InvalidRequest("the holder of a token is an agent of the team, such as agent:coder, or person:ada")
    caller = await _maintaining(services, claim, request.slug, person=name if kind == "person" else None)
    new = NewToken(
        token=tokens.new_token(),
        scopes=_scopes(request.scopes, kind),
        expires_at=_end(request.days),
        name=_purpose(request.purpose),
        made_by=caller.source,
    )
    token_id = await (_for_agent if kind == "agent" else _for_person)(services, caller, name, new)
    what = f"Token {token_id} for {request.holder} made ({', '.join(new.scopes)}; {_until(new.expires_at)})."
    return Told(
        text=f"{what} It is shown only this once: {new.token}",
        again=f"{what} It was shown by the first answer to this request.",
    )


async def listing(request: ListTokens, claim: Claim, services: Services) -> Told:
    caller = await _maintaining(services, claim, request.slug)
    found = await _tokens(services, caller)
    count = "1 token" if len(found) == 1 else f"{len(found)} tokens"
    return Told(text=count, lines=tuple(map(_line, found)))


async def revoke(request: RevokeToken, claim: Claim, services: Services) -> Told:
    token_id = validation.number("the token id", request.token_id)
    caller = await access.caller(services, claim, request.slug, needs=Role.MEMBER, request_id=None, patience=0)
    access.require_no_agent(claim)
    found = next((kept for kept in await _tokens(services, caller) if kept.token_id == token_id), None)
    if found is None:
        raise NotFound(f"team '{request.slug}' has no token {token_id}")
    await _maintaining(services, claim, request.slug, person=found.person)
    async with tenant(services.pool, services.org_id) as conn:
        await tokens.revoke(conn, org_id=services.org_id, token_id=token_id)
    return Told(text=f"Token {token_id} of {_holder(found)} is revoked.")


async def _maintaining(services: Services, claim: Claim, slug: str, person: str | None = None) -> Caller:
    """Authorize a caller for the tokens of a team's agents, or for those of one person.

    A person's tokens are that person's own affair, and the admins': with one, they would speak in that person's name.
    """
    access.require_no_agent(claim)
    needs = Role.MEMBER if person is not None and person == claim.person else Role.MAINTAINER
    caller = await access.caller(services, claim, slug, needs=needs, request_id=None, patience=0)
    is_own = claim.person is not None and claim.person == person
    if person is not None and not is_own and caller.role not in {None, Role.ADMIN}:
        raise NotAllowed("a person's tokens are made and revoked by that person, or by an admin")
    return caller


async def _for_agent(services: Services, caller: Caller, name: str, new: NewToken) -> int:
    async with tenant(services.pool, services.org_id) as conn:
        agent_id = await teams.agent_id(conn, org_id=services.org_id, team_id=caller.team_id, name=name)
        if agent_id is None:
            raise NotFound(f"team '{caller.team}' has no agent '{validation.agent_name(name)}'")
        return await tokens.add_for_agent(conn, org_id=services.org_id, agent_id=agent_id, new=new)


async def _for_person(services: Services, caller: Caller, name: str, new: NewToken) -> int:
    person = validation.person(name)
    async with tenant(services.pool, services.org_id) as conn:
        standing = await teams.standing(conn, org_id=services.org_id, slug=caller.team, person_id=person)
        if standing is None or standing.role is Role.NONE:
            raise NotFound(f"'{person}' is not a member of team '{caller.team}'")
        return await tokens.add_for_person(conn, org_id=services.org_id, person_id=person, new=new)


async def _tokens(services: Services, caller: Caller) -> tuple[Kept, ...]:
    async with tenant(services.pool, services.org_id) as conn:
        return await tokens.listing(conn, org_id=services.org_id, team_id=caller.team_id)


def _scopes(text: str, kind: str) -> tuple[str, ...]:
    most = AGENT_SCOPES if kind == "agent" else ADMIN_SCOPES
    usual = AGENT_SCOPES if kind == "agent" else PERSON_SCOPES
    asked = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip())) or usual
    if not set(asked) <= set(most):
        raise InvalidRequest(f"the scopes of a token of {_HOLDERS[kind]} are any of {', '.join(most)}")
    return asked


def _end(days: str) -> datetime | None:
    if days == NEVER:
        return None
    count = validation.number("the number of days", days)
    if count > LONGEST_DAYS:
        raise InvalidRequest(f"a token lasts at most {LONGEST_DAYS} days, or '{NEVER}' ends")
    return datetime.now(UTC) + timedelta(days=count)


def _purpose(text: str) -> str:
    purpose = text.strip()
    if len(purpose) > validation.TITLE_CHARACTERS or (purpose and not purpose.isprintable()):
        raise InvalidRequest(f"a token's purpose is one line of at most {validation.TITLE_CHARACTERS} characters")
    return purpose


def _until(moment: datetime | None) -> str:
    return "until it is revoked" if moment is None else f"until {moment.astimezone(UTC):%Y-%m-%d}"


def _holder(kept: Kept) -> str:
    return f"agent:{kept.agent}" if kept.agent is not None else f"person:{kept.person}"


def _line(kept: Kept) -> str:
    end = "revoked" if kept.revoked_at is not None else _until(kept.expires_at)
    purpose = f" for {kept.name}" if kept.name else ""
    return f"{kept.token_id} {_holder(kept)} ({', '.join(kept.scopes)}; {end}){purpose}"
