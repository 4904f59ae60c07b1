"""The steps of a write: scan, embed, dedup, persist."""

import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import repeat

from temporalio import activity

from activities import admission
from activities.admission import Case, Insert, Known, Plan, Recent
from activities.curate import curate_entry
from activities.resemblance import gist, packed, resemblances, unpacked
from activities.turns import Turns
from kapelle import metrics
from kapelle.contracts import write
from kapelle.contracts.write import Batch, Embedded, Prepared, Resemblance, Screened, Vectors, Write
from kapelle.domain import digests, scan
from kapelle.domain.entries import Draft, Status
from kapelle.domain.errors import ScanFailed
from kapelle.domain.outcomes import NOT_STORED, Code, Outcome
from kapelle.domain.rules.scan.verdicts import Verdicts
from kapelle.domain.text import text_hash
from kapelle.providers.embeddings import EmbeddingFailed, embed_entries
from kapelle.spaces import Spaces
from kapelle.store import conflicts, embeddings, entries, ledger, neighbours, operations, search, teams, tombstones
from kapelle.store.pool import Connection, Pool, tenant

log = logging.getLogger(__name__)


class WriteActivities(write.WriteActivities):
    """The steps on a real store."""

    def __init__(
        self, pool: Pool, turns: Turns, verdicts: Verdicts, *, digest_key: str, spaces: Spaces | None = None
    ) -> None:
        self._pool = pool
        self._verdicts = verdicts
        self._turns = turns
        self._digest_key = digest_key
        self._spaces = spaces

    @activity.defn(name="write.scan")
    async def scan(self, batch: Batch) -> tuple[Screened, ...]:
        return tuple(self._screen(single) for single in batch.writes)

    @activity.defn(name="write.embed")
    async def embed(self, batch: Batch) -> Embedded:
        space = await self._spaces.of(batch.org_id).current() if self._spaces else None
        if space is None:
            return Embedded()
        texts = [(single.draft.title, single.draft.body) for single in batch.writes]
        try:
            vectors = await embed_entries(space.embedder, texts)
        except EmbeddingFailed as failed:
            log.warning("stored without vectors", extra={"reason": failed.message, "writes": len(batch.writes)})
            return Embedded()
        return Embedded(
            model=space.embedder.model,
            vectors=tuple(Vectors(parts=tuple(map(packed, parts))) for parts in vectors),
        )

    @activity.defn(name="write.dedup")
    async def dedup(self, prepared: Prepared) -> tuple[Resemblance, ...]:
        return await resemblances(self._pool, prepared.batch, prepared.embedded, prepared.refusals)

    @activity.defn(name="write.persist")
    async def persist(self, prepared: Prepared) -> tuple[Outcome, ...]:
        org_id = prepared.batch.org_id
        cases = self._cases(prepared)
        team_ids = {case.write.team_id for case in cases}
        async with self._turns.of(team_ids), tenant(self._pool, org_id) as conn:
            plan = admission.plan(cases, await _read(conn, org_id, cases, prepared.embedded.model))
            await _apply(conn, org_id, plan, prepared.embedded.model)
        return tuple(plan.outcomes)

    @activity.defn(name="write.fail")
    async def fail(self, batch: Batch) -> tuple[Outcome, ...]:
        failed = Outcome(code=Code.FAILED, reason=NOT_STORED)
        begun = [admission.begun(single, self._tombstone(batch.org_id, single)) for single in batch.writes]
        ids = [row.operation_id for row in begun]
        async with tenant(self._pool, batch.org_id) as conn:
            recorded = await operations.recorded(conn, org_id=batch.org_id, operation_ids=ids)
            outcomes = [getattr(recorded.get(row.operation_id), "outcome", None) or failed for row in begun]
            ended = [(row, outcome) for row, outcome in zip(begun, outcomes, strict=True) if outcome is failed]
            await operations.finish(
                conn, org_id=batch.org_id, finished=ended, workflow_id=activity.info().workflow_id or ""
            )
        return tuple(outcomes)

    def _screen(self, single: Write) -> Screened:
        """Judge one draft. A scan that fails refuses it, and no other one of the batch."""
        try:
            verdict = self._verdicts.take(single.draft, single.policy)
        except ScanFailed as failed:
            log.error("scan failed", extra={"where": failed.where})  # noqa: TRY400 - a traceback may quote the text.
            metrics.count_failed_scan()
            return Screened(refusal=failed.message)
        # What passed the door was counted there.
        metrics.count_findings(verdict.refused, "refused")
        return _screened(verdict, single.draft)

    def _cases(self, prepared: Prepared) -> tuple[Case, ...]:
        batch = prepared.batch
        hashes = tuple(text_hash(single.draft.title, single.draft.body) for single in batch.writes)
        tombstones = tuple(self._tombstone(batch.org_id, single) for single in batch.writes)
        barring = tuple(self._barring(batch.org_id, single) for single in batch.writes)
        return admission.cases(prepared, hashes, tombstones, barring)

    def _tombstone(self, org_id: str, single: Write) -> bytes:
        """Return the digest of the tombstone that a draft's text would get."""
        text = text_hash(single.draft.title, single.draft.body)
        return digests.tombstone(self._digest_key, org_id, single.team_id, text, agent_id=single.agent_id)

    def _barring(self, org_id: str, single: Write) -> tuple[bytes, ...]:
        """Return the digests of the tombstones that keep a draft out."""
        own = self._tombstone(org_id, single)
        return (own,) if single.agent_id is None else (own, self._tombstone(org_id, replace(single, agent_id=None)))


def _screened(verdict: scan.Verdict, draft: Draft) -> Screened:
    return Screened(
        refusal=f"not stored: {scan.describe(verdict.refused)}" if verdict.refused else "",
        redacted=verdict.draft if verdict.draft != draft else None,
        findings=(*verdict.redacted, *verdict.quarantined, *verdict.flags),
        quarantine=scan.describe(verdict.quarantined),
    )


async def _read(conn: Connection, org_id: str, cases: tuple[Case, ...], model: str) -> Known:
    """Lock the teams, then read all that the decisions depend on."""
    team_ids = {case.write.team_id for case in cases}
    now = await teams.lock(conn, org_id=org_id, team_ids=team_ids)
    recorded = await operations.recorded(conn, org_id=org_id, operation_ids=[case.write.operation_id for case in cases])
    live, expired = await entries.live_texts(
        conn, org_id=org_id, team_ids=team_ids, text_hashes=(case.text_hash for case in cases)
    )
    buried = await tombstones.present(
        conn, org_id=org_id, team_ids=team_ids, digests=[digest for case in cases for digest in case.barring]
    )
    replaced = {case.write.replaces for case in cases if case.write.replaces is not None}
    standings = await _standings(conn, org_id, team_ids, replaced)
    current = await _still_current(conn, org_id, team_ids, cases)
    drawn = sum(_may_be_stored(case, live, current) for case in cases)
    return Known(
        now=now,
        recorded=recorded,
        live=live,
        expired=expired,
        own=await _own(conn, org_id, team_ids, cases),
        standings=standings,
        tombstones=dict(buried),
        current=current,
        recent=await _recent(conn, org_id, cases),
        model=model,
        ids=iter(await entries.draw_ids(conn, drawn)),
        salts=_salts(),
    )


async def _own(
    conn: Connection, org_id: str, team_ids: set[int], cases: tuple[Case, ...]
) -> dict[tuple[int, bytes], int]:
    agent_ids = {case.write.agent_id for case in cases if case.write.agent_id is not None}
    if not agent_ids:
        return {}
    hashes = [case.text_hash for case in cases]
    return await entries.own_texts(conn, org_id=org_id, team_ids=team_ids, agent_ids=agent_ids, text_hashes=hashes)


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


def _may_be_stored(
    case: Case, live: Mapping[tuple[int, bytes], tuple[int, Status]], current: Mapping[int, Status]
) -> bool:
    """Tell whether a draft may need an id: ids that are drawn and not used leave gaps."""
    if case.write.intent == "edit" or case.write.force or case.write.agent_id is not None:
        return True
    known = (case.write.team_id, case.text_hash) in live or case.resemblance.same_as in current
    return not case.refusal and not known


async def _still_current(
    conn: Connection, org_id: str, team_ids: set[int], cases: tuple[Case, ...]
) -> dict[int, Status]:
    named = [case.resemblance.same_as for case in cases if case.resemblance.same_as is not None]
    if not named:
        return {}
    return await neighbours.still_current(conn, org_id=org_id, team_ids=sorted(team_ids), entry_ids=named)


async def _recent(conn: Connection, org_id: str, cases: tuple[Case, ...]) -> list[Recent]:
    """Read what came into the teams' memories since the drafts were compared with them."""
    seen: dict[int, int] = {}
    for case in cases:
        if case.refusal or case.write.agent_id is not None:
            continue
        team_id = case.write.team_id
        seen[team_id] = min(case.resemblance.seen, seen.get(team_id, case.resemblance.seen))
    return [
        Recent(entry_id=entry.id, team_id=team_id, text=entry, gist=gist(entry))
        for team_id, newest in seen.items()
        for entry in await neighbours.newer(conn, org_id=org_id, team_id=team_id, than=newest)
    ]


def _salts() -> Iterator[bytes]:
    return (os.urandom(size) for size in repeat(16))


async def _apply(conn: Connection, org_id: str, plan: Plan, model: str) -> None:
    """Carry out a plan: the entries first, then what is recorded of them."""
    for single, _, replaced in plan.supersedes:
        await search.retire(conn, org_id=org_id, team_id=single.team_id, memory_id=replaced)
    if plan.inserts:
        await _insert(conn, org_id, plan.inserts, model)
    if plan.supersedes:
        moments = {event.other_id: event.happened_at for _, event in plan.events if event.event == "superseded"}
        pairs = [(successor, replaced, moments[successor]) for _, successor, replaced in plan.supersedes]
        await entries.link_successors(conn, org_id=org_id, pairs=pairs)
    if plan.derivations:
        derived = [(entry_id, origin) for _, entry_id, origin in plan.derivations]
        team_ids = {single.team_id for single, _, _ in plan.derivations}
        await entries.link_origins(conn, org_id=org_id, team_ids=team_ids, pairs=derived)
    for single, entry_id, at in plan.accepts:
        await curate_entry(conn, org_id, single.team_id, entry_id, at=at, by=single.source)
    if plan.conflicts:
        await conflicts.record(conn, org_id=org_id, conflicts=plan.conflicts)
    await _record(conn, org_id, plan)


async def _record(conn: Connection, org_id: str, plan: Plan) -> None:
    if plan.lifts:
        lifted = {team_id for team_id, _ in plan.lifts}
        await tombstones.lift(conn, org_id=org_id, team_ids=lifted, digests=[digest for _, digest in plan.lifts])
    if plan.events:
        await ledger.append(conn, org_id=org_id, events=plan.events)
    if plan.finished:
        workflow_id = activity.info().workflow_id or ""
        await operations.finish(conn, org_id=org_id, finished=plan.finished, workflow_id=workflow_id)


async def _insert(conn: Connection, org_id: str, inserts: list[Insert], model: str) -> None:
    """Store the entries with what finds them."""
    await entries.insert(conn, org_id=org_id, entries=[insert.new for insert in inserts])
    await search.index(conn, org_id=org_id, rows=[_index_row(insert) for insert in inserts])
    vectors = [row for insert in inserts for row in _vector_rows(insert, model)]
    if vectors:
        await embeddings.store(conn, org_id=org_id, rows=vectors)


def _index_row(insert: Insert) -> search.IndexRow:
    new = insert.new
    return search.IndexRow(
        memory_id=new.id,
        team_id=new.team_id,
        status=new.status,
        title=new.draft.title,
        body=new.draft.body,
        tags=new.draft.tags,
        text_hash=insert.case.text_hash,
        current=new.restored is None or new.restored.current,
    )


def _vector_rows(insert: Insert, model: str) -> Iterator[embeddings.VectorRow]:
    for part, vector in enumerate(insert.case.vectors.parts):
        yield embeddings.VectorRow(
            team_id=insert.new.team_id, memory_id=insert.new.id, model=model, part=part, vector=unpacked(vector)
        )
