"""Duplicates and conflicts: what is the same, what differs and why, and what a person is asked."""

from datetime import UTC, datetime
from itertools import combinations

import pytest

from benchmarks.dedup import MODEL, Pair, pairs, score
from kapelle.domain.dedup import Candidate, ConflictKind, Differs, Reason, Same, Unrelated, Validity
from kapelle.domain.rules import dedup

PAIRS = pairs()
SETS = tuple(dict.fromkeys(pair.set for pair in PAIRS))


def reasons(one: str, other: str) -> tuple[Reason, ...] | None:
    """Return why two bodies differ however close they are; None if nothing tells them apart."""
    relation = dedup.compare(dedup.statement("", one), dedup.statement("", other), 1.0, MODEL)
    return relation.reasons if isinstance(relation, Differs) else None


@pytest.mark.parametrize("with_vectors", [True, False])
@pytest.mark.parametrize("name", SETS)
def test_no_set_has_two_different_facts_merged(name: str, with_vectors: bool) -> None:  # noqa: FBT001 - a parameter of the test
    chosen = [pair for pair in PAIRS if pair.set == name]
    assert score(chosen, with_vectors=with_vectors).merged == 0


@pytest.mark.parametrize("with_vectors", [True, False])
@pytest.mark.parametrize("name", [name for name in SETS if name != "blind-2"])
def test_most_rewordings_of_every_set_are_recognised(name: str, with_vectors: bool) -> None:  # noqa: FBT001 - a parameter of the test
    chosen = [pair for pair in PAIRS if pair.set == name]
    assert score(chosen, with_vectors=with_vectors).recall >= 0.6


def test_three_quarters_of_all_rewordings_are_recognised() -> None:
    assert score(PAIRS, with_vectors=True).recall >= 0.75


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if not pair.same], ids=lambda pair: pair.id)
def test_no_likeness_whatever_merges_different_facts_in_either_order(pair: Pair) -> None:
    assert reasons(pair.a, pair.b)
    assert reasons(pair.b, pair.a)


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("The deadline is 15 October.", "The deadline is 16 October.", Reason.DATE),
        ("It needs v2.3.", "It needs v2.4.", Reason.NUMBER),
        ("You must restart it.", "You must not restart it.", Reason.NEGATION),
        ("See PR 260.", "See PR 480.", Reason.NUMBER),
        ("You must sign tags.", "You should sign tags.", Reason.MODAL),
        ("You must not restart it.", "You need not restart it.", Reason.MODAL),
        ("All jobs need a lease.", "Some jobs need a lease.", Reason.QUANTIFIER),
        ("Keep at least 3.", "Keep at most 3.", Reason.QUANTIFIER),
        ("Caching is enabled.", "Caching is disabled.", Reason.ANTONYM),
        ("Staging is wiped.", "Prod is wiped.", Reason.ENVIRONMENT),
        ("Call `get_a` first.", "Call `get_b` first.", Reason.IDENTIFIER),
        ("Ask our Ines.", "Ask our Omar.", Reason.NAME),
        ("Rebuild if x == y.", "Rebuild if x != y.", Reason.OPERATOR),
        ("Auth calls billing.", "Billing calls auth.", Reason.ORDER),
        ("We use Jenkins.", "We used to use Jenkins.", Reason.TENSE),
        ("The report goes to finance.", "The invoice goes to finance.", Reason.WORD),
        ("Der Dienst muss laufen.", "Der Dienst darf laufen.", Reason.MODAL),
        ("Kein Dienst läuft.", "Ein Dienst läuft.", Reason.NEGATION),
    ],
)
def test_each_kind_of_difference_is_named(one: str, other: str, reason: Reason) -> None:
    found = reasons(one, other)
    assert found
    assert reason in found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Timeout: 60 s", "Timeout: 1 minute"),
        ("It keeps 7 days.", "It keeps one week."),
        ("Limit 2Gi", "Limit 2 GiB"),
        ("Limit 1 GB", "Limit 1000 MB"),
        ("Starts at 15:00.", "Starts at 3 pm."),
        ("Due on 2027-03-31.", "Due on March 31, 2027."),
        ("It has 10,000 rows.", "It has 10000 rows."),
        ("It has 12 shards.", "It has twelve shards."),
        ("Takes 5%", "Takes 5 percent"),
        ("Takes 10k rows", "Takes 10000 rows"),
    ],
)
def test_the_same_amount_in_other_units_is_the_same(one: str, other: str) -> None:
    assert reasons(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Limit 1 GB", "Limit 1024 MB"),
        ("Limit 1 GB", "Limit 1 GiB"),
        ("Limit 10 MB", "Limit 10 Mb"),
        ("Pin it to 3.1", "Pin it to 3.10"),
        ("Code 007", "Code 7"),
        ("Takes 90 days", "Takes 3 months"),
        ("At -1 degrees", "At 1 degrees"),
        ("Starts at 9 am", "Starts at 9 pm"),
        ("Wait 1.500 ms", "Wait 1,500 ms"),
    ],
)
def test_amounts_that_may_differ_are_different(one: str, other: str) -> None:
    assert reasons(one, other)


@pytest.mark.parametrize(
    ("command", "obligation", "fact"),
    [
        ("Rotate the keys.", "The keys must be rotated.", "The keys are rotated."),
        ("Use pnpm.", "You should use pnpm.", "We use pnpm."),
        ("Never commit secrets.", "Secrets must not be committed.", "Secrets are not committed."),
    ],
)
def test_a_command_obliges_and_a_plain_fact_does_not(command: str, obligation: str, fact: str) -> None:
    assert reasons(command, obligation) is None
    assert reasons(fact, obligation) == (Reason.MODAL,)


def test_equal_texts_are_the_same_without_any_vector() -> None:
    one, other = dedup.statement("Title", "Use  pnpm."), dedup.statement("title", "use pnpm")
    assert dedup.compare(one, other, None, None) == Same(similarity=1.0)


def test_texts_with_little_in_common_are_unrelated() -> None:
    one, other = dedup.statement("", "Ask Ines for access."), dedup.statement("", "Lint before you push.")
    assert dedup.compare(one, other, 0.1, MODEL) == dedup.compare(one, other, None, None) == Unrelated()


def test_a_model_that_was_not_measured_is_trusted_less() -> None:
    one = dedup.statement("", "All webhooks are signed with HMAC.")
    other = dedup.statement("", "We sign all webhooks with HMAC.")
    assert isinstance(dedup.compare(one, other, 0.8, MODEL), Same)
    assert dedup.compare(one, other, 0.8, "openai/unknown@1536") == Differs(similarity=0.8, reasons=(Reason.WORDING,))


def test_a_contradiction_is_a_candidate_with_the_names_of_its_reasons() -> None:
    one, other = (
        dedup.statement("", "The pool has 20 connections."),
        dedup.statement("", "The pool has 50 connections."),
    )
    assert dedup.conflict(one, other, 0.95, MODEL) == Candidate(
        kind=ConflictKind.CONTRADICTION, score=0.95, reasons=(Reason.NUMBER,)
    )


def test_a_rewording_that_was_stored_all_the_same_is_a_near_duplicate() -> None:
    one, other = dedup.statement("", "We sign all webhooks."), dedup.statement("", "All webhooks are signed.")
    found = dedup.conflict(one, other, 0.9, MODEL)
    assert found == Candidate(kind=ConflictKind.NEAR_DUPLICATE, score=0.9, reasons=())


def test_a_change_over_time_makes_the_older_text_outdated() -> None:
    one, other = dedup.statement("", "Tests need Docker."), dedup.statement("", "Tests no longer need Docker.")
    found = dedup.conflict(one, other, 0.9, MODEL)
    assert found
    assert found.kind is ConflictKind.OUTDATED


def test_a_text_that_is_no_longer_current_can_only_be_outdated() -> None:
    one, other = dedup.statement("", "SSH is on port 22."), dedup.statement("", "SSH is on port 49222.")
    found = dedup.conflict(one, other, 0.9, MODEL, historical=True)
    assert found
    assert found.kind is ConflictKind.OUTDATED


def test_other_environments_contradict_nothing() -> None:
    one, other = dedup.statement("", "Redis in staging has 2 GB."), dedup.statement("", "Redis in prod has 8 GB.")
    assert dedup.conflict(one, other, 0.9, MODEL) is None


def test_a_shared_name_alone_is_no_candidate() -> None:
    facts = (
        "Odalys maintains the search service.", "Odalys is on leave in May.", "Ask Odalys about the VPN.",
        "The laptop of Odalys runs Fedora.", "Odalys reviews schema changes.", "Odalys prefers short commits.",
        "Releases are announced by Odalys.", "Odalys has the key of the server room.",
    )  # fmt: skip
    for one, other in combinations(facts, 2):
        assert dedup.conflict(dedup.statement("", one), dedup.statement("", other), None, None) is None


def test_scores_stay_between_nought_and_one() -> None:
    one, other = dedup.statement("", "It has 20 rows."), dedup.statement("", "It has 50 rows.")
    found = dedup.conflict(one, other, 1.0000002, MODEL)
    assert found
    assert found.score == 1.0


def day(number: int) -> datetime:
    return datetime(2026, 11, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        (Validity(start=day(1), end=day(5)), Validity(start=day(5)), True),
        (Validity(end=day(5)), Validity(start=day(5), end=day(9)), True),
        (Validity(start=day(1)), Validity(start=day(5)), False),
        (Validity(start=day(1), end=day(5)), Validity(start=day(6)), False),
        (Validity(start=day(1), end=day(5)), Validity(start=day(4)), False),
        (Validity(start=day(1), end=day(5)), Validity(), False),
        (Validity(), Validity(), False),
        (Validity(start=day(1), end=day(5)), Validity(start=day(5), end=day(5)), False),
    ],
)
def test_an_interval_follows_only_where_the_other_ends(earlier: Validity, later: Validity, expected: bool) -> None:  # noqa: FBT001 - a column of the table
    assert dedup.follows(earlier, later) is expected
