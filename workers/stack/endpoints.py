"""What others need to know to use a running home: `endpoints.json`."""

from dataclasses import asdict, dataclass

from workers.stack.home import Home, write_json
from workers.stack.secrets import Secrets
from workers.stack.servers import Addresses

TEAM = "demo"
PERSON = "admin"
AGENT = "coder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """The file's content; an address is null as long as nothing answers there."""

    nats_url: str
    http_url: str | None
    mcp_url: str | None
    temporal_address: str
    temporal_ui_url: str | None
    postgres_dsn: str | None
    org: str
    team: str
    person: str
    tokens: dict[str, str]

    def __repr__(self) -> str:
        return f"Endpoints(org={self.org!r}, team={self.team!r})"


def of(addresses: Addresses, secrets: Secrets, org: str, *, http_url: str, mcp_url: str) -> Endpoints:
    """Gather the endpoints of a home."""
    return Endpoints(
        nats_url=addresses.nats_url,
        http_url=http_url,
        mcp_url=mcp_url,
        temporal_address=addresses.temporal_address,
        temporal_ui_url=addresses.temporal_ui_url or None,
        postgres_dsn=addresses.owner_dsn or None,
        org=org,
        team=TEAM,
        person=PERSON,
        tokens={"admin": secrets.admin_token, "agent": secrets.agent_token},
    )


def publish(home: Home, endpoints: Endpoints) -> None:
    """Write the file in one step; it says that everything answers."""
    write_json(home.endpoints, asdict(endpoints))


def withdraw(home: Home) -> None:
    """Remove the file: nothing answers any more, or not yet."""
    home.endpoints.unlink(missing_ok=True)
