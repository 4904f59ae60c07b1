"""Persisting: once, whole or not at all, however often it runs."""

import asyncio
from dataclasses import replace

import asyncpg
import pytest

from kapelle.domain.errors import Unavailable
from kapelle.domain.outcomes import Code, Outcome
from tests.activities.conftest import ORG, Steps, prepared

# The last statement of the transaction, so that everything before it has been done when it fails.
FAIL_AT_THE_END = """
create function public.fail() returns trigger language plpgsql as $$
begin
    raise exception 'the end' using errcode = '{errcode}';
end
$$;
create trigger fail before insert on ibex_core.operations for each row execute function public.fail();
"""
RECOVER = "drop trigger fail on ibex_core.operations; drop function public.fail();"


async def test_the_same_batch_again_changes_nothing_and_answers_the_same(steps: Steps) -> None:
    batch = prepared(
        steps.a_write("first"),
        steps.a_write("second", intent="add", source="person:ada"),
        steps.a_write("first"),
        steps.a_write("third"),
        refusals=("", "", "", "a GitHub token in body, line 1, column 1"),
    )
    once = await steps.run(steps.write.persist, batch)
    after_once = await steps.rows()

    twice = await steps.run(steps.write.persist, batch)

    assert [outcome.code for outcome in once] == [Code.PROPOSED, Code.ADDED, Code.DUPLICATE, Code.REFUSED]
    assert twice == once
    assert await steps.rows() == after_once
    assert len(after_once["memories"]) == 2
    assert len(after_once["operations"]) == 4


async def test_a_part_of_a_batch_that_was_persisted_before_is_answered_and_the_rest_is_stored(steps: Steps) -> None:
    first, second = steps.a_write("first"), steps.a_write("second")
    (before,) = await steps.persist(first)

    after = await steps.persist(first, second)

    assert after[0] == before
    assert after[1].code is Code.PROPOSED
    assert len((await steps.rows())["memories"]) == 2


async def test_an_edit_runs_twice_and_supersedes_once(steps: Steps) -> None:
    (added,) = await steps.persist(steps.a_write("old"))
    edit = steps.a_write("new", intent="edit", source="person:ada", replaces=added.entry_id)

    once = await steps.persist(edit)
    after_once = await steps.rows()
    twice = await steps.persist(edit)

    assert once == twice == (Outcome(code=Code.SUPERSEDED, entry_id=2, other_id=1),)
    assert await steps.rows() == after_once


@pytest.mark.parametrize(
    ("errcode", "raised"), [("serialization_failure", Unavailable), ("division_by_zero", asyncpg.DivisionByZeroError)]
)
async def test_what_breaks_before_the_end_leaves_nothing(steps: Steps, errcode: str, raised: type[Exception]) -> None:
    before = await steps.rows()
    batch = (steps.a_write("first"), steps.a_write("second", intent="add", source="person:ada"))
    await steps.as_owner(FAIL_AT_THE_END.format(errcode=errcode))
    with pytest.raises(raised):
        await steps.persist(*batch)
    left = await steps.rows()
    await steps.as_owner(RECOVER)

    assert left == before
    assert [outcome.code for outcome in await steps.persist(*batch)] == [Code.PROPOSED, Code.ADDED]


async def test_an_edit_that_breaks_leaves_the_old_entry_current(steps: Steps) -> None:
    (added,) = await steps.persist(steps.a_write("old"))
    before = await steps.rows()
    edit = steps.a_write("new", intent="edit", source="person:ada", replaces=added.entry_id)
    await steps.as_owner(FAIL_AT_THE_END.format(errcode="serialization_failure"))
    with pytest.raises(Unavailable):
        await steps.persist(edit)

    assert await steps.rows() == before


async def test_an_operation_id_with_another_request_is_refused_and_the_first_answer_stays(steps: Steps) -> None:
    first = steps.a_write("first")
    await steps.persist(first)
    before = await steps.rows()

    (outcome,) = await steps.persist(
        replace(steps.a_write("second"), operation_id=first.operation_id, request_digest="ff" * 32)
    )

    assert outcome.code is Code.REFUSED
    assert "request id" in outcome.reason
    assert await steps.rows() == before


async def test_equal_texts_at_once_end_in_one_entry_and_both_callers_get_its_id(steps: Steps) -> None:
    writes = [steps.a_write("the same") for _ in range(4)]

    answers = await asyncio.gather(*(steps.persist(single) for single in writes))

    codes = sorted(outcome.code for (outcome,) in answers)
    assert codes == [Code.DUPLICATE] * 3 + [Code.PROPOSED]
    assert {outcome.entry_id for (outcome,) in answers} == {answers[0][0].entry_id}
    assert len((await steps.rows())["memories"]) == 1


async def test_the_same_operation_at_once_is_done_once(steps: Steps) -> None:
    single = steps.a_write()

    answers = await asyncio.gather(*(steps.persist(single) for _ in range(4)))

    assert len(set(answers)) == 1
    rows = await steps.rows()
    assert (len(rows["memories"]), len(rows["memory_events"]), len(rows["operations"])) == (1, 1, 1)


async def test_a_write_for_a_team_that_is_gone_is_refused_and_the_rest_of_its_batch_is_stored(steps: Steps) -> None:
    kept, lost = await steps.persist(steps.a_write("kept"), steps.a_write("lost", team_id=steps.team_id + 1))

    assert kept.code is Code.PROPOSED
    assert (lost.code, lost.reason) == (Code.REFUSED, "the team does not exist any more")


async def test_a_refusal_is_recorded_as_the_operations_outcome_without_its_text(steps: Steps) -> None:
    single = steps.a_write("a text that must not be kept")
    await steps.run(steps.write.persist, prepared(single, refusals=("a GitHub token in body, line 1, column 1",)))

    rows = await steps.rows()
    assert rows["memories"] == []
    assert "GitHub token" in rows["operations"][0]
    assert "must not be kept" not in str(rows)


async def test_the_revision_moves_with_a_change_and_only_then(steps: Steps) -> None:
    await steps.persist(steps.a_write("first"))
    moved = (await steps.rows())["revision"]
    await steps.persist(steps.a_write("first"))

    assert moved == ["1"]
    assert (await steps.rows())["revision"] == moved


async def test_the_org_of_the_batch_is_the_org_of_every_row(steps: Steps) -> None:
    await steps.persist(steps.a_write("first"))

    owner = await asyncpg.connect(steps.database.owner_dsn)
    orgs = {
        row[0]
        for table in ("memories", "memory_search", "memory_events", "operations", "memory_labels")
        for row in await owner.fetch(f"select distinct org_id from ibex_core.{table}")
    }
    await owner.close()
    assert orgs == {ORG}
