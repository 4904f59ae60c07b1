"""A running memory service on real servers, as an outsider sees it: requests in, replies out."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import asyncpg
from nats.aio.client import Client

from kapelle.adapters.nats.server import SUBJECT, CommandServer, connect
from kapelle.domain.rules.scan.verdicts import Verdicts
from kapelle.services import Services, open_services
from kapelle.settings import Secret, Settings
from kapelle.store import bootstrap
from tests.embedder import FakeEmbedder, spaces_of
from tests.stack import Database, Temporal
from workers.memory_worker import memory_worker

# The test suite's own keys; recorded histories are encrypted with the first.
PAYLOAD_KEYS = "test:" + "dGVzdC1rZXktb2YtMzItYnl0ZXMtZm9yLXJlcGxheXM="
DIGEST_KEY = "a digest key that only tests use, ever"

PERSON = "ada"
AGENT = "agent:demo/coder"
BEGINNING = bootstrap.Beginning(
    org="default", team="demo", person=PERSON, agent="coder", admin_token="kap_admin", agent_token="kap_agent"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The service behind its NATS subject, and its database for looking behind the answers."""

    nats: Client
    services: Services
    database: Database

    async def send(self, data: bytes, headers: dict[str, str] | None = None) -> dict[str, Any]:
        """Send raw bytes and return the reply."""
        message = await self.nats.request(SUBJECT, data, timeout=10, headers=headers)
        reply: dict[str, Any] = json.loads(message.data)
        return reply

    async def ask(self, *args: str, **fields: object) -> dict[str, Any]:
        """Ask the memory command as the person, unless the fields name somebody else."""
        request: dict[str, object] = {"command": "memory", "team": "demo", "args": list(args)}
        if "source" not in fields and "user" not in fields:
            request["user"] = PERSON
        return await self.send(json.dumps(request | fields).encode())

    async def team(self, *args: str, **fields: object) -> dict[str, Any]:
        """Ask the team command as the person, unless the fields name somebody else."""
        return await self.ask(*args, **({"command": "team"} | fields))

    async def rows(self, query: str, *arguments: object) -> list[dict[str, Any]]:
        """Look into the database as its owner."""
        connection = await asyncpg.connect(self.database.owner_dsn)
        try:
            return [dict(row) for row in await connection.fetch(query, *arguments)]
        finally:
            await connection.close()


def settings_for(database: Database, nats_url: str, temporal: Temporal) -> Settings:
    return Settings(
        database_url=Secret(database.product_dsn),
        nats_url=Secret(nats_url),
        payload_keys=Secret(PAYLOAD_KEYS),
        digest_key=Secret(DIGEST_KEY),
        task_queue=temporal.task_queue,
        pool_size=8,
        sandbox=True,
        reply_seconds=30.0,
    )


@asynccontextmanager
async def running_memory(
    database: Database,
    nats_url: str,
    temporal: Temporal,
    *,
    door: Verdicts | None = None,
    worker: Verdicts | None = None,
    embedders: Mapping[str, FakeEmbedder] | None = None,
    **changes: Any,
) -> AsyncIterator[Memory]:
    """Run worker and command adapter on open services; `changes` are settings, `embedders` those of the aliases.

    `door` and `worker` take the place of the scan that the two share.
    """
    settings = replace(settings_for(database, nats_url, temporal), **changes)
    env = {"TEMPORAL_ADDRESS": temporal.address, "TEMPORAL_NAMESPACE": temporal.namespace}
    async with open_services(settings, env, identity="test") as opened:
        spaces = opened.spaces if embedders is None else spaces_of(settings, opened.pool, embedders)
        services = replace(opened, spaces=spaces)
        async with services.pool.acquire() as connection:
            await bootstrap.begin(connection, BEGINNING)
        client = await connect(nats_url, name="test-service")
        caller = await connect(nats_url, name="test-caller")
        server = CommandServer(client, replace(services, verdicts=door or services.verdicts))
        try:
            async with memory_worker(replace(services, verdicts=worker or services.verdicts)):
                await server.start()
                yield Memory(nats=caller, services=services, database=database)
                await server.close()
                await services.writer.drain(5)
        finally:
            await asyncio.gather(client.close(), caller.close())
