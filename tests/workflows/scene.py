"""A scene to record histories on: the real worker, store and Temporal, and a GitHub of its own."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import asyncpg
import msgspec
from temporalio.client import WorkflowHandle, WorkflowHistory

from kapelle.contracts.backfill import BackfillEmbeddings, Order
from kapelle.contracts.curate import Change
from kapelle.contracts.imports import Import, ImportMemory, Progress, Staged
from kapelle.contracts.resolve import Decision, Resolution, ResolveConflict
from kapelle.contracts.write import Batch, Write, WriteMemory
from kapelle.domain.entries import Draft, Kind
from kapelle.domain.outcomes import Code, Outcome
from kapelle.providers.embeddings import EmbeddingFailed
from kapelle.services import open_services
from kapelle.settings import Secret
from kapelle.store import bootstrap, imports
from kapelle.store.imports import NewLine
from kapelle.store.pool import Pool, tenant
from tests.doubles.github.server import TOKEN, GitHubDouble, running_github
from tests.embedder import ALIAS, FakeEmbedder, spaces_of
from tests.memory import BEGINNING, settings_for
from tests.stack import Database, Temporal
from workers.memory_worker import memory_worker

HISTORIES = Path(__file__).parent / "histories"
ORG = BEGINNING.org
# A credential in shape only, put together here so that no scanner takes this file for a leak.
CREDENTIAL = "AKIA" + "Q3EGRTQ7ZJ5LWXYB"
# An insert of this text fails for good, alone and in any company.
POISON = "This one is refused by the store."
FAIL_FOR_GOOD = f"""
create function public.fail_for_good() returns trigger language plpgsql as $$
begin
    if new.body = '{POISON}' then
        raise exception 'never' using errcode = 'check_violation';
    end if;
    return new;
end
$$;
create trigger fail_for_good before insert on ibex_core.memories for each row execute function public.fail_for_good();
"""
# As often as the named sequence is below its bound, an insert fails the way a lost serialisation does.
FAIL_TIMES = """
create sequence public.failures;
grant usage on sequence public.failures to public;
create function public.fail_for_a_while() returns trigger language plpgsql as $$
begin
    if nextval('public.failures') <= {times} then
        raise exception 'not now' using errcode = 'serialization_failure';
    end if;
    return new;
end
$$;
create trigger fail_for_a_while before insert on ibex_core.memories
for each row execute function public.fail_for_a_while();
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A running worker, to start workflows on and to look behind."""

    database: Database
    team_id: int
    run: Callable[..., Awaitable[tuple[str, Outcome | Progress | tuple[Outcome, ...]]]]
    start: Callable[..., Awaitable[WorkflowHandle[Any, Any]]]
    # Down at first, so that what is written has no vector.
    embedder: FakeEmbedder
    pool: Pool
    github: GitHubDouble

    async def write(self, *drafts: Draft, **changes: object) -> tuple[str, tuple[Code, ...]]:
        """Run one batch; return the workflow's id and how each write ended."""
        writes = tuple(replace(a_write(draft, team_id=self.team_id), **changes) for draft in drafts)  # type: ignore[arg-type]
        workflow_id, outcomes = await self.run(WriteMemory.run, Batch(org_id=ORG, writes=writes))
        assert isinstance(outcomes, tuple)
        return workflow_id, tuple(outcome.code for outcome in outcomes)

    async def decide(self, run: object, entry_id: int) -> tuple[str, Code]:
        """Run one decision; return the workflow's id and how it ended."""
        change = Change(
            org_id=ORG,
            team_id=self.team_id,
            entry_id=entry_id,
            source="person:ada",
            operation_id=str(uuid.uuid4()),
            request_digest="00" * 32,
        )
        workflow_id, outcome = await self.run(run, change)
        assert isinstance(outcome, Outcome)
        return workflow_id, outcome.code

    async def settle(self, conflict_id: int, decision: Decision) -> tuple[str, Code]:
        """Settle a conflict; return the workflow's id and how it ended."""
        resolution = Resolution(
            org_id=ORG,
            team_id=self.team_id,
            conflict_id=conflict_id,
            decision=decision,
            source="person:ada",
            operation_id=str(uuid.uuid4()),
            request_digest="00" * 32,
        )
        workflow_id, outcome = await self.run(ResolveConflict.run, resolution)
        assert isinstance(outcome, Outcome)
        return workflow_id, outcome.code

    async def backfill(self) -> tuple[str, str]:
        """Run a backfill; return the workflow's id and what it said."""
        workflow_id, outcome = await self.run(BackfillEmbeddings.run, Order(org_id=ORG))
        assert isinstance(outcome, Outcome)
        return workflow_id, outcome.reason

    async def take_in(self, *drafts: Draft) -> tuple[str, Progress]:
        """Let lines wait and import them; return the workflow's id and how it ended."""
        one = Import(org_id=ORG, team_id=self.team_id, import_id=str(uuid.uuid4()))
        lines = [_waiting(number, a_write(draft, team_id=self.team_id)) for number, draft in enumerate(drafts, start=1)]
        place: Any = {"org_id": ORG, "team_id": self.team_id, "import_id": one.import_id}
        async with tenant(self.pool, ORG) as conn:
            await imports.begin(conn, source="agent:demo/coder", lines=len(lines), **place)
            await imports.stage(conn, lines=lines, **place)
        workflow_id, progress = await self.run(ImportMemory.run, one)
        assert isinstance(progress, Progress)
        return workflow_id, progress

    async def value(self, query: str) -> object:
        connection = await asyncpg.connect(self.database.owner_dsn)
        try:
            return await connection.fetchval(query)
        finally:
            await connection.close()

    async def as_owner(self, statement: str) -> None:
        connection = await asyncpg.connect(self.database.owner_dsn)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()


Scenario = Callable[[Scene], Awaitable[str]]
Recorder = Callable[[str], Awaitable[WorkflowHistory]]


def a_draft(body: str = "The clock fixture is needed.") -> Draft:
    return Draft(kind=Kind.GOTCHA, title="Flaky webhook test", body=body, tags=("ci",))


def a_write(draft: Draft, *, team_id: int) -> Write:
    return Write(
        operation_id=str(uuid.uuid4()),
        team_id=team_id,
        source="agent:demo/coder",
        intent="propose",
        draft=draft,
        request_digest="00" * 32,
    )


def _waiting(number: int, write: Write) -> NewLine:
    staged = msgspec.json.encode(Staged(write=write))
    return NewLine(line=number, digest=bytes(32), name="", links=(), state="waiting", staged=staged)


BATCHED = (
    a_draft("The clock fixture is needed."),
    a_draft(f"The key is {CREDENTIAL}"),
    a_draft("Webhooks are retried thrice."),
    a_draft("The clock fixture is needed."),
)


@asynccontextmanager
async def a_scene(database: Database, nats_url: str, temporal: Temporal) -> AsyncIterator[tuple[Scene, Recorder]]:
    """Run the product's worker in the sandbox on a fresh database, with a GitHub of its own."""
    with TemporaryDirectory(prefix="kapelle-test-") as folder, running_github(Path(folder)) as github:
        async with _a_scene(database, nats_url, temporal, github) as found:
            yield found


@asynccontextmanager
async def _a_scene(
    database: Database, nats_url: str, temporal: Temporal, github: GitHubDouble
) -> AsyncIterator[tuple[Scene, Recorder]]:
    env = {"TEMPORAL_ADDRESS": temporal.address, "TEMPORAL_NAMESPACE": temporal.namespace}
    known: dict[str, Any] = {"github_url": github.url, "github_token": Secret(TOKEN), "github_pause": 0.0}
    settings = replace(settings_for(database, nats_url, temporal), embed_alias=ALIAS, **known)
    embedder = FakeEmbedder(down=EmbeddingFailed("down at first", permanent=False))
    async with open_services(settings, env, identity="recorder") as opened:
        services = replace(opened, spaces=spaces_of(settings, opened.pool, {ALIAS: embedder}))
        async with services.pool.acquire() as connection:
            await bootstrap.begin(connection, BEGINNING)
        owner = await asyncpg.connect(database.owner_dsn)
        team_id = await owner.fetchval("select team_id from ibex_core.teams")
        await owner.close()

        async def start(method: Any, argument: object) -> WorkflowHandle[Any, Any]:
            return await services.temporal.start_workflow(
                method, argument, id=f"recorded/{uuid.uuid4()}", task_queue=temporal.task_queue
            )

        async def run(method: Any, argument: object) -> tuple[str, Outcome | Progress | tuple[Outcome, ...]]:
            handle = await start(method, argument)
            return handle.id, await handle.result()

        async def history(name: str) -> WorkflowHistory:
            workflow_id, _, run_id = name.partition("#")
            return await services.temporal.get_workflow_handle(workflow_id, run_id=run_id or None).fetch_history()

        async with memory_worker(services):
            pool = services.pool
            scene = Scene(
                database=database,
                team_id=team_id,
                run=run,
                start=start,
                embedder=embedder,
                pool=pool,
                github=github,
            )
            yield scene, history
