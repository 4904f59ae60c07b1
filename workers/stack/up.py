"""`up`: the whole stack of one home, from the first lock to the last process stopped."""

import asyncio
import signal
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from kapelle import settings
from kapelle.store import bootstrap
from workers import indexes
from workers.stack import endpoints, home, ours, ports, processes, screen, secrets
from workers.stack.database import MigrationError
from workers.stack.home import Home
from workers.stack.ports import PortTakenError
from workers.stack.progress import Report, timed
from workers.stack.servers import Plan, Real, Servers, together
from workers.stack.supervise import Keeper, PartFailedError, stop_all

_OURS_SECONDS = 60.0
# What a caller can put right: another home, another port, the damaged file, a setting.
_REFUSALS = (home.HomeTakenError, home.HomeUnusableError, PortTakenError, settings.SettingsError)
_FAILURES = (PartFailedError, MigrationError, FileNotFoundError, asyncpg.PostgresError, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the person who starts the stack asks for."""

    home: Path
    ports: Mapping[str, int]
    environment: Mapping[str, str]


async def run(wishes: Wishes, report: Report) -> int:
    """Run the stack until SIGTERM or SIGINT and return the exit code: 2 when refused, 1 when a part failed."""
    try:
        settings.check(wishes.environment)
        with home.locked(wishes.home) as here:
            await _Stack(wishes, here, report).run()
    except _REFUSALS as refusal:
        report(str(refusal))
        return 2
    except _FAILURES as failure:
        report(str(failure))
        return 1
    return 0


class _Stack:
    """One run of the stack on a locked home."""

    def __init__(self, wishes: Wishes, here: Home, report: Report) -> None:
        self._wishes = wishes
        self._home = here
        self._report = report
        self._ours: list[Keeper] = []
        self._listening: dict[str, int] = {}

    async def run(self) -> None:
        began = time.monotonic()
        endpoints.withdraw(self._home)
        stopping = _stop_signals()
        for name in processes.stop_leftovers(self._home):
            self._report(f"  {name} was left over from an earlier run and is stopped")
        plan = self._plan()
        servers = Servers(plan)
        wanted = ours.ports_to_choose(self._wishes.environment)
        self._listening = ports.choose(self._home, wanted, self._wishes.ports)
        self._report(f"Starting Kapelle memory in {self._home.path}")
        try:
            if await _unless(stopping, self._start(servers, plan)):
                self._publish(servers, plan, time.monotonic() - began)
                await _unless(stopping, self._keep(servers))
        finally:
            await self._stop(servers)

    def _plan(self) -> Plan:
        environment = self._wishes.environment
        return Plan(
            home=self._home,
            secrets=secrets.keep(self._home),
            report=self._report,
            given=self._wishes.ports,
            real=Real(
                nats_url=environment.get("KAPELLE_NATS_URL", ""),
                database_url=environment.get("KAPELLE_DATABASE_URL", ""),
                database_owner_url=environment.get("KAPELLE_DATABASE_OWNER_URL", ""),
                temporal_address=environment.get("TEMPORAL_ADDRESS", ""),
            ),
        )

    @property
    def _org(self) -> str:
        return self._wishes.environment.get("KAPELLE_ORG", "") or "default"

    async def _start(self, servers: Servers, plan: Plan) -> None:
        await servers.start()
        await self._begin(servers, plan)
        for part in ours.parts(self._wishes.environment, servers.addresses, plan.secrets, self._listening):
            self._ours.append(Keeper(part, self._home, self._report))
        await together(*(self._started(keeper) for keeper in self._ours))

    async def _begin(self, servers: Servers, plan: Plan) -> None:
        with timed(self._report, "Organisation, team, tokens"):
            connection = await asyncpg.connect(servers.addresses.product_dsn)
            try:
                await bootstrap.begin(
                    connection,
                    bootstrap.Beginning(
                        org=self._org,
                        team=endpoints.TEAM,
                        person=endpoints.PERSON,
                        agent=endpoints.AGENT,
                        admin_token=plan.secrets.admin_token,
                        agent_token=plan.secrets.agent_token,
                    ),
                )
            finally:
                await connection.close()

    async def _started(self, keeper: Keeper) -> None:
        with timed(self._report, keeper.part.title):
            await keeper.start(_OURS_SECONDS)

    def _publish(self, servers: Servers, plan: Plan, seconds: float) -> None:
        environment = self._wishes.environment
        found = endpoints.of(
            servers.addresses,
            plan.secrets,
            self._org,
            http_url=ours.http_url(environment, self._listening),
            mcp_url=ours.mcp_url(environment, self._listening),
        )
        endpoints.publish(self._home, found)
        self._report(screen.render(self._home, found, seconds))

    async def _keep(self, servers: Servers) -> None:
        owner_dsn = servers.addresses.owner_dsn
        # The owner's address stays in this process; the others have no use for it.
        maintenance = (indexes.keep(owner_dsn, self._org),) if owner_dsn else ()
        await together(*(keeper.keep() for keeper in (*servers.keepers, *self._ours)), *maintenance)

    async def _stop(self, servers: Servers) -> None:
        endpoints.withdraw(self._home)
        with timed(self._report, "Stopped"):
            await stop_all(self._ours)
            await servers.stop()
        processes.forget(self._home)


def _stop_signals() -> asyncio.Event:
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    return stopping


async def _unless(stopping: asyncio.Event, work: Coroutine[Any, Any, None]) -> bool:
    """Do the work, or give it up when it is time to stop; say whether it was done."""
    task = asyncio.create_task(work)
    stop = asyncio.create_task(stopping.wait())
    await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
        return False
    await task
    return True
