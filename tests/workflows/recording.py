"""The paths whose histories are recorded and replayed, one scenario each, on the real worker, store and Temporal.

A new workflow needs one more table of scenarios here, and `python -m tests.workflows.record`.
"""

import uuid

from kapelle.contracts.backfill import BackfillEmbeddings, Order
from kapelle.contracts.curate import AcceptEntry, ForgetEntry, RejectEntry
from kapelle.contracts.export import Due, Export, ExportMemory, ScheduledExport
from kapelle.contracts.purge import Purge, Purged, PurgeMemory
from kapelle.contracts.upkeep import KeepLedger, Upkeep
from kapelle.domain.outcomes import Code, Outcome
from kapelle.providers.embeddings import EmbeddingFailed
from tests.doubles.github.api import refuse
from tests.memory import BEGINNING
from tests.workflows.scene import (
    BATCHED,
    CREDENTIAL,
    FAIL_FOR_GOOD,
    FAIL_TIMES,
    ORG,
    POISON,
    Scenario,
    Scene,
    a_draft,
)


async def stored(scene: Scene) -> str:
    workflow_id, codes = await scene.write(a_draft())
    assert codes == (Code.PROPOSED,)
    return workflow_id


async def refused_by_scan(scene: Scene) -> str:
    workflow_id, codes = await scene.write(a_draft(f"The key is {CREDENTIAL}"))
    assert codes == (Code.REFUSED,)
    return workflow_id


async def redacted(scene: Scene) -> str:
    workflow_id, codes = await scene.write(a_draft("Ask grace.hopper@navy.mil about the clock."))
    assert codes == (Code.PROPOSED,)
    assert "grace.hopper" not in str(await scene.value("select body from ibex_core.memories"))
    return workflow_id


async def duplicate(scene: Scene) -> str:
    await scene.write(a_draft())
    workflow_id, codes = await scene.write(a_draft())
    assert codes == (Code.DUPLICATE,)
    return workflow_id


async def superseded(scene: Scene) -> str:
    await scene.write(a_draft())
    workflow_id, codes = await scene.write(a_draft("Two fixtures are needed."), intent="edit", replaces=1)
    assert codes == (Code.SUPERSEDED,)
    return workflow_id


async def batch_of_several(scene: Scene) -> str:
    workflow_id, codes = await scene.write(*BATCHED)
    assert codes == (Code.PROPOSED, Code.REFUSED, Code.PROPOSED, Code.DUPLICATE)
    return workflow_id


async def split_after_permanent_failure(scene: Scene) -> str:
    await scene.as_owner(FAIL_FOR_GOOD)
    workflow_id, codes = await scene.write(BATCHED[0], a_draft(POISON), BATCHED[2])
    assert codes == (Code.PROPOSED, Code.FAILED, Code.PROPOSED)
    return workflow_id


async def persist_retried(scene: Scene) -> str:
    await scene.as_owner(FAIL_TIMES.format(times=2))
    workflow_id, codes = await scene.write(a_draft())
    assert codes == (Code.PROPOSED,)
    return workflow_id


async def persist_retried_after_a_timer(scene: Scene) -> str:
    await scene.as_owner(FAIL_TIMES.format(times=6))
    workflow_id, codes = await scene.write(a_draft())
    assert codes == (Code.PROPOSED,)
    return workflow_id


async def accepted(scene: Scene) -> str:
    await scene.write(a_draft())
    workflow_id, code = await scene.decide(AcceptEntry.run, 1)
    assert code is Code.ACCEPTED
    return workflow_id


async def accept_refused(scene: Scene) -> str:
    workflow_id, code = await scene.decide(AcceptEntry.run, 1)
    assert code is Code.REFUSED
    return workflow_id


async def forgotten(scene: Scene) -> str:
    await scene.write(a_draft())
    workflow_id, code = await scene.decide(ForgetEntry.run, 1)
    assert code is Code.FORGOTTEN
    return workflow_id


async def forget_missing(scene: Scene) -> str:
    workflow_id, code = await scene.decide(ForgetEntry.run, 1)
    assert code is Code.REFUSED
    return workflow_id


async def rejected(scene: Scene) -> str:
    await scene.write(a_draft())
    workflow_id, code = await scene.decide(RejectEntry.run, 1)
    assert code is Code.REJECTED
    return workflow_id


async def reject_missing(scene: Scene) -> str:
    workflow_id, code = await scene.decide(RejectEntry.run, 1)
    assert code is Code.REFUSED
    return workflow_id


async def purged(scene: Scene) -> str:
    await scene.write(a_draft("The clock fixture is needed."), a_draft("Webhooks are retried thrice."))
    purge = Purge(
        org_id=ORG,
        asked_in=scene.team_id,
        team_id=scene.team_id,
        written_by="agent:demo/coder",
        on="agent demo/coder",
        source="person:ada",
        operation_id=str(uuid.uuid4()),
        request_digest="00" * 32,
    )
    workflow_id, outcome = await scene.run(PurgeMemory.run, Purged(purge=purge))
    assert isinstance(outcome, Outcome)
    assert outcome.reason == "2 entries of agent demo/coder forgotten."
    return workflow_id


async def kept(scene: Scene) -> str:
    await scene.write(a_draft())
    workflow_id, _ = await scene.run(KeepLedger.run, Upkeep(org_id=ORG))
    assert await scene.value("select count(*) from ibex_core.ledger_checkpoints") == 1
    return workflow_id


async def resolved(scene: Scene) -> str:
    await scene.write(a_draft("The clock fixture is needed."), a_draft("Webhooks are retried thrice."))
    await scene.as_owner(
        "insert into ibex_core.memory_conflicts (org_id, team_id, first_id, second_id, kind, score) "
        "select org_id, team_id, 1, 2, 'contradiction', 0.5 from ibex_core.teams"
    )
    workflow_id, code = await scene.settle(1, "keep-second")
    assert code is Code.RESOLVED
    return workflow_id


async def resolve_missing(scene: Scene) -> str:
    workflow_id, code = await scene.settle(1, "keep-both")
    assert code is Code.REFUSED
    return workflow_id


# Entries in teams of their own, as a migration from elsewhere would leave them: without a vector.
MANY_TEAMS = """
insert into ibex_core.teams (org_id, slug, name) select 'default', 'team-' || n, 'x' from generate_series(1, {0}) as n;
insert into ibex_core.memories (org_id, team_id, kind, title, body, status, source, operation_id, salt)
select org_id, team_id, 'fact', slug, slug, 'curated', 'person:ada', gen_random_uuid(), decode(repeat('00', 16), 'hex')
from ibex_core.teams where slug like 'team-%';
insert into ibex_core.memory_search (org_id, team_id, memory_id, status, text_hash, terms, impacts)
select org_id, team_id, id, status, sha256(title::bytea), '{{}}', '{{}}/536870912' from ibex_core.memories
"""


async def backfilled(scene: Scene) -> str:
    await scene.write(*BATCHED)
    scene.embedder.down = None
    workflow_id, said = await scene.backfill()
    assert said == "2 of 2 entries had no vector of fake/one:16; 2 embedded."
    return workflow_id


async def nothing_to_backfill(scene: Scene) -> str:
    scene.embedder.down = None
    workflow_id, said = await scene.backfill()
    assert said == "There is no entry to embed with fake/one:16."
    return workflow_id


async def backfill_limited(scene: Scene) -> str:
    await scene.write(a_draft())
    scene.embedder.down = None
    scene.embedder.failures = [
        EmbeddingFailed("the embedder answered 429", permanent=False, retry_after=1.0),
        EmbeddingFailed("the embedder took longer than 5 s", permanent=False),
    ]
    workflow_id, said = await scene.backfill()
    assert said == "1 of 1 entry had no vector of fake/one:16; 1 embedded."
    return workflow_id


async def backfill_stopped(scene: Scene) -> str:
    await scene.write(a_draft())
    scene.embedder.down = EmbeddingFailed("the embedder answered 401", permanent=True)
    workflow_id, said = await scene.backfill()
    assert said == "The backfill stopped: the embedder answered 401."
    return workflow_id


async def backfill_paused(scene: Scene) -> str:
    await scene.write(a_draft())
    scene.embedder.down = None
    handle = await scene.start(BackfillEmbeddings.run, Order(org_id=ORG, paused=True))
    await handle.signal(BackfillEmbeddings.pause)
    assert (await handle.query(BackfillEmbeddings.progress)).startswith(("paused", "looking"))
    assert not scene.embedder.embedded
    await handle.signal(BackfillEmbeddings.resume)
    assert (await handle.result()).reason == "1 of 1 entry had no vector of fake/one:16; 1 embedded."
    return handle.id


async def backfill_switched(scene: Scene) -> str:
    await scene.write(a_draft())
    await scene.as_owner(
        "insert into ibex_core.embedding_models values ('default', 'fake/old:8', 'old', true, now(), now(), 'p')"
    )
    scene.embedder.down = None
    workflow_id, said = await scene.backfill()
    assert said == "1 of 1 entry had no vector of fake/one:16; 1 embedded. Searches go by this model now."
    return workflow_id


async def backfill_continued(scene: Scene) -> str:
    await scene.as_owner(MANY_TEAMS.format(101))
    scene.embedder.down = None
    handle = await scene.start(BackfillEmbeddings.run, Order(org_id=ORG))
    assert (await handle.result()).reason == "101 of 101 entries had no vector of fake/one:16; 101 embedded."
    return f"{handle.id}#{handle.first_execution_run_id}"


async def imported(scene: Scene) -> str:
    workflow_id, progress = await scene.take_in(*BATCHED)
    assert (progress.created, progress.duplicate, progress.finished) == (3, 1, True)
    return workflow_id


async def imported_but_for_one(scene: Scene) -> str:
    await scene.as_owner(FAIL_FOR_GOOD)
    workflow_id, progress = await scene.take_in(BATCHED[0], a_draft(POISON), BATCHED[2])
    assert (progress.created, progress.failed, progress.finished) == (2, 1, True)
    return workflow_id


async def _linked(scene: Scene, *, drafts: int = 1) -> Export:
    """Link the team to a new repository, with some curated entries."""
    repository = scene.github.repository()
    url = f"https://{scene.github.place}/{repository.name}"
    await scene.as_owner(f"update ibex_core.teams set repo_url = '{url}', export_schedule = 'daily'")
    for number in range(drafts):
        await scene.write(a_draft(f"Note {number}."), intent="add")
    return Export(org_id=ORG, team_id=scene.team_id, team=BEGINNING.team, repo_url=url, source="person:ada")


async def _exported(scene: Scene, export: Export, code: Code, words: str) -> str:
    workflow_id, outcome = await scene.run(ExportMemory.run, export)
    assert isinstance(outcome, Outcome)
    assert (outcome.code, words in outcome.reason) == (code, True)
    return workflow_id


async def export_opened(scene: Scene) -> str:
    return await _exported(scene, await _linked(scene), Code.EXPORTED, "opened")


async def export_updated(scene: Scene) -> str:
    export = await _linked(scene)
    await _exported(scene, export, Code.EXPORTED, "opened")
    await scene.write(a_draft("One more."), intent="add")
    return await _exported(scene, export, Code.EXPORTED, "updated")


async def export_without_entries(scene: Scene) -> str:
    return await _exported(scene, await _linked(scene, drafts=0), Code.NO_PULL_REQUEST, "nothing to export")


async def export_refused(scene: Scene) -> str:
    export = await _linked(scene)
    scene.github.plan("PUT", "/contents", answer=refuse(403, "Resource not accessible by integration"))
    return await _exported(scene, export, Code.NO_PULL_REQUEST, "permission")


async def export_retried(scene: Scene) -> str:
    export = await _linked(scene)
    scene.github.plan("POST", "/pulls", answer=refuse(502, "Bad Gateway"))
    return await _exported(scene, export, Code.EXPORTED, "opened")


async def export_pushed_again(scene: Scene) -> str:
    export = await _linked(scene)
    invalid = {"resource": "PullRequest", "field": "head", "code": "invalid"}
    scene.github.plan("POST", "/pulls", answer=refuse(422, "Validation Failed", invalid))
    return await _exported(scene, export, Code.EXPORTED, "opened")


async def export_due(scene: Scene) -> str:
    export = await _linked(scene)
    due = Due(org_id=ORG, team_id=scene.team_id, team=export.team)
    workflow_id, started = await scene.run(ScheduledExport.run, due)
    assert started
    return workflow_id


async def export_not_due(scene: Scene) -> str:
    export = await _linked(scene)
    await _exported(scene, export, Code.EXPORTED, "opened")
    due = Due(org_id=ORG, team_id=scene.team_id, team=export.team)
    workflow_id, started = await scene.run(ScheduledExport.run, due)
    assert not started
    return workflow_id


SCENARIOS: dict[str, dict[str, Scenario]] = {
    "WriteMemory": {
        "stored": stored,
        "refused-by-scan": refused_by_scan,
        "redacted": redacted,
        "duplicate": duplicate,
        "superseded": superseded,
        "batch-of-several": batch_of_several,
        "split-after-permanent-failure": split_after_permanent_failure,
        "persist-retried": persist_retried,
        "persist-retried-after-a-timer": persist_retried_after_a_timer,
    },
    "AcceptEntry": {"accepted": accepted, "refused": accept_refused},
    "RejectEntry": {"rejected": rejected, "missing": reject_missing},
    "ForgetEntry": {"forgotten": forgotten, "missing": forget_missing},
    "PurgeMemory": {"purged": purged},
    "KeepLedger": {"sealed": kept},
    "ResolveConflict": {"resolved": resolved, "missing": resolve_missing},
    "BackfillEmbeddings": {
        "embedded": backfilled,
        "nothing-missing": nothing_to_backfill,
        "limited": backfill_limited,
        "stopped": backfill_stopped,
        "paused": backfill_paused,
        "switched": backfill_switched,
        "continued": backfill_continued,
    },
    "ImportMemory": {"imported": imported, "imported-but-for-one": imported_but_for_one},
    "ExportMemory": {
        "opened": export_opened,
        "updated": export_updated,
        "nothing": export_without_entries,
        "refused": export_refused,
        "retried": export_retried,
        "pushed-again": export_pushed_again,
    },
    "ScheduledExport": {"due": export_due, "not-due": export_not_due},
}
