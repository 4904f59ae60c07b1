"""What operations work with, opened once for a process."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from temporalio.client import Client

from kapelle.domain.rules.scan.verdicts import Verdicts
from kapelle.domain.scan import Policy
from kapelle.durable.client import connect
from kapelle.durable.exporter import Exporter
from kapelle.durable.importer import Importer
from kapelle.durable.writer import Writer
from kapelle.providers.github import GitHub, open_github
from kapelle.settings import Settings
from kapelle.spaces import Spaces
from kapelle.store import revisions
from kapelle.store.hot import HotCache
from kapelle.store.pool import Pool, open_pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The open parts of one process, for one org."""

    settings: Settings
    # Reads and the doors' own statements.
    pool: Pool
    # Writes wait for their team's lock, and must not keep reads from a connection while they do.
    write_pool: Pool
    temporal: Client
    writer: Writer
    importer: Importer
    exporter: Exporter
    policy: Policy
    verdicts: Verdicts
    # Where no embeddings are configured, there is no space, and search goes by words.
    spaces: Spaces
    # None where exports as pull requests are not configured: they end as text.
    github: GitHub | None
    hot: HotCache

    @property
    def org_id(self) -> str:
        return self.settings.org


@asynccontextmanager
async def open_services(settings: Settings, env: Mapping[str, str], *, identity: str) -> AsyncIterator[Services]:
    """Connect to PostgreSQL and Temporal. `env` holds Temporal's own `TEMPORAL_*` settings.

    Raises:
        PrivilegedRole: if the database role could bypass row level security.
        Unavailable: if a server does not answer.
    """
    async with AsyncExitStack() as stack:
        url, size = settings.database_url.value, settings.pool_size
        pool = await stack.enter_async_context(await open_pool(url, size))
        write_pool = await stack.enter_async_context(await open_pool(url, size))
        temporal = await connect(env, settings.payload_keys, identity=identity)
        hot = HotCache(pool, settings.org)
        await stack.enter_async_context(revisions.listening(url, hot.drop, hot.drop_all))
        yield Services(
            settings=settings,
            pool=pool,
            write_pool=write_pool,
            temporal=temporal,
            writer=_writer(settings, temporal, pool),
            importer=Importer(temporal, task_queue=settings.task_queue),
            exporter=Exporter(temporal, task_queue=settings.task_queue),
            policy=Policy(link_hosts=settings.link_hosts, personal_data=settings.personal_data),
            verdicts=Verdicts(clock=time.thread_time),
            spaces=Spaces(settings, pool),
            github=open_github(settings),
            hot=hot,
        )


def _writer(settings: Settings, temporal: Client, pool: Pool) -> Writer:
    return Writer(
        temporal,
        pool,
        org_id=settings.org,
        batches=settings.batches,
        batch_drafts=settings.batch_drafts,
        task_queue=settings.task_queue,
    )


class Tenants:
    """The services of each org for a door that serves them all, on the connections of one process."""

    def __init__(self, own: Services) -> None:
        self._own = own
        self._known = {own.org_id: own}

    @property
    def own(self) -> Services:
        """The services of the org that the settings name."""
        return self._own

    def of(self, org_id: str) -> Services:
        """Return the services of an org that exists."""
        if org_id not in self._known:
            settings = replace(self._own.settings, org=org_id)
            self._known[org_id] = replace(
                self._own,
                settings=settings,
                writer=_writer(settings, self._own.temporal, self._own.pool),
                spaces=self._own.spaces.of(org_id),
                hot=self._own.hot.of(org_id),
            )
        return self._known[org_id]

    async def drain(self, seconds: float) -> None:
        """Wait as `Writer.drain` does, for all orgs at once."""
        await asyncio.gather(*(services.writer.drain(seconds) for services in self._known.values()))
