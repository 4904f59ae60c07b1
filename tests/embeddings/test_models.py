"""Models side by side: coverage, the switch under load, spaces that never mix, the drop, and who may do what."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from kapelle.providers.embeddings import EmbeddingFailed
from tests.embedder import FakeEmbedder, spaces_of
from tests.memory import AGENT, PERSON, Memory, running_memory
from tests.stack import Database, Temporal

OLD, NEW = "fake/old:16", "fake/new:32"
ENTRIES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """A service with two models, the old one active at first."""

    memory: Memory
    old: FakeEmbedder
    new: FakeEmbedder

    async def want(self, alias: str) -> None:
        """Do what restarting the service with another alias does."""
        services = self.memory.services
        fresh = spaces_of(replace(services.settings, embed_alias=alias), services.pool, self.embedders)
        spaces = services.spaces
        for name in ("wanted", "_introduced", "_opened", "_settings"):
            setattr(spaces, name, getattr(fresh, name))
        spaces.forget()
        await spaces.warm_up()

    @property
    def embedders(self) -> dict[str, FakeEmbedder]:
        return {"old": self.old, "new": self.new}

    async def org(self, *args: str, **fields: object) -> dict[str, object]:
        return await self.memory.ask(*args, command="embeddings", **fields)


@asynccontextmanager
async def two_models(database: Database, nats_url: str, temporal: Temporal) -> AsyncIterator[Models]:
    old, new = FakeEmbedder(name="fake/old"), FakeEmbedder(name="fake/new", dimensions=32)
    embedders = {"old": old, "new": new}
    async with running_memory(
        database, nats_url, temporal, embed_alias="old", embedders=embedders, backfill_per_minute=1_000_000
    ) as memory:
        await memory.services.spaces.warm_up()
        yield Models(memory=memory, old=old, new=new)


@pytest.fixture
async def models(database: Database, nats_url: str, temporal: Temporal) -> AsyncIterator[Models]:
    async with two_models(database, nats_url, temporal) as opened:
        yield opened


async def test_a_change_of_models_under_load_answers_every_search_from_one_space(models: Models) -> None:
    memory = models.memory
    for number in range(ENTRIES):
        assert (await memory.ask("add", "fact", f"note {number}", f"alpha{number} beta{number}"))["ok"]
    asked: list[tuple[str, int]] = []
    find = "select distinct vector_dims(embedding) as size, model from ibex_core.memory_embeddings order by 1"
    done = asyncio.Event()

    async def search() -> None:
        number = 0
        while not done.is_set():
            number = (number + 7) % ENTRIES
            reply = await memory.ask("search", f"alpha{number}")
            assert f"[curated] fact: note {number}\nalpha{number} beta{number}" in reply["entries"]
            asked.append((str(reply["text"]), number))

    await models.want("new")
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(search())
        refused = await models.org("switch", "new")
        assert refused["error"] == (f"{NEW} covers 0 of {ENTRIES} entries; run the backfill first, or force it")
        applied = await models.org("backfill", "apply")
        assert applied["text"] == (
            f"{ENTRIES} of {ENTRIES} entries had no vector of {NEW}; {ENTRIES} embedded. Searches go by this model now."
        )
        added = await memory.ask("add", "fact", "afterwards", "gamma")
        assert added["ok"]
        done.set()

    assert len(asked) > 20
    rows = await memory.rows(find)
    assert rows == [{"size": 16, "model": OLD}, {"size": 32, "model": NEW}]
    shown = await models.org("status")
    assert shown["entries"] == [
        f"{NEW} (in use): {ENTRIES + 1} of {ENTRIES + 1} entries, 100 %",
        f"{OLD}: {ENTRIES} of {ENTRIES + 1} entries, 97.5 %",
    ]
    assert (await models.org("drop", OLD))["text"] == f"The vectors of {OLD} are dropped."
    assert await memory.rows(find) == [{"size": 32, "model": NEW}]
    assert "[curated] fact: afterwards\ngamma" in (await memory.ask("search", "gamma"))["entries"]


async def test_queries_are_embedded_by_the_active_model_until_the_switch(models: Models) -> None:
    await models.memory.ask("add", "fact", "note", "alpha")
    await models.want("new")
    models.old.embedded.clear()
    await models.memory.ask("search", "alpha one")
    await models.memory.ask("add", "fact", "another", "beta")
    assert models.old.embedded == ["alpha one", "another\nbeta"]
    assert models.new.embedded == []

    forced = await models.org("switch", "new", "force")
    assert forced["text"] == f"Searches and writes go by {NEW}."
    assert (await models.org("switch", NEW))["text"] == forced["text"]
    assert (await models.memory.ask("search", "alpha"))["entries"] == ["[curated] fact: note\nalpha"]
    await models.memory.services.spaces._refresh()
    await models.memory.ask("search", "alpha two")
    assert "alpha two" in models.new.embedded


async def test_one_can_switch_back_and_the_schedule_does_not_undo_it(models: Models) -> None:
    await models.memory.ask("add", "fact", "note", "alpha")
    await models.want("new")
    await models.org("backfill", "apply")
    assert (await models.org("switch", "old"))["text"] == f"Searches and writes go by {OLD}."
    await models.memory.ask("add", "fact", "second", "beta")
    assert "Searches go by" not in str((await models.org("backfill", "apply"))["text"])
    shown = await models.org("status")
    assert shown["entries"] == [f"{OLD} (in use): 2 of 2 entries, 100 %", f"{NEW} (wanted): 2 of 2 entries, 100 %"]


async def test_a_model_that_no_query_could_be_embedded_with_is_not_switched_to(models: Models) -> None:
    await models.want("new")
    await models.memory.rows(
        "update ibex_core.embedding_models set alias = 'old' where model = $1 returning model", NEW
    )
    refused = await models.org("switch", NEW, "force")
    assert refused["error"] == f"queries cannot be embedded with {NEW}: the alias 'old' is another model now"


async def test_an_entry_that_the_model_refuses_is_passed_over_and_the_rest_embedded(models: Models) -> None:
    models.old.down = EmbeddingFailed("away", permanent=False)
    for title in ("good", "poison", "fine"):
        await models.memory.ask("add", "fact", title, f"body of {title}")
    models.old.down, models.old.refused = None, frozenset({"poison"})
    said = await models.memory.ask("backfill", "apply")
    assert said["text"] == (
        f"3 of 3 entries had no vector of {OLD}; 2 embedded. "
        "1 entry refused by the model and found by words alone (the embedder answered 400)."
    )


async def test_a_repeated_request_gets_the_same_answer_and_embeds_nothing(models: Models) -> None:
    models.old.down = EmbeddingFailed("away", permanent=False)
    await models.memory.ask("add", "fact", "note", "alpha")
    models.old.down = None
    first = await models.memory.ask("backfill", "apply", request_id="r-1")
    models.old.embedded.clear()
    assert await models.memory.ask("backfill", "apply", request_id="r-1") == first
    assert models.old.embedded == []


async def test_a_backfill_that_outlasts_the_reply_limit_names_its_operation_and_goes_on(
    database: Database, nats_url: str, temporal: Temporal
) -> None:
    slow = FakeEmbedder(name="fake/slow")
    async with running_memory(
        database, nats_url, temporal, embed_alias="slow", embedders={"slow": slow}, reply_seconds=0.5
    ) as memory:
        await memory.services.spaces.warm_up()
        slow.down = EmbeddingFailed("away", permanent=False)
        await memory.ask("add", "fact", "note", "alpha")
        slow.down = None
        slow.open.clear()
        said = str((await memory.ask("backfill", "apply"))["text"])
        assert said.endswith("0 of 1 entries have a vector of fake/slow:16.")
        operation = said.split()[4].rstrip(".")
        running = await memory.ask("operation", operation)
        assert running["text"] == f"Operation {operation} running"
        slow.open.set()
        async with asyncio.timeout(20):
            while (shown := await memory.ask("operation", operation))["text"].endswith("running"):
                pass
        assert shown["text"] == (
            f"Operation {operation} completed: 1 of 1 entry had no vector of fake/slow:16; 1 embedded."
        )


@pytest.mark.parametrize("operation", ["switch", "drop"])
async def test_only_admins_switch_and_drop(models: Models, operation: str) -> None:
    await models.memory.team("add-member", "demo", "eve", "maintainer")

    by_maintainer = await models.org(operation, "nobody", user="eve")
    by_agent = await models.org(operation, "nobody", source=AGENT)
    by_admin = await models.org(operation, "nobody", user=PERSON)

    assert by_maintainer["error"] == "'eve' is not an admin of this organization"
    assert by_agent["error"] == "an agent cannot change teams; ask a maintainer"
    assert by_admin["error"] == f"there is no such model; those with vectors are: {OLD}"


async def test_what_nobody_should_do_is_refused_in_a_sentence(models: Models) -> None:
    assert (await models.org("drop", "old"))["error"] == f"searches go by {OLD}; switch to another model first"
    assert (await models.org("drop", "nobody"))["error"] == (f"there is no such model; those with vectors are: {OLD}")
    assert (await models.org("switch", "old", "now"))["error"] == 'the mode of a switch is "force", or is left out'
    assert (await models.org("backfill", "now"))["error"] == (
        'the mode of a backfill is "apply", or is left out for a dry run'
    )
    assert (await models.org("status", user="stranger"))["error"] == ("'stranger' is not a person of this organization")
    by_agent = await models.org("backfill", "apply", source=AGENT)
    assert by_agent["error"] == "an agent cannot change teams; ask a maintainer"
