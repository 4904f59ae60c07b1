"""The export's workflow: its steps, its attempts, and what it says when they are used up."""

import pytest
from temporalio.exceptions import ApplicationError

from kapelle.contracts.export import Ended, Export, ExportMemory, Pushed, Rendered
from kapelle.domain.exports import Fate, Pull
from kapelle.domain.outcomes import Code
from kapelle.providers.github_faults import GitHubFault
from tests.workflows.conftest import Run
from tests.workflows.fakes import FakeExportActivities

EXPORT = Export(org_id="default", team_id=1, team="demo", repo_url="https://github.com/acme/x", source="person:ada")
PUSHED = Pushed(commit="b" * 40, repo_id=7, base="main")
OPENED = Pushed(fate=Fate.OPENED, pull=Pull(number=15, url="https://github.com/acme/x/pull/15"), commit="b" * 40)


def ended(fake: FakeExportActivities) -> Ended:
    (found,) = [argument for name, argument in fake.calls if name == "finish"]
    assert isinstance(found, Ended)
    return found


async def test_the_steps_of_an_export_are_render_push_open_and_the_record(run: Run) -> None:
    fake = FakeExportActivities(pushes=[PUSHED], opens=[OPENED])
    outcome = await run(fake.registered(), ExportMemory.run, EXPORT)
    assert outcome.code is Code.EXPORTED
    assert fake.steps() == ["render", "push", "open", "finish"]
    assert ended(fake).pushed == OPENED


async def test_what_pushing_finds_done_needs_no_pull_request(run: Run) -> None:
    fake = FakeExportActivities(pushes=[Pushed(fate=Fate.UP_TO_DATE)])
    await run(fake.registered(), ExportMemory.run, EXPORT)
    assert fake.steps() == ["render", "push", "finish"]


async def test_what_cannot_be_exported_is_not_pushed(run: Run) -> None:
    fake = FakeExportActivities(rendered=Rendered(blob="", size=0, items=(), obstacle="there is nothing to export yet"))
    outcome = await run(fake.registered(), ExportMemory.run, EXPORT)
    assert (outcome.code, outcome.reason) == (Code.NO_PULL_REQUEST, "there is nothing to export yet")
    assert fake.steps() == ["render", "finish"]


async def test_a_branch_that_vanished_is_pushed_once_more_and_no_oftener(run: Run) -> None:
    fake = FakeExportActivities(pushes=[PUSHED, PUSHED], opens=[PUSHED, PUSHED])
    await run(fake.registered(), ExportMemory.run, EXPORT)
    assert fake.steps() == ["render", "push", "open", "push", "open", "finish"]
    assert ended(fake).obstacle == "the branch vanished while the pull request was opened; export again"


async def test_five_attempts_are_made_and_the_last_reason_is_told(run: Run) -> None:
    failures: list[Exception] = [
        GitHubFault(f"GitHub does not work at the moment ({attempt})", permanent=False, retry_after=0.01)
        for attempt in range(9)
    ]
    fake = FakeExportActivities(failures=failures)
    await run(fake.registered(), ExportMemory.run, EXPORT)
    assert fake.steps() == ["render", *["push"] * 5, "finish"]
    assert ended(fake).obstacle == "GitHub does not work at the moment (4)"


async def test_a_wait_that_github_asks_for_is_kept_and_then_all_goes_on(run: Run) -> None:
    slow = GitHubFault("GitHub asks to slow down", permanent=False, retry_after=0.01)
    fake = FakeExportActivities(failures=[slow, slow, slow], pushes=[PUSHED], opens=[OPENED])
    outcome = await run(fake.registered(), ExportMemory.run, EXPORT)
    assert outcome.code is Code.EXPORTED
    assert fake.steps() == ["render", *["push"] * 4, "open", "finish"]


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (GitHubFault("the repository is archived"), "the repository is archived"),
        (ValueError("text of a memory"), "something went wrong on the memory service's side"),
        (
            ApplicationError("no", type="internal", non_retryable=True),
            "something went wrong on the memory service's side",
        ),
    ],
)
async def test_what_waiting_cannot_mend_is_told_at_once(run: Run, failure: Exception, reason: str) -> None:
    fake = FakeExportActivities(failures=[failure])
    await run(fake.registered(), ExportMemory.run, EXPORT)
    assert fake.steps() == ["render", "push", "finish"]
    assert ended(fake).obstacle == reason
