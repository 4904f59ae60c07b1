"""A durable memory service on servers of its own, in the measuring process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from kapelle.services import Services
from kapelle.store import teams
from kapelle.store.pool import tenant
from tests.memory import AGENT, Memory, running_memory
from tests.stack import Database, Temporal
from workers.stack.servers import Addresses


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningService:
    """The service with its parts, to be asked over NATS or from within."""

    memory: Memory
    team_id: int

    @property
    def services(self) -> Services:
        return self.memory.services

    async def ask(self, *args: str) -> dict[str, Any]:
        return await self.memory.ask(*args, source=AGENT)


@asynccontextmanager
async def running_service(addresses: Addresses) -> AsyncIterator[RunningService]:
    """Run the service as a process of `make up` does, on servers that run already."""
    database = Database(name="kapelle", owner_dsn=addresses.owner_dsn, product_dsn=addresses.product_dsn)
    temporal = Temporal(address=addresses.temporal_address, namespace="default", task_queue="benchmark")
    async with running_memory(
        database, addresses.nats_url, temporal, sandbox=False, pool_size=10, reply_seconds=60.0
    ) as memory:
        services = memory.services
        async with tenant(services.pool, services.org_id) as conn:
            team = await teams.find(conn, org_id=services.org_id, slug="demo")
        assert team is not None
        yield RunningService(memory=memory, team_id=team.team_id)
