"""Who is calling: a person of the org, or a source that a trusted door established."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from kapelle.domain import validation
from kapelle.domain.errors import InvalidRequest, NotAllowed
from kapelle.domain.scan import Policy

_SOURCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}")


class Role(IntEnum):
    """A person's role in a team, ordered: each may do what the lower ones may."""

    NONE = 0
    VIEWER = 1
    MEMBER = 2
    MAINTAINER = 3
    # Of the org, and thereby above every role in its teams.
    ADMIN = 4

    @classmethod
    def named(cls, name: str) -> "Role":
        """Read a role that can be given in a team."""
        if name not in {"viewer", "member", "maintainer"}:
            raise InvalidRequest("a role is one of viewer, member, maintainer")
        return cls[name.upper()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a request says of its caller: exactly one of the two counts, the source if both are set."""

    source: str | None = None
    person: str | None = None

    @property
    def name(self) -> str:
        """The source that is recorded for what the caller does."""
        return self.source or f"person:{self.person}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authorized caller, in one team."""

    source: str
    team_id: int
    team: str
    role: Role | None
    request_id: str | None = None
    # Seconds that the caller waits for a write before it is told the operation's id instead.
    patience: float
    # What the team lets its memory hold.
    policy: Policy = Policy()  # noqa: RUF009 - frozen
    # A person's word that a text is to be stored although an entry says the same in other words.
    force: bool = False
    # The team's revision and the number of its last event when the caller was let in.
    revision: int | None = None
    ledger_seq: int | None = None
    let_in_at: datetime | None = None
    # The past moment that a read is about; now, if None.
    as_of: datetime | None = None
    # From when on and until when a written text holds.
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    # Of an agent that a door knows by its token, and that may have entries of its own.
    agent_id: int | None = None
    # Whether a repeated request waits for the answer of the first, or is told that this one is under way.
    joins: bool = True

    @property
    def is_agent(self) -> bool:
        return self.source.startswith("agent:")

    @property
    def maintains(self) -> bool:
        """Whether the caller may decide what members may not: maintainers, and services that speak for themselves."""
        return not self.is_agent if self.role is None else self.role >= Role.MAINTAINER

    @property
    def is_person(self) -> bool:
        return is_person(self.source)


def is_person(source: str) -> bool:
    return source.startswith("person:")


def agent_source(team: str, name: str) -> str:
    """Return the source of a team's agent."""
    return f"agent:{team}/{name}"


def claim(source: object, user: object) -> Claim:
    """Read the two fields of a request.

    Raises:
        InvalidRequest: if neither is set, or one is malformed.
    """
    if source not in (None, ""):
        text = validation.storable("source", source)
        if not _SOURCE.fullmatch(text):
            raise InvalidRequest("source must be a name such as agent:payments/coder, of at most 200 characters")
        return Claim(source=text)
    if user not in (None, ""):
        return Claim(person=validation.person(validation.storable("user", user)))
    raise InvalidRequest("the request names neither a source nor a user")


def agent_team(source: str) -> str | None:
    """Return the team that an agent's source names, and None for any other source.

    Raises:
        InvalidRequest: for an agent's source without team and name.
    """
    if not source.startswith("agent:"):
        return None
    team, _, name = source.removeprefix("agent:").partition("/")
    if not team or not name:
        raise InvalidRequest("an agent's source names its team and itself, such as agent:payments/coder")
    return team


def require_own_team(source: str, team: str) -> None:
    """Refuse an agent that speaks for a team which is not its own."""
    own = agent_team(source)
    if own is not None and own != team:
        raise NotAllowed(f"{source} works for team '{own}' and cannot speak for team '{team}'")
