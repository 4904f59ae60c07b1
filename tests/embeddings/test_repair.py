"""Whatever an embedder does wrong: writes are stored, searches answer by words, and a backfill puts it right."""

import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.memory import Memory, running_memory
from tests.provider import Provider, config_for, provider
from tests.stack import Database, Temporal

# How the provider fails: its fields.
FAILURES: dict[str, dict[str, Any]] = {
    "hanging": {"silent": True},
    "429": {"status": 429, "headers": {"retry-after": "1"}},
    "500": {"status": 500},
    "401": {"status": 401},
    "wrong length": {"vectors": [[1.0, 2.0, 3.0]]},
    "NaN": {"vectors": [[math.nan, 1.0, 1.0, 1.0]]},
    "zeros": {"vectors": [[0.0, 0.0, 0.0, 0.0]]},
    "too few": {"vectors": [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]},
}
MODEL = "openai/text-embedding-3-small:4"


def meaning(text: str, _place: int) -> list[float]:
    """Give undoing and rolling back one direction, and everything else another."""
    return [1.0, 0.1, 0.0, 0.0] if "undo" in text or "Rollback" in text else [0.0, 0.1, 1.0, 0.0]


async def works_by_words(memory: Memory, name: str) -> None:
    word = "".join(filter(str.isalnum, name))
    said = await memory.ask("add", "fact", f"Rollback {word}", "Press the red button.")
    assert said["text"].endswith("added."), said
    found = await memory.ask("search", f"button {word}")
    assert found["entries"][0] == f"[curated] fact: Rollback {word}\nPress the red button."


async def break_and_mend(memory: Memory, made: Provider) -> None:
    for name, fields in FAILURES.items():
        before = {field: getattr(made, field) for field in fields}
        for field, value in fields.items():
            setattr(made, field, value)
        await works_by_words(memory, name)
        for field, value in before.items():
            setattr(made, field, value)


async def test_a_failing_provider_costs_vectors_and_nothing_else(
    database: Database, nats_url: str, temporal: Temporal, tmp_path: Path
) -> None:
    async with provider() as made:
        made.meaning = meaning
        config = config_for(tmp_path, made.url, dimensions=4)
        settings: dict[str, Any] = {"embed_alias": "embed", "litellm_config": config}
        async with running_memory(database, nats_url, temporal, embed_seconds=1.0, **settings) as memory:
            await memory.services.spaces.warm_up()
            await break_and_mend(memory, made)
            lacking = len(FAILURES)
            assert await memory.ask("backfill") == {
                "ok": True,
                "text": f"{lacking} of {lacking} entries have no vector of {MODEL}. "
                "This was a dry run: nothing was embedded.",
            }
            assert (await memory.ask("backfill", "apply"))["text"] == (
                f"{lacking} of {lacking} entries had no vector of {MODEL}; {lacking} embedded."
            )
        # A process that has not seen the provider fail.
        async with running_memory(database, nats_url, temporal, embed_seconds=30.0, **settings) as memory:
            found = await memory.ask("search", "undo it")
            assert len(found["entries"]) == lacking


@pytest.mark.parametrize("settings", [{}, {"embed_alias": "nobody-knows-it"}, {"embed_alias": "embed"}])
async def test_without_an_alias_or_with_a_wrong_one_words_serve(
    database: Database, nats_url: str, temporal: Temporal, tmp_path: Path, settings: dict[str, Any]
) -> None:
    async with provider() as made:
        made.meaning = meaning
        config = config_for(tmp_path, made.url, dimensions=4)
        if "nobody" in settings.get("embed_alias", ""):
            settings = settings | {"litellm_config": config}
        async with running_memory(database, nats_url, temporal, **settings) as memory:
            await works_by_words(memory, "alias")
            assert made.asked == []
        right: dict[str, Any] = {"embed_alias": "embed", "litellm_config": config}
        async with running_memory(database, nats_url, temporal, embed_seconds=30.0, **right) as memory:
            assert (await memory.ask("search", "undo it"))["text"] == "0 entries found"
            done = await memory.ask("backfill", "apply")
            assert done["text"] == f"1 of 1 entry had no vector of {MODEL}; 1 embedded."
            assert (await memory.ask("search", "undo it"))["text"] == "1 entry found"


async def test_limits_of_the_provider_are_waited_out_by_the_backfill(
    database: Database, nats_url: str, temporal: Temporal, tmp_path: Path
) -> None:
    async with provider() as made:
        made.meaning = meaning
        config = config_for(tmp_path, made.url, dimensions=4)
        async with running_memory(
            database, nats_url, temporal, embed_alias="embed", litellm_config=config, embed_seconds=30.0
        ) as memory:
            await memory.services.spaces.warm_up()
            made.status = 500
            await works_by_words(memory, "one")
            made.status, made.headers, made.next_statuses = 200, {"retry-after": "1"}, [429, 503, 429]
            before = len(made.asked)
            done = await memory.ask("backfill", "apply")
            assert done["text"] == f"1 of 1 entry had no vector of {MODEL}; 1 embedded."
            assert len(made.asked) - before == 4
            (history,) = [history async for history in _histories(memory)]
            assert {attempt for attempt in history if attempt > 1} == set()


async def _histories(memory: Memory) -> AsyncIterator[list[int]]:
    """Yield the attempts of the steps of each backfill."""
    client = memory.services.temporal
    rows = await memory.rows("select workflow_id from ibex_core.operations where name = 'backfill'")
    for row in rows:
        history = await client.get_workflow_handle(row["workflow_id"]).fetch_history()
        yield [
            event.activity_task_started_event_attributes.attempt
            for event in history.events
            if event.HasField("activity_task_started_event_attributes")
        ]
