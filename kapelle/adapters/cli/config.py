"""The settings of one run: flags first, then the environment, then the home's endpoints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kapelle.adapters.cli import home
from kapelle.adapters.cli.outcomes import UsageFault

# A write is answered within the service's own limit, 4 seconds by default; the rest is for the way.
DEFAULT_TIMEOUT = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """The common options as given on the command line; an empty text stands for an absent one."""

    nats_url: str = ""
    team: str = ""
    user: str = ""
    source: str = ""
    home: str = ""
    timeout: float = DEFAULT_TIMEOUT
    request_id: str = ""
    json: bool = False
    full: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Where to ask, for which team, and as whom. At most one of `user` and `source` is set."""

    nats_url: str
    team: str
    user: str
    source: str
    timeout: float

    @property
    def place(self) -> str:
        """The server's address without the user and password that the URL may hold."""
        return ", ".join(url.strip().rpartition("://")[2].rpartition("@")[2] for url in self.nats_url.split(","))


def resolve(flags: Flags, env: Mapping[str, str], folder: Path) -> Config:
    """Settle every setting.

    Raises:
        UsageFault: no server is known, or no caller, or the named home has no endpoints.
    """
    endpoints = _endpoints(flags, env, folder)
    nats_url = flags.nats_url or env.get("KAPELLE_NATS_URL", "") or endpoints.nats_url
    if not nats_url:
        raise UsageFault(
            "no memory service is known here; start one with `make up`, or name it with --home, --nats-url "
            "or KAPELLE_NATS_URL"
        )
    user, source = _caller(flags, env, endpoints)
    return Config(
        nats_url=nats_url,
        team=flags.team or env.get("KAPELLE_TEAM", "") or endpoints.team,
        user=user,
        source=source,
        timeout=flags.timeout,
    )


def _endpoints(flags: Flags, env: Mapping[str, str], folder: Path) -> home.Endpoints:
    named = flags.home or env.get("KAPELLE_HOME", "")
    place = folder / named if named else home.find(folder)
    return home.read(place) if place else home.Endpoints()


def _caller(flags: Flags, env: Mapping[str, str], endpoints: home.Endpoints) -> tuple[str, str]:
    # A more specific place decides alone: a user on the command line is not overruled by a source in the
    # environment. Within the environment the source counts, as it does in a request.
    for user, source in (
        (flags.user, flags.source),
        (env.get("KAPELLE_USER", ""), env.get("KAPELLE_SOURCE", "")),
        (endpoints.person, ""),
    ):
        if source:
            return "", source
        if user:
            return user, ""
    raise UsageFault("who is asking? Give --user or --source, or set KAPELLE_USER or KAPELLE_SOURCE")


def editor(env: Mapping[str, str]) -> str:
    """Return the person's editor as a command line, empty if none is set."""
    return env.get("VISUAL", "") or env.get("EDITOR", "")


def wants_colour(env: Mapping[str, str]) -> bool:
    """Tell whether colours are welcome (https://no-color.org)."""
    return not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def fixed_width(env: Mapping[str, str]) -> int | None:
    """Return the width that the person asked for with COLUMNS, if any."""
    text = env.get("COLUMNS", "")
    return int(text) if text.isdecimal() and int(text) > 0 else None
