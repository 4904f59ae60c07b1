"""What an admin's decision reaches: what an agent wrote, a team, or the whole org."""

from dataclasses import dataclass

from kapelle.domain.callers import Caller
from kapelle.domain.errors import InvalidRequest, NotFound
from kapelle.services import Services
from kapelle.store import holds
from kapelle.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A scope with its ids; None where it is wider."""

    team_id: int | None
    agent_id: int | None
    source: str | None
    on: str


async def read(conn: Connection, scope: str, name: str, caller: Caller, services: Services) -> Scope:
    """Read a scope and the name that confirms it.

    Raises:
        InvalidRequest: the scope is none, or the name is not that of what the request is about.
        NotFound: the team has no such agent.
    """
    match scope:
        case "agent":
            agent_id = await holds.agent_id(conn, org_id=services.org_id, team_id=caller.team_id, name=name)
            if agent_id is None:
                raise NotFound(f"team {caller.team} has no agent of this name")
            on = f"{caller.team}/{name}"
            return Scope(team_id=caller.team_id, agent_id=agent_id, source=f"agent:{on}", on=f"agent {on}")
        case "team":
            _confirm(name, caller.team, "team")
            return Scope(team_id=caller.team_id, agent_id=None, source=None, on=f"team {caller.team}")
        case "org":
            _confirm(name, services.org_id, "org")
            return Scope(team_id=None, agent_id=None, source=None, on="the organization")
        case _:
            raise InvalidRequest("the scope must be agent, team or org")


def _confirm(name: str, own: str, what: str) -> None:
    if name != own:
        raise InvalidRequest(f"the name must be that of the request's own {what}, '{own}'")
