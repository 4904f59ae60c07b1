"""The three servers of a home, those that a setting does not replace by a real one."""

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from workers.stack import database, nats, ports, postgres, temporal
from workers.stack.home import Home
from workers.stack.part import Part
from workers.stack.progress import Report, timed
from workers.stack.secrets import Secrets
from workers.stack.supervise import Keeper, stop_all

_START_SECONDS = 60.0
_ORDER = ("postgres", "nats", "temporal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """Addresses of servers that run elsewhere; an empty one means that the part is started here."""

    nats_url: str = ""
    # The product's role, and the role that owns the schema: without the latter nothing is migrated.
    database_url: str = ""
    database_owner_url: str = ""
    temporal_address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where everything is. The owner's address and the UI's are empty when nobody told us."""

    nats_url: str
    owner_dsn: str
    product_dsn: str
    temporal_address: str
    temporal_ui_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to start, where, and whom to tell."""

    home: Home
    secrets: Secrets
    report: Report
    real: Real = field(default_factory=Real)
    # Ports asked for, by the names that `ports.json` has.
    given: Mapping[str, int] = field(default_factory=dict)
    # A stack for tests gives up durability for speed.
    durable: bool = True


class Servers:
    """Starts the servers side by side and keeps them."""

    def __init__(self, plan: Plan) -> None:
        """Choose the ports; raises `PortTakenError` before anything is started."""
        self._plan = plan
        self._ports = ports.choose(plan.home, _names(plan.real), plan.given)
        self.addresses = self._addresses()
        self.keepers: list[Keeper] = []

    async def start(self) -> None:
        """Start all of them and make the database ready for the product.

        Raises:
            PartFailedError, MigrationError, HomeUnusableError: when one cannot; the others may run and want `stop`.
        """
        steps: list[Coroutine[Any, Any, None]] = []
        steps.append(self._start_postgres() if not self._plan.real.database_url else self._prepare_database())
        if not self._plan.real.nats_url:
            steps.append(self._started(nats.part(self._plan.home, self._ports["nats"], self._plan.secrets)))
        if not self._plan.real.temporal_address:
            steps.append(self._started(self._temporal()))
        await together(*steps)

    async def stop(self) -> None:
        """Stop them one after the other, Temporal first and the database last."""
        await stop_all(sorted(self.keepers, key=lambda keeper: _ORDER.index(keeper.part.name)))

    async def _start_postgres(self) -> None:
        cluster = postgres.place(self._plan.home)
        if not postgres.is_initialised(cluster):
            with timed(self._plan.report, "PostgreSQL data directory"):
                await asyncio.to_thread(postgres.initialise, cluster, self._plan.secrets.postgres_owner)
        server = self._postgres_dsn(postgres.OWNER, self._plan.secrets.postgres_owner, "postgres")
        await self._started(postgres.part(cluster, self._ports["postgres"], server, durable=self._plan.durable))
        await database.create(server, postgres.DATABASE)
        await self._prepare_database()

    async def _prepare_database(self) -> None:
        owner = self.addresses.owner_dsn
        if not owner:
            return
        with timed(self._plan.report, "Migrations"):
            await database.migrate(owner)
            product = urlsplit(self.addresses.product_dsn)
            await database.admit(owner, unquote(product.username or ""), unquote(product.password or ""))

    async def _started(self, part: Part) -> None:
        if not self._plan.durable:
            part = replace(part, stop_signal=part.orphan_signal)
        keeper = Keeper(part, self._plan.home, self._plan.report)
        self.keepers.append(keeper)
        with timed(self._plan.report, part.title):
            await keeper.start(_START_SECONDS)

    def _temporal(self) -> Part:
        names = ("temporal", "temporal-ui", "temporal-http", "temporal-metrics")
        return temporal.part(self._plan.home, *(self._ports[name] for name in names))

    def _addresses(self) -> Addresses:
        real, chosen = self._plan.real, self._ports
        owner, product = real.database_owner_url, real.database_url
        if not product:
            owner = self._postgres_dsn(postgres.OWNER, self._plan.secrets.postgres_owner, postgres.DATABASE)
            product = self._postgres_dsn(database.PRODUCT_ROLE, self._plan.secrets.postgres_product, postgres.DATABASE)
        return Addresses(
            nats_url=real.nats_url or nats.url(chosen["nats"], self._plan.secrets),
            owner_dsn=owner,
            product_dsn=product,
            temporal_address=real.temporal_address or f"{ports.LOOPBACK}:{chosen['temporal']}",
            temporal_ui_url="" if real.temporal_address else f"http://{ports.LOOPBACK}:{chosen['temporal-ui']}",
        )

    def _postgres_dsn(self, role: str, password: str, name: str) -> str:
        # Without the word on TLS, clients look for certificates in a home folder that may not be theirs.
        place = f"{ports.LOOPBACK}:{self._ports['postgres']}/{name}"
        return f"postgresql://{role}:{password}@{place}?sslmode=disable"


def _names(real: Real) -> tuple[str, ...]:
    """Name the ports that the parts of this home need."""
    wanted: list[str] = []
    if not real.database_url:
        wanted.append("postgres")
    if not real.nats_url:
        wanted.append("nats")
    if not real.temporal_address:
        wanted += ("temporal", "temporal-ui", "temporal-http", "temporal-metrics")
    return tuple(wanted)


async def together(*steps: Coroutine[Any, Any, None]) -> None:
    """Run the steps side by side; the first failure ends the others and is raised as itself."""
    try:
        async with asyncio.TaskGroup() as group:
            for step in steps:
                group.create_task(step)
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
