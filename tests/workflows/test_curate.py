"""The decisions on an entry, on activities that answer as told."""

import pytest

from kapelle.contracts.curate import AcceptEntry, Change, ForgetEntry, RejectEntry, accept_id, forget_id
from kapelle.domain.errors import Unavailable
from kapelle.domain.outcomes import Code, Outcome
from tests.workflows.conftest import Run
from tests.workflows.fakes import FakeCurateActivities

CHANGE = Change(
    org_id="default",
    team_id=7,
    entry_id=12,
    source="person:ada",
    operation_id="1a3e4b0e-9d2f-4c53-8f39-6f6a1f8f2d11",
    request_digest="00" * 32,
)


@pytest.mark.parametrize(
    ("method", "steps", "code"),
    [
        (AcceptEntry.run, ["accept"], Code.ACCEPTED),
        (RejectEntry.run, ["reject", "clear"], Code.REJECTED),
        (ForgetEntry.run, ["forget", "clear"], Code.FORGOTTEN),
    ],
)
async def test_a_decision_takes_its_steps_with_what_the_caller_asked(
    run: Run, method: object, steps: list[str], code: Code
) -> None:
    fake = FakeCurateActivities()

    assert await run(fake.registered(), method, CHANGE) == Outcome(code=code, entry_id=12)
    assert fake.calls == [(step, CHANGE) for step in steps]


async def test_a_history_that_still_runs_is_asked_for_once_more(run: Run) -> None:
    fake = FakeCurateActivities(running=[2, 1])

    await run(fake.registered(), ForgetEntry.run, CHANGE)

    assert [name for name, _ in fake.calls] == ["forget", "clear", "clear"]


@pytest.mark.parametrize("method", [AcceptEntry.run, RejectEntry.run])
async def test_a_decision_waits_for_a_database_that_is_away(run: Run, method: object) -> None:
    fake = FakeCurateActivities(failures=[Unavailable("away"), Unavailable("away")])

    await run(fake.registered(), method, CHANGE)

    assert [name for name, _ in fake.calls if name != "clear"] == [fake.calls[0][0]] * 3


def test_workflow_ids_name_the_decision_its_operation_and_its_request() -> None:
    assert accept_id(CHANGE) == f"accept/{CHANGE.operation_id}/{CHANGE.request_digest[:16]}"
    assert forget_id(CHANGE) == f"forget/{CHANGE.operation_id}/{CHANGE.request_digest[:16]}"
