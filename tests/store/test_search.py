"""Search by words: what is found, what is left out, and in which order."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from kapelle.domain.entries import Kind, Status
from kapelle.store import search
from kapelle.store.search_history import find_with_history
from tests.stack import Database
from tests.store.searching import Team, teams

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
NEXT_YEAR = datetime.now(UTC) + timedelta(days=365)


@pytest.fixture
async def team(database: Database) -> AsyncIterator[Team]:
    async with teams(database, "acme/payments") as (only,):
        yield only


async def test_a_question_with_words_that_occur_nowhere_is_answered(team: Team) -> None:
    await team.remember("Deploys", "The payments service is deployed from main by a tag.")
    await team.remember("Lunch", "Fridays at noon.")
    assert await team.found("how exactly zzyzx is the payments service deployed qwxyz") == ["Deploys"]


async def test_every_word_counts_and_rare_ones_more(team: Team) -> None:
    for number in range(20):
        await team.remember(f"Note {number}", "The service restarts.")
    await team.remember("Cause", "The service restarts when the watchdog bites.")
    assert (await team.found("service watchdog"))[0] == "Cause"


@pytest.mark.parametrize(
    "query",
    [
        "src/api/app.py", "app.py", "api", "getUserById", "get user by id", "ADR-016", "adr 016", "C++", ".NET", "a/b",
        "node.js", "ECONNREFUSED", "127.0.0.1:5432", "kapelle::domain", "MAX_RETRY_COUNT", "retry count", "it's a/b",
        "What does getUserById in src/api/app.py raise?",
    ],
)  # fmt: skip
async def test_identifiers_and_paths_are_found_whole_and_by_parts(team: Team, query: str) -> None:
    await team.remember("Other", "Nothing of the kind, only a list of plain words about c and net and sharp things.")
    await team.remember(
        "Identifiers",
        "src/api/app.py calls getUserById (see ADR-016, written in C++ and .NET, not node.js); a/b means "
        "MAX_RETRY_COUNT. It raised ECONNREFUSED at 127.0.0.1:5432 in kapelle::domain.",
    )
    assert (await team.found(query))[0] == "Identifiers"


@pytest.mark.parametrize(
    ("query", "title"),
    [("连接", "中文"), ("池", "中文"), ("タワー", "日本語"), ("特别", None), ("특별시", "한국어"), ("лавна", None)],
)
async def test_text_without_spaces_is_found_from_its_middle(team: Team, query: str, title: str | None) -> None:
    await team.remember("中文", "数据库连接池的大小是十")
    await team.remember("日本語", "東京タワーは芝公園にある")
    await team.remember("한국어", "서울특별시에서 배포한다")
    assert await team.found(query) == ([title] if title else [])


ODD = (
    "", " ", "*", '"', "'", "`", "\\", "%", "_", "(", "))((", "&", "|", "!", "<->", ":*", "foo & !bar", "a <2> b",
    "it's",
    "don''t", "--", "/*", "';drop table ibex_core.memories;--", "$1", "{}", "{1:1}/2", "[1,2]", "NULL", "the of and",
    "🚀", "👩‍👩‍👧", "\u202eשלום", "مرحبا بالعالم", "ไทย", "\u0000", "a\u0000b", "\ud83d", "\udc00x", "\u200b", "\uffff",
    "x" * 20_000, "word " * 4_000, " ".join(f"w{n}" for n in range(3_000)), "数" * 20_000, "a/" * 10_000, "\n\t\r\x0b",
    "example.com/a:b?x=1", "C:\\Users\\x", "1e400", "-1", "true", "\U0010ffff", "ﬁ", "İ", "ß", "ǅ",
)  # fmt: skip


@pytest.mark.parametrize("with_vector", [False, True])
async def test_no_query_is_an_error(team: Team, *, with_vector: bool) -> None:
    await team.remember("Deploys", "The payments service is deployed from main.", vector=[1.0] + [0.0] * 7)
    vector = [1.0] + [0.0] * 7 if with_vector else None
    for query in (*ODD, *(left + right for left in ODD[:32] for right in ODD[:32])):
        found = await team.found(query, vector=vector)
        assert found in ([], ["Deploys"])
        assert found or not with_vector


async def test_a_query_of_signs_finds_them_literally_and_nothing_else(team: Team) -> None:
    await team.remember("Launch 🚀", "It is what it's.")
    await team.remember("Other", "Plain.")
    assert await team.found("🚀") == ["Launch 🚀"]
    assert await team.found("it's") == ["Launch 🚀"]
    assert await team.found("🎉") == []


async def test_an_empty_query_lists_the_newest_first(team: Team) -> None:
    for title in ("First", "Second", "Third"):
        await team.remember(title, kind=Kind.CONVENTION)
    assert await team.found("") == ["Third", "Second", "First"]


async def test_what_is_not_current_is_left_out_before_the_limit(team: Team) -> None:
    agent = await team.owner.fetchval(
        "insert into ibex_core.agents (org_id, team_id, name) values ($1, $2, 'coder') returning agent_id",
        team.org_id,
        team.team_id,
    )
    for _ in range(60):
        await team.remember(
            "Expired", "ssh port ssh port", valid_from=LONG_AGO, valid_until=LONG_AGO + timedelta(days=1)
        )
    for _ in range(30):
        await team.retire(await team.remember("Superseded", "ssh port ssh port"))
        await team.remember("Quarantined", "ssh port ssh port", status=Status.QUARANTINED)
        await team.remember("Private", "ssh port ssh port", status=Status.ACTIVE, agent_id=agent)
        await team.remember("Early", "ssh port ssh port", valid_from=NEXT_YEAR)
    await team.remember("Truth", "After the move, which took a while, the port for ssh became 49222.")
    assert await team.found("ssh port", limit=1) == ["Truth"]
    assert await team.found("", limit=1) == ["Truth"]


async def test_a_past_moment_is_answered_as_it_was_valid_then(team: Team) -> None:
    until = LONG_AGO + timedelta(days=1)
    await team.remember("Then", "The ssh port is 22.", valid_from=LONG_AGO, valid_until=until)
    await team.remember("Now", "The ssh port is 49222.", valid_from=until)
    assert await team.found("ssh port") == ["Now"]
    assert await team.found("ssh port", as_of=LONG_AGO) == ["Then"]


async def test_only_the_write_path_sees_what_was_superseded_and_it_is_marked(team: Team) -> None:
    old = await team.remember("Old", "The ssh port is 22.")
    await team.retire(old)
    await team.remember("New", "The ssh port is 49222.")
    request = search.SearchRequest(org_id=team.org_id, team_id=team.team_id, query="ssh port 22")
    found = await find_with_history(team.pool, request)
    assert [(hit.entry.title, hit.current) for hit in found] == [("Old", False), ("New", True)]


async def test_kinds_and_tags_are_filtered_before_the_limit(team: Team) -> None:
    for number in range(80):
        await team.remember(f"Noise {number}", "retry retry retry budget")
    await team.remember(
        "Wanted", "A retry costs budget, as measured in the spring.", kind=Kind.GOTCHA, tags=("http", "ops")
    )
    assert await team.found("retry budget", kinds=(Kind.GOTCHA,), limit=1) == ["Wanted"]
    assert await team.found("retry budget", tags=("ops", "http"), limit=1) == ["Wanted"]
    assert await team.found("retry budget", tags=("ops", "absent")) == []
    assert await team.found("", kinds=(Kind.GOTCHA,)) == ["Wanted"]


async def test_curated_comes_before_proposed_and_proposed_can_be_left_out(team: Team) -> None:
    await team.remember("Proposed", "retry budget retry budget", status=Status.PROPOSED)
    await team.remember("Curated", "One retry of something long, among many other words that follow here.")
    assert await team.found("retry budget") == ["Curated", "Proposed"]
    assert await team.found("retry budget", include_proposed=False) == ["Curated"]


async def test_an_accepted_entry_counts_as_curated(team: Team) -> None:
    memory_id = await team.remember("Learnt", "retry budget", status=Status.PROPOSED)
    await team.owner.execute("update ibex_core.memories set status = 'curated' where id = $1", memory_id)
    async with team.pool.acquire() as conn, conn.transaction():
        await conn.execute("select set_config('kapelle.org_id', $1, true)", team.org_id)
        await search.set_status(
            conn, org_id=team.org_id, team_id=team.team_id, memory_id=memory_id, status=Status.CURATED
        )
    assert await team.found("retry budget", include_proposed=False) == ["Learnt"]


async def test_a_hit_carries_the_entry_its_rank_and_reasons(team: Team) -> None:
    memory_id = await team.remember("Retries", "Three at most.", kind=Kind.CONVENTION, tags=("http",))
    (hit,) = await team.hits("retries")
    assert (hit.rank, hit.entry.id, hit.entry.render()) == (
        1,
        memory_id,
        "[curated] convention: Retries\nThree at most.",
    )
    assert (hit.entry.tags, hit.entry.source, hit.why.cosine) == (("http",), "person:ada", None)
    assert hit.why.words is not None
    assert 0 < hit.score <= 1


async def test_equal_live_texts_are_refused_by_name(team: Team) -> None:
    first = await team.remember("Same", same_text_as="same")
    with pytest.raises(asyncpg.UniqueViolationError) as refusal:
        await team.remember("Same", same_text_as="same")
    assert refusal.value.constraint_name == "one_live_text"
    await team.retire(first)
    await team.remember("Same again", same_text_as="same")


async def test_the_longest_entry_of_any_script_is_stored_and_its_last_line_found(team: Team) -> None:
    english = " ".join(f"word{number}" for number in range(7_000))
    chinese = "".join(chr(0x4E00 + number * 7 % 20_000) for number in range(21_000))
    await team.remember("English", english[:65_000] + "\nzebra")
    await team.remember("Chinese", chinese)
    assert await team.found("zebra") == ["English"]
    assert await team.found(chinese[9_000:9_002]) == ["Chinese"]
