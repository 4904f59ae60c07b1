"""The write workflow on activities that answer as told."""

import uuid
from dataclasses import replace

from kapelle.contracts.write import Batch, Embedded, Prepared, Resemblance, Screened, Vectors, WriteMemory, workflow_id
from kapelle.domain.entries import Draft
from kapelle.domain.errors import Conflict, Unavailable
from kapelle.domain.outcomes import Code, Outcome, refused
from tests.workflows.conftest import Run
from tests.workflows.fakes import FakeWriteActivities, store_all
from tests.workflows.scene import a_draft, a_write


def a_batch(*drafts: Draft) -> Batch:
    return Batch(org_id="default", writes=tuple(a_write(draft, team_id=7) for draft in drafts))


def bodies(prepared: Prepared) -> list[str]:
    return [single.draft.body for single in prepared.batch.writes]


async def test_the_steps_are_scan_embed_dedup_persist(run: Run) -> None:
    fake = FakeWriteActivities()

    outcomes = await run(fake.registered(), WriteMemory.run, a_batch(a_draft()))

    assert fake.steps() == ["scan", "embed", "dedup", "persist"]
    assert outcomes == (Outcome(code=Code.PROPOSED, entry_id=1),)


async def test_a_redacted_draft_goes_on_in_place_of_the_one_that_came(run: Run) -> None:
    clean = a_draft("Ask [email].")

    def redact_second(_batch: Batch) -> tuple[Screened, ...]:
        return (Screened(), Screened(redacted=clean))

    fake = FakeWriteActivities(on_scan=redact_second)
    await run(fake.registered(), WriteMemory.run, a_batch(a_draft("one"), a_draft("Ask grace@navy.mil.")))

    assert [single.draft.body for single in fake.calls[1][1].writes] == ["one", "Ask [email]."]
    assert [bodies(argument) for _, argument in fake.calls[2:]] == [["one", "Ask [email]."]] * 2


async def test_a_refusal_is_passed_on_to_be_recorded_and_is_an_outcome(run: Run) -> None:
    def refuse_second(_batch: Batch) -> tuple[Screened, ...]:
        return (Screened(), Screened(refusal="a GitHub token in body, line 1, column 1"))

    fake = FakeWriteActivities(on_scan=refuse_second)
    outcomes = await run(fake.registered(), WriteMemory.run, a_batch(a_draft("one"), a_draft("two")))

    assert fake.persisted()[0].refusals == ("", "a GitHub token in body, line 1, column 1")
    assert outcomes[1] == refused("a GitHub token in body, line 1, column 1")


async def test_vectors_and_resemblances_reach_the_store_in_the_order_of_the_writes(run: Run) -> None:
    def second_resembles(_prepared: Prepared) -> tuple[Resemblance, ...]:
        return (Resemblance(), Resemblance(same_as=41))

    fake = FakeWriteActivities(on_dedup=second_resembles)
    await run(fake.registered(), WriteMemory.run, a_batch(a_draft("one"), a_draft("two")))

    (prepared,) = fake.persisted()
    assert prepared.resembles == (Resemblance(), Resemblance(same_as=41))
    assert prepared.embedded == Embedded(model="fake", vectors=(Vectors(parts=("one",)), Vectors(parts=("two",))))


async def test_an_embedder_that_fails_does_not_fail_the_write(run: Run) -> None:
    def fail(_batch: Batch) -> Embedded:
        raise RuntimeError("no provider")

    fake = FakeWriteActivities(on_embed=fail)
    outcomes = await run(fake.registered(), WriteMemory.run, a_batch(a_draft()))

    assert outcomes == (Outcome(code=Code.PROPOSED, entry_id=1),)
    assert fake.persisted()[0].embedded == Embedded()
    assert fake.steps() == ["scan", "embed", "dedup", "persist"]


async def test_a_permanent_failure_splits_the_batch_and_only_the_poison_fails(run: Run) -> None:
    def refuse_poison(prepared: Prepared) -> tuple[Outcome, ...]:
        if "poison" in bodies(prepared):
            raise Conflict("this one can never be stored")
        return store_all(prepared)

    fake = FakeWriteActivities(on_persist=refuse_poison)
    batch = a_batch(a_draft("one"), a_draft("poison"), a_draft("two"))
    outcomes = await run(fake.registered(), WriteMemory.run, batch)

    assert [bodies(prepared) for prepared in fake.persisted()] == [
        ["one", "poison", "two"],
        ["one"],
        ["poison"],
        ["two"],
    ]
    assert [outcome.code for outcome in outcomes] == [Code.PROPOSED, Code.FAILED, Code.PROPOSED]
    assert fake.steps()[-2:] == ["fail", "persist"]
    assert "can never" not in outcomes[1].reason


async def test_each_part_of_a_split_batch_keeps_what_belongs_to_its_write(run: Run) -> None:
    def fail_together(prepared: Prepared) -> tuple[Outcome, ...]:
        if len(prepared.batch.writes) > 1:
            raise Conflict("not together")
        return store_all(prepared)

    fake = FakeWriteActivities(
        on_scan=lambda _: (Screened(refusal="no"), Screened()),
        on_dedup=lambda _: (Resemblance(), Resemblance(same_as=41)),
        on_persist=fail_together,
    )
    await run(fake.registered(), WriteMemory.run, a_batch(a_draft("one"), a_draft("two")))

    _, first, second = fake.persisted()
    assert (first.refusals, first.resembles) == (("no",), (Resemblance(),))
    assert (second.refusals, second.resembles) == (("",), (Resemblance(same_as=41),))
    assert second.embedded == Embedded(model="fake", vectors=(Vectors(parts=("two",)),))


async def test_persist_is_tried_again_while_the_database_is_away(run: Run) -> None:
    failures = [Unavailable("away"), Unavailable("away")]

    def away_twice(prepared: Prepared) -> tuple[Outcome, ...]:
        if failures:
            raise failures.pop()
        return store_all(prepared)

    fake = FakeWriteActivities(on_persist=away_twice)
    outcomes = await run(fake.registered(), WriteMemory.run, a_batch(a_draft()))

    assert fake.steps() == ["scan", "embed", "dedup", "persist", "persist", "persist"]
    assert outcomes == (Outcome(code=Code.PROPOSED, entry_id=1),)


async def test_dedup_is_tried_again_while_the_database_is_away(run: Run) -> None:
    failures = [Unavailable("away")]

    def away_once(prepared: Prepared) -> tuple[Resemblance, ...]:
        if failures:
            raise failures.pop()
        return tuple(Resemblance() for _ in prepared.batch.writes)

    fake = FakeWriteActivities(on_dedup=away_once)
    await run(fake.registered(), WriteMemory.run, a_batch(a_draft()))

    assert fake.steps() == ["scan", "embed", "dedup", "dedup", "persist"]


def test_a_lone_writes_workflow_id_names_its_request_and_a_batch_has_one_of_its_own() -> None:
    lone = a_batch(a_draft())
    many = replace(lone, writes=lone.writes * 2)
    unique = uuid.uuid4().hex

    single = lone.writes[0]
    assert workflow_id(lone, unique) == f"write/{single.operation_id}/{single.request_digest[:16]}"
    assert workflow_id(many, unique) == f"write/batch/{unique}"
