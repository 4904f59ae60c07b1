"""The org's embeddings: what each model covers, the backfill of all teams, the switch to another model, the drop."""

from dataclasses import dataclass

from kapelle.domain.callers import Claim
from kapelle.domain.errors import Conflict, InvalidRequest, NotFound
from kapelle.operations import access, backfilling
from kapelle.operations.backfilling import Asked
from kapelle.operations.results import Running, Told
from kapelle.services import Services
from kapelle.store import embeddings, models, teams
from kapelle.store.models import Covering, Model
from kapelle.store.pool import tenant

FORCE = "force"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A request to the org as a whole, as a door read it."""

    claim: Claim
    request_id: str | None
    patience: float

    @property
    def source(self) -> str:
        return self.claim.source or f"person:{self.claim.person}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Show the models and how many entries each covers. The first one is what searches and writes go by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """Embed what has no vector yet in any team: a dry run, unless the mode is "apply"."""

    mode: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """Let searches and writes go by another model once it covers every entry, or at once with "force"."""

    model: str
    mode: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Delete all vectors of a model that searches do not go by."""

    model: str


async def status(_request: Status, visit: Visit, services: Services) -> Told:
    await access.require_known(services, visit.claim)
    found = await _coverage(services)
    wanted = services.spaces.wanted
    text = "No embedder is configured" if wanted is None else f"The embedder is {wanted.alias}"
    return Told(text=text, lines=tuple(_line(one, services) for one in found))


async def backfill(request: Backfill, visit: Visit, services: Services) -> Told | Running:
    await access.require_known(services, visit.claim)
    access.require_no_agent(visit.claim)
    asked = Asked(source=visit.source, request_id=visit.request_id, patience=visit.patience)
    return await backfilling.run(services, asked, request.mode)


async def switch(request: Switch, visit: Visit, services: Services) -> Told:
    if request.mode not in {"", FORCE}:
        raise InvalidRequest('the mode of a switch is "force", or is left out')
    await access.require_admin(services, visit.claim)
    found = await _known(services, request.model)
    if not found.active:
        _require_reachable(services, found)
        if not found.complete and not request.mode:
            raise Conflict(
                f"{found.model} covers {found.embedded} of {found.entries} entries; run the backfill first, or force it"
            )
        async with tenant(services.pool, services.org_id) as conn:
            await models.activate(conn, org_id=services.org_id, model=found.model, by=visit.source)
        services.spaces.forget()
    return Told(text=f"Searches and writes go by {found.model}.")


async def drop(request: Drop, visit: Visit, services: Services) -> Told:
    await access.require_admin(services, visit.claim)
    found = await _known(services, request.model)
    if found.active:
        raise Conflict(f"searches go by {found.model}; switch to another model first")
    async with tenant(services.pool, services.org_id) as conn:
        listed = await teams.listing(conn, org_id=services.org_id, person_id=None)
    for team in listed:
        # A transaction each, so that no team's vectors wait for another's.
        async with tenant(services.pool, services.org_id) as conn:
            await embeddings.drop(conn, org_id=services.org_id, team_id=team.team_id, model=found.model)
    async with tenant(services.pool, services.org_id) as conn:
        await models.forget(conn, org_id=services.org_id, model=found.model)
    return Told(text=f"The vectors of {found.model} are dropped.")


async def _coverage(services: Services) -> tuple[Covering, ...]:
    async with tenant(services.pool, services.org_id) as conn:
        return await models.coverage(conn, org_id=services.org_id)


async def _known(services: Services, name: str) -> Covering:
    """Return a model by its name, with its dimensions or without where that is unambiguous."""
    covered = await _coverage(services)
    named = [one for one in covered if one.model == name] or [
        one for one in covered if name in {one.model.rpartition(":")[0], one.alias}
    ]
    if len(named) != 1:
        known = ", ".join(one.model for one in covered) or "none"
        raise NotFound(f"there is no such model; those with vectors are: {known}")
    return named[0]


def _require_reachable(services: Services, found: Covering) -> None:
    """Refuse a model that this process could not embed a query with.

    Raises:
        Conflict: naming the alias.
    """
    if services.spaces.reach(Model(model=found.model, alias=found.alias)) is None:
        alias = f"the alias '{found.alias}' is another model now" if found.alias else "no alias is known for it"
        raise Conflict(f"queries cannot be embedded with {found.model}: {alias}")


def _line(one: Covering, services: Services) -> str:
    wanted = services.spaces.wanted
    roles = ["in use"] if one.active else []
    roles += ["wanted"] if wanted is not None and not one.active and wanted.is_of(one.model) else []
    share = 100.0 if not one.entries else 100.0 * one.embedded / one.entries
    role = f" ({', '.join(roles)})" if roles else ""
    # Rounded down, so that 100 % means all.
    return f"{one.model}{role}: {one.embedded} of {one.entries} entries, {int(share * 10) / 10:g} %"
