"""Who may do what: turns a request's claim into an authorized caller."""

from kapelle.domain import validation
from kapelle.domain.callers import Caller, Claim, Role, require_own_team
from kapelle.domain.errors import InvalidRequest, NotAllowed, NotFound
from kapelle.domain.scan import PersonalData
from kapelle.services import Services
from kapelle.store import teams
from kapelle.store.pool import Connection, tenant
from kapelle.store.teams import Team

_NAMES = {Role.VIEWER: "a viewer", Role.MEMBER: "a member", Role.MAINTAINER: "a maintainer", Role.ADMIN: "an admin"}


async def caller(
    services: Services, claim: Claim, team: str, *, needs: Role, request_id: str | None, patience: float
) -> Caller:
    """Authorize a claim for a team.

    A source was established by the door that sets it, so that no membership is checked; an agent's must name its own
    team. A person must have at least the role `needs`.

    Raises:
        NotFound: no such team.
        NotAllowed: the claim does not reach that far.
    """
    slug = validation.slug(team)
    async with tenant(services.pool, services.org_id) as conn:
        source, found, role = await _establish(conn, services.org_id, claim, slug, needs)
    return Caller(
        source=source,
        team_id=found.team_id,
        team=slug,
        role=role,
        request_id=request_id,
        patience=patience,
        revision=found.revision,
        ledger_seq=found.ledger_seq,
        let_in_at=found.read_at,
        policy=services.policy.of(found.link_hosts, found.repo_url, found.personal_data),
    )


def personal_data(value: str | None) -> PersonalData | None:
    """Read a policy for personal data; None where the deployment decides."""
    match value:
        case None | "redact" | "reject" | "quarantine" | "off":
            return value
        case _:
            raise InvalidRequest("the policy for personal data is one of redact, reject, quarantine, off, default")


async def _establish(
    conn: Connection, org_id: str, claim: Claim, slug: str, needs: Role
) -> tuple[str, Team, Role | None]:
    if claim.source is not None:
        require_own_team(claim.source, slug)
        if needs > Role.MEMBER and claim.source.startswith("agent:"):
            raise NotAllowed(f"an agent cannot do this; it needs {_NAMES[needs]}")
        team = await teams.find(conn, org_id=org_id, slug=slug)
        if team is None:
            raise NotFound(f"there is no team '{slug}'")
        return claim.source, team, None
    person_id = claim.person or ""
    standing = await teams.standing(conn, org_id=org_id, slug=slug, person_id=person_id)
    if standing is None:
        raise NotFound(f"there is no team '{slug}'")
    if standing.role is Role.NONE:
        raise NotAllowed(f"'{person_id}' is not a member of team '{slug}'")
    if standing.role < needs:
        raise NotAllowed(f"'{person_id}' is {_NAMES[standing.role]} of team '{slug}'; this needs {_NAMES[needs]}")
    return f"person:{person_id}", standing.team, standing.role


async def require_admin(services: Services, claim: Claim) -> None:
    """Let through only the org's admins, and services that speak for themselves.

    Raises:
        NotAllowed: for agents and for everybody else.
    """
    if claim.source is not None:
        require_no_agent(claim)
        return
    async with tenant(services.pool, services.org_id) as conn:
        admin = await teams.is_admin(conn, org_id=services.org_id, person_id=claim.person or "")
    if not admin:
        raise NotAllowed(f"'{claim.person}' is not an admin of this organization")


async def require_known(services: Services, claim: Claim) -> None:
    """Let through services, agents, and persons of the org.

    Raises:
        NotAllowed: for persons that the org does not know.
    """
    if claim.source is not None:
        return
    async with tenant(services.pool, services.org_id) as conn:
        known = await teams.knows(conn, org_id=services.org_id, person_id=claim.person or "")
    if not known:
        raise NotAllowed(f"'{claim.person}' is not a person of this organization")


def require_no_agent(claim: Claim) -> None:
    """Refuse agents: they may read about their team, not change it."""
    if claim.source is not None and claim.source.startswith("agent:"):
        raise NotAllowed("an agent cannot change teams; ask a maintainer")
