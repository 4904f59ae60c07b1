"""The language of a team's words: applied to what is written and asked, changed in one step, and no other team's."""

from collections.abc import AsyncIterator

import pytest

from kapelle.domain.entries import Status
from kapelle.store import search_language
from kapelle.store.pool import SET_ORG, tenant
from tests.stack import Database
from tests.store.searching import Team, teams


@pytest.fixture
async def team(database: Database) -> AsyncIterator[Team]:
    async with teams(database, "acme/payments") as (only,):
        yield only


async def change(team: Team, language: str) -> None:
    async with tenant(team.pool, team.org_id) as conn:
        await search_language.change(conn, org_id=team.org_id, team_id=team.team_id, language=language)


async def test_words_are_found_in_their_other_forms_of_the_chosen_language(team: Team) -> None:
    await team.remember("Zertifikate", "Die Häuser der Verwaltungen werden jährlich geprüft.")
    assert await team.found("Verwaltung Haus") == []
    await change(team, "german")
    assert await team.found("Verwaltung Haus") == ["Zertifikate"]
    await team.remember("Danach", "Die Rechnungen sind zu bezahlen.")
    assert await team.found("bezahlt Rechnung") == ["Danach"]
    await change(team, "simple")
    assert await team.found("Rechnung") == []
    assert await team.found("Rechnungen") == ["Danach"]


async def test_a_change_keeps_what_is_current_and_the_counts_exact(team: Team) -> None:
    old = await team.remember("Old", "The ports are 22.")
    await team.retire(old)
    await team.remember("Hidden", "The ports are closed.", status=Status.QUARANTINED)
    for number in range(260):
        await team.remember(f"Port {number}", "The ports are 49222 and others.")
    before = await team.counts()
    for language in ("french", "english"):
        await change(team, language)
        assert await team.counts() == await team.true_counts()
        assert "Old" not in await team.found("port ports", limit=200)
    assert await team.counts() == before


async def test_a_change_that_breaks_off_leaves_everything_as_it_was(team: Team) -> None:
    await team.remember("Runs", "The runners are running.")
    before = await team.counts()
    async with team.pool.acquire() as conn:
        transaction = conn.transaction()
        await transaction.start()
        await conn.execute(SET_ORG, team.org_id)
        await search_language.change(conn, org_id=team.org_id, team_id=team.team_id, language="simple")
        assert await team.found("run") == ["Runs"]
        await transaction.rollback()
    assert await team.counts() == before
    assert await team.found("run") == ["Runs"]


async def test_another_teams_words_stay_as_they_are(database: Database) -> None:
    async with teams(database, "acme/one", "acme/two") as (one, two):
        for each in (one, two):
            await each.remember("Runs", "The runners are running.")
        await change(one, "simple")
        assert await one.found("run") == []
        assert await two.found("run") == ["Runs"]


async def test_the_languages_are_those_of_the_server(team: Team) -> None:
    async with tenant(team.pool, team.org_id) as conn:
        known = await search_language.languages(conn)
    assert {"simple", "english", "german", "russian", "tamil"} <= set(known)
    for language in known:
        await change(team, language)
