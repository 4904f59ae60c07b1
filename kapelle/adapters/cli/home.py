"""The home folder of a local stack, and the addresses that it keeps in `endpoints.json`."""

import json
from dataclasses import dataclass
from pathlib import Path

from kapelle.adapters.cli.outcomes import UsageFault

HOME_NAME = ".kapelle"
ENDPOINTS_NAME = "endpoints.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """What the client uses of `endpoints.json`; an empty text stands for what is not there."""

    nats_url: str = ""
    team: str = ""
    person: str = ""


def find(folder: Path) -> Path | None:
    """Return the nearest `.kapelle` with endpoints, in `folder` or above it."""
    homes = (parent / HOME_NAME for parent in (folder, *folder.parents))
    return next((home for home in homes if (home / ENDPOINTS_NAME).is_file()), None)


def read(home: Path) -> Endpoints:
    """Read the endpoints of `home`.

    Raises:
        UsageFault: there are none, or they cannot be understood.
    """
    path = home / ENDPOINTS_NAME
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise UsageFault(f"{path} does not exist; start the stack with that home, or name another one") from None
    except OSError as error:
        raise UsageFault(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise UsageFault(f"{path} is not valid JSON; start the stack again to have it rewritten") from None
    if not isinstance(found, dict):
        raise UsageFault(f"{path} does not hold a JSON object; start the stack again to have it rewritten")
    wanted = {name: found.get(name) for name in ("nats_url", "team", "person")}
    return Endpoints(**{name: value for name, value in wanted.items() if isinstance(value, str)})
