"""Who is calling: what a request may claim, and what it may not."""

import pytest

from kapelle.domain.callers import Caller, Claim, Role, agent_team, claim, require_own_team
from kapelle.domain.errors import InvalidRequest, NotAllowed


def test_a_source_is_a_claim_and_so_is_a_user() -> None:
    assert claim("agent:payments/coder", None) == Claim(source="agent:payments/coder")
    assert claim(None, "ada") == Claim(person="ada")


@pytest.mark.parametrize("nothing", [None, ""])
def test_an_empty_source_counts_as_none(nothing: object) -> None:
    assert claim(nothing, "ada") == Claim(person="ada")


def test_of_both_the_source_counts() -> None:
    assert claim("importer", "ada") == Claim(source="importer")


@pytest.mark.parametrize(("source", "user"), [(None, None), ("", ""), (None, ""), ("", None)])
def test_a_request_of_nobody_is_refused(source: object, user: object) -> None:
    with pytest.raises(InvalidRequest, match="neither a source nor a user"):
        claim(source, user)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (7, "source must be a string"),
        (["agent:a/b"], "source must be a string"),
        ("has space", "source must be a name"),
        ("line\nbreak", "source must be a name"),
        ("x" * 201, "of at most 200 characters"),
        ("nul\x00", "NUL"),
        ("\ud800", "surrogate"),
        ("-leading", "source must be a name"),
    ],
)
def test_a_malformed_source_is_refused_by_its_field(source: object, names: str) -> None:
    with pytest.raises(InvalidRequest, match=names):
        claim(source, None)


@pytest.mark.parametrize("user", [7, "", "has space", "x" * 101, "@ada"])
def test_a_malformed_user_is_refused(user: object) -> None:
    with pytest.raises(InvalidRequest):
        claim(None, user)


def test_an_agents_source_names_its_team() -> None:
    assert agent_team("agent:payments/coder") == "payments"
    assert agent_team("person:ada") is None
    assert agent_team("importer") is None


@pytest.mark.parametrize("source", ["agent:", "agent:payments", "agent:payments/", "agent:/coder"])
def test_an_agent_without_team_or_name_is_refused(source: str) -> None:
    with pytest.raises(InvalidRequest, match="names its team and itself"):
        agent_team(source)


def test_an_agent_cannot_speak_for_another_team_and_others_can() -> None:
    require_own_team("agent:payments/coder", "payments")
    require_own_team("importer", "payments")
    with pytest.raises(NotAllowed, match="team 'payments' and cannot speak for team 'search'"):
        require_own_team("agent:payments/coder", "search")


def test_an_agents_team_is_compared_as_a_whole() -> None:
    with pytest.raises(NotAllowed):
        require_own_team("agent:pay/coder", "payments")


def test_roles_are_ordered_and_only_those_of_teams_can_be_given() -> None:
    assert Role.NONE < Role.VIEWER < Role.MEMBER < Role.MAINTAINER < Role.ADMIN
    assert Role.named("maintainer") is Role.MAINTAINER
    for name in ("admin", "none", "", "Member", "owner"):
        with pytest.raises(InvalidRequest, match="viewer, member, maintainer"):
            Role.named(name)


@pytest.mark.parametrize(("source", "person"), [("person:ada", True), ("agent:demo/coder", False), ("personal", False)])
def test_only_a_person_is_one(source: str, person: bool) -> None:  # noqa: FBT001 - a column of the table
    caller = Caller(source=source, team_id=1, team="demo", role=None, patience=1)

    assert caller.is_person is person
