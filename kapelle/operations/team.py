"""Teams: create, list, show, their repository, members and agents."""

import asyncio
import re
from dataclasses import dataclass

from kapelle.domain import validation
from kapelle.domain.callers import Claim, Role, agent_team
from kapelle.domain.errors import Conflict, InvalidRequest, NotFound
from kapelle.operations import access
from kapelle.operations.results import Told
from kapelle.providers.github_faults import GitHubFault
from kapelle.services import Services
from kapelle.store import search_language, teams, tokens
from kapelle.store.pool import tenant
from kapelle.store.tokens import NewToken

NAME_CHARACTERS = 200
# A large team takes longer to be indexed anew than a caller waits.
LANGUAGE_SECONDS = 3.0
URL_CHARACTERS = 500
_REPOSITORY = re.compile(
    r"https://(?P<host>[A-Za-z0-9.-]+(:\d{1,5})?)/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+)/?([?#]\S*)?", re.ASCII
)
AGENT_SCOPES = ("read", "propose")


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """Create a team. Its name is its slug unless given."""

    slug: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class List:
    """List the teams that the caller belongs to; an admin and a service see all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Show a team's repository, members and agents."""

    slug: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRepo:
    """Link the repository that the team's memory is exported to."""

    slug: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMember:
    """Add a person, or change the role of one who is there."""

    slug: str
    person: str
    role: str = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMember:
    """Remove a person from a team."""

    slug: str
    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAgent:
    """Register an agent. The answer holds its token, which is shown only this once."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveAgent:
    """Remove an agent and its tokens. What it said to the team stays, with its name."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowHost:
    """Let the team's entries link to a host, or to all below one when it is written as *.host."""

    slug: str
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisallowHost:
    """Take back that the team's entries may link to a host. Entries that do stay as they are."""

    slug: str
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPersonalData:
    """Decide what happens to personal data in the team's entries: redact, reject, quarantine, off, or the default."""

    slug: str
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLanguage:
    """Decide by which language's endings the team's words are told apart; "simple" knows none."""

    slug: str
    language: str


async def create(request: Create, claim: Claim, services: Services) -> Told:
    slug = validation.slug(request.slug)
    name = request.name.strip() or slug
    if len(name) > NAME_CHARACTERS or not name.isprintable():
        raise InvalidRequest(f"a team's name is one line of at most {NAME_CHARACTERS} characters")
    await access.require_admin(services, claim)
    async with tenant(services.pool, services.org_id) as conn:
        if await teams.create(conn, org_id=services.org_id, slug=slug, name=name) is None:
            raise Conflict(f"there is a team '{slug}' already")
    return Told(text=f"Team {slug} created.")


async def listing(_request: List, claim: Claim, services: Services) -> Told:
    async with tenant(services.pool, services.org_id) as conn:
        sees_all = claim.source is not None or await teams.is_admin(
            conn, org_id=services.org_id, person_id=claim.person or ""
        )
        found = await teams.listing(conn, org_id=services.org_id, person_id=None if sees_all else claim.person)
    own = agent_team(claim.source) if claim.source else None
    found = tuple(team for team in found if own in (None, team.slug))
    count = f"{len(found)} team" if len(found) == 1 else f"{len(found)} teams"
    return Told(text=count, lines=tuple(team.slug for team in found))


async def show(request: Show, claim: Claim, services: Services) -> Told:
    team_id = await _team(services, claim, request.slug, Role.VIEWER)
    async with tenant(services.pool, services.org_id) as conn:
        team = await teams.find(conn, org_id=services.org_id, slug=request.slug)
        members = await teams.members(conn, org_id=services.org_id, team_id=team_id)
        agents = await teams.agents(conn, org_id=services.org_id, team_id=team_id)
        language = await search_language.language(conn, org_id=services.org_id, team_id=team_id)
    if team is None:
        raise NotFound(f"there is no team '{request.slug}'")
    lines = (
        f"repo_url: {team.repo_url or ''}",
        f"members: {', '.join(f'{person} ({role})' for person, role in members)}",
        f"agents: {', '.join(agents)}",
        f"link_hosts: {', '.join(team.link_hosts)}",
        f"personal_data: {team.personal_data or 'as the deployment says'}",
        f"language: {language}",
        f"export_schedule: {team.export_schedule or 'off'}",
    )
    return Told(text=f"Team {team.slug}", lines=lines)


async def link_repo(request: LinkRepo, claim: Claim, services: Services) -> Told:
    url = _repository(request.url)
    team_id = await managed(services, claim, request.slug)
    repo_id = await _repository_id(services, url)
    async with tenant(services.pool, services.org_id) as conn:
        other = await teams.linked_by(conn, org_id=services.org_id, team_id=team_id, url=url, repo_id=repo_id)
        if other is not None:
            raise Conflict(f"the repository belongs to team '{other}' already; a repository has one team")
        await teams.link_repository(conn, org_id=services.org_id, team_id=team_id, url=url, repo_id=repo_id)
    return Told(text=f"Team {request.slug} is linked to {url}.")


async def add_member(request: AddMember, claim: Claim, services: Services) -> Told:
    person, role = validation.person(request.person), Role.named(request.role)
    team_id = await managed(services, claim, request.slug)
    async with tenant(services.pool, services.org_id) as conn:
        await teams.add_member(conn, org_id=services.org_id, team_id=team_id, person_id=person, role=role)
    return Told(text=f"{person} is a {role.name.lower()} of team {request.slug}.")


async def remove_member(request: RemoveMember, claim: Claim, services: Services) -> Told:
    person = validation.person(request.person)
    team_id = await managed(services, claim, request.slug)
    async with tenant(services.pool, services.org_id) as conn:
        removed = await teams.remove_member(conn, org_id=services.org_id, team_id=team_id, person_id=person)
    if not removed:
        raise NotFound(f"'{person}' is not a member of team '{request.slug}'")
    return Told(text=f"{person} was removed from team {request.slug}.")


async def add_agent(request: AddAgent, claim: Claim, services: Services) -> Told:
    name = validation.agent_name(request.name)
    team_id = await managed(services, claim, request.slug)
    token = tokens.new_token()
    async with tenant(services.pool, services.org_id) as conn:
        agent_id = await teams.add_agent(conn, org_id=services.org_id, team_id=team_id, name=name)
        if agent_id is None:
            raise Conflict(f"team '{request.slug}' has an agent '{name}' already")
        new = NewToken(token=token, scopes=AGENT_SCOPES, made_by=claim.name)
        await tokens.add_for_agent(conn, org_id=services.org_id, agent_id=agent_id, new=new)
    return Told(
        text=f"Agent {request.slug}/{name} added. Its token is shown only this once: {token}",
        again=f"Agent {request.slug}/{name} was added by this request, and its token shown then.",
    )


async def remove_agent(request: RemoveAgent, claim: Claim, services: Services) -> Told:
    name = validation.agent_name(request.name)
    team_id = await managed(services, claim, request.slug)
    async with tenant(services.pool, services.org_id) as conn:
        removed = await teams.remove_agent(conn, org_id=services.org_id, team_id=team_id, name=name)
        there = name in await teams.agents(conn, org_id=services.org_id, team_id=team_id)
    if there:
        raise Conflict(f"agent '{name}' has entries of its own or a legal hold; they must go first")
    if not removed:
        raise NotFound(f"team '{request.slug}' has no agent '{name}'")
    return Told(text=f"Agent {request.slug}/{name} was removed, and its tokens with it.")


async def allow_host(request: AllowHost, claim: Claim, services: Services) -> Told:
    host = validation.host(request.host)
    team_id = await managed(services, claim, request.slug)
    async with tenant(services.pool, services.org_id) as conn:
        await teams.allow_host(conn, org_id=services.org_id, team_id=team_id, host=host)
    return Told(text=f"Entries of team {request.slug} may link to {host}.")


async def disallow_host(request: DisallowHost, claim: Claim, services: Services) -> Told:
    host = validation.host(request.host)
    team_id = await managed(services, claim, request.slug)
    async with tenant(services.pool, services.org_id) as conn:
        known = await teams.disallow_host(conn, org_id=services.org_id, team_id=team_id, host=host)
    if not known:
        raise NotFound(f"team '{request.slug}' has not allowed {host} itself")
    return Told(text=f"Entries of team {request.slug} may no longer link to {host}.")


async def set_personal_data(request: SetPersonalData, claim: Claim, services: Services) -> Told:
    policy = None if request.policy == "default" else access.personal_data(request.policy)
    team_id = await managed(services, claim, request.slug)
    async with tenant(services.pool, services.org_id) as conn:
        await teams.set_personal_data(conn, org_id=services.org_id, team_id=team_id, policy=policy)
    return Told(text=f"Personal data in entries of team {request.slug}: {policy or 'as the deployment says'}.")


async def set_language(request: SetLanguage, claim: Claim, services: Services) -> Told:
    team_id = await managed(services, claim, request.slug)
    wanted = request.language.strip().lower()
    async with tenant(services.pool, services.org_id) as conn:
        known = await search_language.languages(conn)
    if wanted not in known:
        raise InvalidRequest(f"the language is one of {', '.join(known)}")
    done = f"Words of team {request.slug} are taken for {wanted}."
    task = services.writer.keep(_change_language(services, team_id, wanted))
    await asyncio.wait({task}, timeout=LANGUAGE_SECONDS)
    if not task.done():
        return Told(text=f"Team {request.slug} is indexed anew for {wanted}; `show` names it when that is done.")
    task.result()
    return Told(text=done)


async def _change_language(services: Services, team_id: int, language: str) -> None:
    """Index the team anew in one transaction, which a crash undoes as a whole."""
    async with tenant(services.write_pool, services.org_id) as conn:
        await teams.lock(conn, org_id=services.org_id, team_ids=[team_id])
        await search_language.change(conn, org_id=services.org_id, team_id=team_id, language=language)
        await teams.move_revision(conn, org_id=services.org_id, team_ids=[team_id])


async def _repository_id(services: Services, url: str) -> int | None:
    """Return the repository's id, by which it is known under any name, if its host tells it now; an export will."""
    name = services.github.name_of(url) if services.github else None
    if services.github is None or name is None:
        return None
    try:
        return await asyncio.to_thread(services.github.find, name)
    except GitHubFault:
        return None


async def _team(services: Services, claim: Claim, slug: str, needs: Role) -> int:
    caller = await access.caller(services, claim, slug, needs=needs, request_id=None, patience=0)
    return caller.team_id


async def managed(services: Services, claim: Claim, slug: str) -> int:
    """Return the team's id if the caller may change the team."""
    access.require_no_agent(claim)
    return await _team(services, claim, slug, Role.MAINTAINER)


def _repository(url: str) -> str:
    """Read the address of a repository: https, a host, owner and name, no credentials."""
    found = _REPOSITORY.fullmatch(url.strip())
    if found is None or len(url) > URL_CHARACTERS or {found["owner"], found["name"]} & {".", ".."}:
        raise InvalidRequest("a repository's address looks like https://github.com/acme/payments, without credentials")
    return f"https://{found['host'].lower()}/{found['owner']}/{found['name'].removesuffix('.git')}"
