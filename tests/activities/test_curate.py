"""Decisions: once, whole or not at all, however often they run."""

import pytest

from kapelle.domain.errors import Unavailable
from kapelle.domain.outcomes import Code
from tests.activities.conftest import Steps
from tests.activities.test_persist import FAIL_AT_THE_END, RECOVER


@pytest.mark.parametrize(("name", "code"), [("accept", Code.ACCEPTED), ("forget", Code.FORGOTTEN)])
async def test_the_same_decision_again_changes_nothing_and_answers_the_same(
    steps: Steps, name: str, code: Code
) -> None:
    await steps.persist(steps.a_write())
    change, step = steps.a_change(1), getattr(steps.curate, name)
    once = await steps.run(step, change)
    after_once = await steps.rows()

    assert once.code is code
    assert await steps.run(step, change) == once
    assert await steps.rows() == after_once


@pytest.mark.parametrize("name", ["accept", "forget"])
async def test_a_decision_that_breaks_before_the_end_leaves_nothing(steps: Steps, name: str) -> None:
    await steps.persist(steps.a_write())
    before = await steps.rows()
    change, step = steps.a_change(1), getattr(steps.curate, name)
    await steps.as_owner(FAIL_AT_THE_END.format(errcode="serialization_failure"))
    with pytest.raises(Unavailable):
        await steps.run(step, change)
    left = await steps.rows()
    await steps.as_owner(RECOVER)

    assert left == before
    assert (await steps.run(step, change)).ok


async def test_forgetting_leaves_a_ledger_event_and_a_tombstone_and_no_trace_of_the_text(steps: Steps) -> None:
    await steps.persist(steps.a_write("a text to be forgotten"))
    await steps.run(steps.curate.forget, steps.a_change(1))

    rows = await steps.rows()
    assert "to be forgotten" not in str(rows)
    empty = ("memories", "memory_labels", "memory_search", "memory_relationships", "search_terms")
    assert [table for table in empty if rows[table]] == []
    assert (len(rows["memory_events"]), len(rows["memory_tombstones"])) == (2, 1)


async def test_a_write_that_was_in_flight_when_its_text_was_forgotten_does_not_bring_it_back(steps: Steps) -> None:
    await steps.persist(steps.a_write())
    in_flight = steps.a_write()
    await steps.run(steps.curate.forget, steps.a_change(1))

    (late,) = await steps.persist(in_flight)

    assert late.code is Code.REFUSED
    assert (await steps.rows())["memories"] == []


async def test_a_decision_on_an_entry_of_another_team_is_refused_as_on_one_that_never_was(steps: Steps) -> None:
    await steps.persist(steps.a_write())
    await steps.as_owner("insert into ibex_core.teams (org_id, slug, name) values ('default', 'other', 'Other')")
    before = (await steps.rows())["memories"]

    others = [
        await steps.run(steps.curate.forget, steps.a_change(number, team_id=steps.team_id + 1)) for number in (1, 99)
    ]

    assert [outcome.reason for outcome in others] == [f"there is no entry {number} in this team" for number in (1, 99)]
    assert [outcome.code for outcome in others] == [Code.MISSING] * 2
    assert (await steps.rows())["memories"] == before
