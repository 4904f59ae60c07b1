"""The export: the curated entries as data, or as a pull request to the team's repository."""

from dataclasses import dataclass, replace

from kapelle.contracts.export import Export as Task
from kapelle.domain.callers import Caller
from kapelle.domain.entries import Entry, Status
from kapelle.domain.errors import InvalidRequest, Unavailable
from kapelle.domain.exports import not_exported
from kapelle.domain.outcomes import Code, Outcome
from kapelle.durable.exporter import Run
from kapelle.operations import writing
from kapelle.operations.results import Exported, Running, Written
from kapelle.services import Services
from kapelle.store import entries, operations, teams
from kapelle.store.pool import tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Return the current curated entries, oldest first; with "pr", open a pull request with them."""

    target: str = ""


async def export(request: Export, caller: Caller, services: Services) -> Exported | Written | Running:
    match request.target:
        case "":
            return Exported(entries=await _curated(caller, services))
        case "pr":
            return await _as_pull_request(caller, services)
        case _:
            raise InvalidRequest("export takes nothing, or 'pr'")


async def _as_pull_request(caller: Caller, services: Services) -> Exported | Written | Running:
    once = writing.Once(services=services, caller=caller, name="export", arguments=["pr"])
    async with tenant(services.pool, services.org_id) as conn:
        answer = await once.answer(conn)
        earlier = "" if answer else await once.run(conn)
        team = await teams.find(conn, org_id=services.org_id, slug=caller.team)
    if answer:
        return await _told(answer, caller, services)
    if team is None or not team.repo_url:
        return await _told(not_exported("no repository is linked to the team"), caller, services)
    task = Task(
        org_id=services.org_id,
        team_id=caller.team_id,
        team=caller.team,
        repo_url=team.repo_url,
        source=caller.source,
    )
    return await _run(once, task, earlier)


async def _run(once: writing.Once, task: Task, earlier: str) -> Exported | Written | Running:
    """Wait for the run of this request: the one that it began before, the one that is under way, or a new one."""
    services, caller = once.services, once.caller
    try:
        if earlier:
            run = await services.exporter.join(task, earlier, patience=caller.patience)
        else:
            run = await services.exporter.export(task, patience=caller.patience)
    except Unavailable as away:
        return await _told(not_exported(away.message), caller, services)
    steps = await _steps(run, services)
    async with tenant(services.pool, services.org_id) as conn:
        if run.outcome is None:
            await once.begin(conn, run.run_id)
            return Running(operation_id=run.run_id, steps=steps)
        await once.record(conn, run.outcome)
    return replace(await _told(run.outcome, caller, services), steps=steps)


async def _steps(run: Run, services: Services) -> tuple[str, ...]:
    async with tenant(services.pool, services.org_id) as conn:
        found = await operations.recorded(conn, org_id=services.org_id, operation_ids=[run.run_id])
    return found[run.run_id].steps if run.run_id in found else ()


async def _told(outcome: Outcome, caller: Caller, services: Services) -> Exported | Written:
    if outcome.code is Code.NO_PULL_REQUEST:
        return Exported(entries=await _curated(caller, services), obstacle=outcome.reason)
    return Written(outcome=outcome)


async def _curated(caller: Caller, services: Services) -> tuple[Entry, ...]:
    async with tenant(services.pool, services.org_id) as conn:
        found = await entries.listing(conn, org_id=services.org_id, team_id=caller.team_id, statuses=(Status.CURATED,))
    return tuple(sorted(found, key=lambda entry: entry.id))
