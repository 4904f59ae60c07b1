"""How the end of a write is put into words, and whether a retry gets it again."""

import pytest

from kapelle.domain.outcomes import Code, Outcome, missing, refused

SENTENCES = (
    (Outcome(code=Code.PROPOSED, entry_id=12), "Entry 12 proposed."),
    (Outcome(code=Code.ADDED, entry_id=12), "Entry 12 added."),
    (Outcome(code=Code.ACCEPTED, entry_id=12), "Entry 12 accepted."),
    (Outcome(code=Code.FORGOTTEN, entry_id=12), "Entry 12 forgotten."),
    (Outcome(code=Code.DUPLICATE, entry_id=12), "Entry 12 already says this."),
    (Outcome(code=Code.SUPERSEDED, entry_id=15, other_id=12), "Entry 15 supersedes entry 12."),
    (
        Outcome(code=Code.RESOLVED, entry_id=15, other_id=12, conflict_id=3),
        "Conflict 3 resolved: entry 15 supersedes entry 12.",
    ),
    (
        Outcome(code=Code.KEPT_BOTH, entry_id=12, other_id=15, conflict_id=3),
        "Conflict 3 resolved: entries 12 and 15 both stay.",
    ),
    (refused("there is no entry 12 in this team"), "there is no entry 12 in this team"),
    (missing("there is no entry 12 in this team"), "there is no entry 12 in this team"),
    (Outcome(code=Code.CANCELLED), "the operation was cancelled, and nothing was stored"),
    (Outcome(code=Code.FAILED, reason="the write could not be stored"), "the write could not be stored"),
)


@pytest.mark.parametrize(("outcome", "sentence"), SENTENCES, ids=[str(outcome.code) for outcome, _ in SENTENCES])
def test_each_outcome_has_the_sentence_of_the_contract(outcome: Outcome, sentence: str) -> None:
    assert outcome.describe() == sentence


def test_only_a_failure_may_be_tried_again_for_another_answer() -> None:
    assert {code for code in Code if not Outcome(code=code).stands} == {Code.FAILED}


def test_refusals_and_failures_are_not_successes() -> None:
    assert {code for code in Code if not Outcome(code=code).ok} == {
        *(Code.REFUSED, Code.MISSING, Code.CONFLICT),
        *(Code.FAILED, Code.CANCELLED),
    }
