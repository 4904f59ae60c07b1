"""The steps of an export, on the real store and at GitHub."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import urlsplit

from temporalio import activity

from activities import export_push
from activities.export_push import File, Say
from kapelle.contracts import export as contract
from kapelle.contracts.export import Due, Ended, Export, Pushed, Rendered, Request, Task
from kapelle.domain.entries import Draft, Entry, Status
from kapelle.domain.exports import BRANCH, Item, Last, description, exported, not_exported
from kapelle.domain.outcomes import Outcome
from kapelle.domain.rules.rendering import blob_id, team_memory
from kapelle.domain.rules.scan import gate
from kapelle.domain.scan import Policy
from kapelle.providers.github import GitHub
from kapelle.providers.github_faults import GitHubFault
from kapelle.providers.github_repository import Repository
from kapelle.store import entries, exports, operations, teams
from kapelle.store.operations import Begun
from kapelle.store.pool import Connection, Pool, tenant
from kapelle.store.teams import Team

Answer = TypeVar("Answer")

# A call that hangs holds its thread for as long as its timeout.
THREADS = 16
HEARTBEAT_SECONDS = 1.0
NOT_CONFIGURED = "GitHub is not configured here"
NO_REPOSITORY = "no repository is linked to the team"
ELSEWHERE = "the team's repository is not on the GitHub that is configured here"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """What leaves: the file, the entries in it, and those that the scan holds back."""

    file: File
    items: tuple[Item, ...]
    withheld: tuple[int, ...]


class ExportActivities(contract.ExportActivities):
    """Rendering reads the store; pushing and opening ask GitHub from a thread, with a client of their own each time."""

    def __init__(self, pool: Pool, policy: Policy, github: GitHub | None) -> None:
        self._pool = pool
        self._policy = policy
        self._github = github
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="github")

    @activity.defn(name="export.render")
    async def render(self, export: Export) -> Rendered:
        async with tenant(self._pool, export.org_id) as conn:
            begun = [_begun(export)]
            await operations.begin(
                conn, org_id=export.org_id, begun=begun, workflow_id=activity.info().workflow_id or ""
            )
            team = await teams.find(conn, org_id=export.org_id, slug=export.team)
            last = await self._last(conn, export.org_id, team)
        obstacle = self._obstacle(export, team)
        if team is None or obstacle:
            return Rendered(blob="", size=0, items=(), obstacle=obstacle)
        page = await self._page(export.org_id, team)
        if not page.items and last is None:
            obstacle = "there is nothing to export yet"
        size = len(page.file.content)
        await self._tell(export, _run_id(), f"{_count(page.items)} rendered, {size / 1000:.1f} KB")
        return Rendered(blob=page.file.blob, size=size, items=page.items, withheld=page.withheld, obstacle=obstacle)

    @activity.defn(name="export.push")
    async def push(self, task: Task) -> Pushed:
        export = task.export
        team = await self._team(export)
        # Rendered again rather than passed on: no text of a memory goes into a workflow's history.
        page = await self._page(export.org_id, team)
        loop = asyncio.get_running_loop()

        def work(repository: Repository, say: Say) -> Pushed:
            export_push.check(repository)
            bound = asyncio.run_coroutine_threadsafe(self._bind(export, repository), loop)
            return export_push.push(repository, page.file, bound.result(), say)

        pushed = await self._at_github(export, team, work)
        return replace(pushed, items=page.items, withheld=page.withheld)

    @activity.defn(name="export.open")
    async def open(self, request: Request) -> Pushed:
        export, pushed = request.export, request.pushed
        async with tenant(self._pool, export.org_id) as conn:
            last = await exports.last(
                conn, org_id=export.org_id, team_id=export.team_id, repo_id=pushed.repo_id, branch=BRANCH
            )
        body = description(export.team, pushed.items, last)
        team = await self._team(export)
        return await self._at_github(
            export, team, lambda repository, say: export_push.open_pull(repository, pushed, body, say)
        )

    @activity.defn(name="export.finish")
    async def finish(self, ended: Ended) -> Outcome:
        export, pushed = ended.export, ended.pushed
        outcome = _outcome(ended)
        async with tenant(self._pool, export.org_id) as conn:
            if pushed.pull and pushed.commit:
                await exports.save(
                    conn,
                    org_id=export.org_id,
                    team_id=export.team_id,
                    repo_id=pushed.repo_id,
                    branch=BRANCH,
                    commit=pushed.commit,
                    finished=Last(blob=pushed.blob, number=pushed.pull.number, items=pushed.items),
                )
            await operations.finish(
                conn,
                org_id=export.org_id,
                finished=[(_begun(export), outcome)],
                workflow_id=activity.info().workflow_id or "",
            )
        return outcome

    @activity.defn(name="export.due")
    async def due(self, wanted: Due) -> Export | None:
        async with tenant(self._pool, wanted.org_id) as conn:
            team = await teams.find(conn, org_id=wanted.org_id, slug=wanted.team)
            last = await self._last(conn, wanted.org_id, team)
        if team is None or team.export_schedule is None or not team.repo_url or self._github is None:
            return None
        page = await self._page(wanted.org_id, team)
        unchanged = not page.items if last is None else last.blob == page.file.blob
        if unchanged:
            return None
        return Export(
            org_id=wanted.org_id, team_id=team.team_id, team=team.slug, repo_url=team.repo_url, source="schedule"
        )

    def _obstacle(self, export: Export, team: Team | None) -> str:
        if team is None or team.team_id != export.team_id:
            return "the team does not exist any more"
        if team.repo_url != export.repo_url:
            return "the team was linked to another repository in this moment; export again"
        if self._github is None:
            return NOT_CONFIGURED
        return "" if self._github.name_of(export.repo_url) else ELSEWHERE

    async def _team(self, export: Export) -> Team:
        async with tenant(self._pool, export.org_id) as conn:
            team = await teams.find(conn, org_id=export.org_id, slug=export.team)
        if team is None:
            raise GitHubFault("the team does not exist any more")
        return team

    async def _last(self, conn: Connection, org_id: str, team: Team | None) -> Last | None:
        if team is None or team.repo_id is None:
            return None
        return await exports.last(conn, org_id=org_id, team_id=team.team_id, repo_id=team.repo_id, branch=BRANCH)

    async def _page(self, org_id: str, team: Team) -> _Page:
        """Render the team's current curated entries, scanned once more: rules may have become stricter."""
        async with tenant(self._pool, org_id) as conn:
            found = await entries.listing(conn, org_id=org_id, team_id=team.team_id, statuses=(Status.CURATED,))
            origins = await exports.origins(conn, org_id=org_id, entry_ids=[entry.id for entry in found])
        policy = self._policy.of(team.link_hosts, team.repo_url, team.personal_data)
        cleared = await asyncio.to_thread(_cleared, found, policy)
        passed = tuple(entry for entry in cleared if entry is not None)
        content = team_memory(team.slug, passed, origins).encode()
        items = (Item(entry_id=entry.id, origin_id=origins.get(entry.id, entry.id)) for entry in passed)
        return _Page(
            file=File(content=content, blob=blob_id(content)),
            items=tuple(sorted(items, key=lambda item: item.entry_id)),
            withheld=tuple(sorted({entry.id for entry in found} - {entry.id for entry in passed})),
        )

    async def _bind(self, export: Export, repository: Repository) -> Last | None:
        """Keep the repository's id and its present name with the team, and return the last export to it."""
        url = urlsplit(export.repo_url)._replace(path=f"/{repository.name}").geturl()
        org_id, team_id, repo_id = export.org_id, export.team_id, repository.id
        async with tenant(self._pool, org_id) as conn:
            other = await teams.linked_by(conn, org_id=org_id, team_id=team_id, url=url, repo_id=repo_id)
            if other is not None:
                raise GitHubFault(f"the repository belongs to team '{other}'")
            await teams.link_repository(conn, org_id=org_id, team_id=team_id, url=url, repo_id=repo_id)
            return await exports.last(conn, org_id=org_id, team_id=team_id, repo_id=repo_id, branch=BRANCH)

    async def _at_github(self, export: Export, team: Team, work: Callable[[Repository, Say], Answer]) -> Answer:
        """Run `work` in a thread on the repository, tell its steps as they happen, and show Temporal that it lives."""
        github, loop, run_id = self._github, asyncio.get_running_loop(), _run_id()
        name = github.name_of(export.repo_url) if github else None
        if github is None or name is None:
            raise GitHubFault(NOT_CONFIGURED if github is None else ELSEWHERE)
        told: list[Future[None]] = []

        def say(step: str) -> None:
            told.append(asyncio.run_coroutine_threadsafe(self._tell(export, run_id, step), loop))

        def run() -> Answer:
            with github.open(team.repo_id or name) as repository:
                return work(repository, say)

        async with _heartbeats():
            answer = await loop.run_in_executor(self._threads, run)
            await asyncio.gather(*map(asyncio.wrap_future, told))
        return answer

    async def _tell(self, export: Export, run_id: str, step: str) -> None:
        async with tenant(self._pool, export.org_id) as conn:
            await operations.tell(conn, org_id=export.org_id, operation_id=run_id, step=step)


@asynccontextmanager
async def _heartbeats() -> AsyncIterator[None]:
    async def beat() -> None:
        while True:
            activity.heartbeat()
            await asyncio.sleep(HEARTBEAT_SECONDS)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()


def _cleared(found: tuple[Entry, ...], policy: Policy) -> tuple[Entry | None, ...]:
    return tuple(_clear(entry, policy) for entry in found)


def _clear(entry: Entry, policy: Policy) -> Entry | None:
    """Return an entry as it may leave, None if it may not."""
    verdict = gate.scan(Draft(kind=entry.kind, title=entry.title, body=entry.body, tags=entry.tags), policy)
    if verdict.refused:
        return None
    draft = verdict.draft
    return replace(entry, title=draft.title, body=draft.body, tags=draft.tags)


def _outcome(ended: Ended) -> Outcome:
    pushed = ended.pushed
    if pushed.fate is None:
        return not_exported(ended.obstacle)
    left_out = ", ".join(map(str, pushed.withheld))
    remarks = (*pushed.remarks, f"left out by the scan: {left_out}") if left_out else pushed.remarks
    return exported(pushed.fate, pushed.pull, pushed.base, remarks)


def _begun(export: Export) -> Begun:
    """A run is an operation of its own, which all its callers can ask for by the run's id."""
    return Begun(operation_id=_run_id(), team_id=export.team_id, source=export.source, name="export", digest=bytes(32))


def _run_id() -> str:
    return activity.info().workflow_run_id or ""


def _count(items: tuple[Item, ...]) -> str:
    return "1 entry" if len(items) == 1 else f"{len(items)} entries"
