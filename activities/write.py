"""The steps of a write: scan, embed, dedup, persist."""

import os
from collections.abc import Iterator
from itertools import repeat

from temporalio import activity

from activities import admission
from activities.admission import Case, Known, Plan
from kapelle.contracts import write
from kapelle.contracts.write import Batch, Embedded, Prepared, Resemblance, Screened
from kapelle.domain import digests, scan
from kapelle.domain.entries import Status
from kapelle.domain.outcomes import Outcome
from kapelle.domain.rules.scan import gate
from kapelle.domain.text import text_hash
from kapelle.store import entries, ledger, operations, search, teams
from kapelle.store.pool import Connection, Pool, tenant


class WriteActivities(write.WriteActivities):
    """The steps on a real store."""

    def __init__(self, pool: Pool, *, policy: scan.Policy, digest_key: str) -> None:
        self._pool = pool
        self._policy = policy
        self._digest_key = digest_key

    @activity.defn(name="write.scan")
    async def scan(self, batch: Batch) -> tuple[Screened, ...]:
        verdicts = [gate.scan(single.draft, self._policy) for single in batch.writes]
        return tuple(
            Screened(
                refusal=scan.describe(verdict.refused) if verdict.refused else "",
                redacted=verdict.draft if verdict.draft != single.draft else None,
            )
            for single, verdict in zip(batch.writes, verdicts, strict=True)
        )

    @activity.defn(name="write.embed")
    async def embed(self, batch: Batch) -> Embedded:
        return Embedded()

    @activity.defn(name="write.dedup")
    async def dedup(self, prepared: Prepared) -> tuple[Resemblance, ...]:
        return tuple(Resemblance() for _ in prepared.batch.writes)

    @activity.defn(name="write.persist")
    async def persist(self, prepared: Prepared) -> tuple[Outcome, ...]:
        org_id = prepared.batch.org_id
        cases = self._cases(prepared)
        async with tenant(self._pool, org_id) as conn:
            plan = admission.plan(cases, await _read(conn, org_id, cases))
            await _apply(conn, org_id, plan)
        return tuple(plan.outcomes)

    def _cases(self, prepared: Prepared) -> tuple[Case, ...]:
        batch = prepared.batch
        hashes = tuple(text_hash(single.draft.title, single.draft.body) for single in batch.writes)
        tombstones = tuple(
            digests.tombstone(self._digest_key, batch.org_id, single.team_id, text)
            for single, text in zip(batch.writes, hashes, strict=True)
        )
        return admission.cases(prepared, hashes, tombstones)


async def _read(conn: Connection, org_id: str, cases: tuple[Case, ...]) -> Known:
    """Lock the teams, then read all that the decisions depend on."""
    team_ids = {case.write.team_id for case in cases}
    now = await teams.lock(conn, org_id=org_id, team_ids=team_ids)
    recorded = await operations.recorded(
        conn, org_id=org_id, operation_ids=[case.write.operation_id for case in cases]
    )
    live = await entries.live_texts(
        conn, org_id=org_id, team_ids=team_ids, text_hashes=(case.text_hash for case in cases)
    )
    tombstones = await ledger.tombstones(
        conn, org_id=org_id, team_ids=team_ids, digests=[case.tombstone for case in cases]
    )
    replaced = {case.write.replaces for case in cases if case.write.replaces is not None}
    standings = await _standings(conn, org_id, team_ids, replaced)
    drawn = sum(case.write.replaces is not None or (case.write.team_id, case.text_hash) not in live for case in cases)
    return Known(
        now=now,
        recorded=recorded,
        live=live,
        standings=standings,
        tombstones=set(tombstones),
        ids=iter(await entries.draw_ids(conn, drawn)),
        salts=_salts(),
    )


async def _standings(
    conn: Connection, org_id: str, team_ids: set[int], entry_ids: set[int]
) -> dict[int, entries.Standing]:
    """Read the entries that edits replace, and their successors, which answer a repeated edit."""
    if not entry_ids:
        return {}
    found = await entries.standings(conn, org_id=org_id, team_ids=team_ids, entry_ids=entry_ids)
    successors = {standing.successor for standing in found.values() if standing.successor is not None}
    if successors:
        found |= await entries.standings(conn, org_id=org_id, team_ids=team_ids, entry_ids=successors)
    return found


def _salts() -> Iterator[bytes]:
    return (os.urandom(size) for size in repeat(16))


async def _apply(conn: Connection, org_id: str, plan: Plan) -> None:
    for single, _, replaced in plan.supersedes:
        await search.retire(conn, org_id=org_id, team_id=single.team_id, memory_id=replaced)
    if plan.inserts:
        await entries.insert(conn, org_id=org_id, entries=[new for new, _ in plan.inserts])
        await search.index(conn, org_id=org_id, rows=[_index_row(new, text) for new, text in plan.inserts])
    if plan.supersedes:
        pairs = [(successor, replaced) for _, successor, replaced in plan.supersedes]
        await entries.link_successors(conn, org_id=org_id, pairs=pairs)
    for single, entry_id, at in plan.accepts:
        team_id = single.team_id
        await entries.curate(conn, org_id=org_id, team_id=team_id, entry_id=entry_id, at=at, by=single.source)
        await search.set_status(conn, org_id=org_id, team_id=team_id, memory_id=entry_id, status=Status.CURATED)
    if plan.lifts:
        await ledger.lift(
            conn, org_id=org_id, team_ids={team for team, _ in plan.lifts}, digests=[digest for _, digest in plan.lifts]
        )
    await ledger.append(conn, org_id=org_id, events=plan.events)
    if plan.events:
        await teams.move_revision(conn, org_id=org_id, team_ids={team for team, _ in plan.events})
    if plan.finished:
        await operations.finish(
            conn, org_id=org_id, finished=plan.finished, workflow_id=activity.info().workflow_id or ""
        )


def _index_row(new: entries.NewEntry, text: bytes) -> search.IndexRow:
    return search.IndexRow(
        memory_id=new.id,
        team_id=new.team_id,
        status=new.status,
        title=new.draft.title,
        body=new.draft.body,
        tags=new.draft.tags,
        text_hash=text,
    )
