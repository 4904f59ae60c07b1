"""An entry's kind follows its surest label."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.stack import Database
from tests.store.rows import ORGS, connected

ORG = ORGS[0]


@pytest.fixture
async def labels(filled: Database) -> AsyncIterator["Labels"]:
    """The labels of one entry, which is a gotcha by its only label."""
    async with connected(filled.product_dsn, ORG) as product:
        entry = await product.fetchval("select memory_id from ibex_core.memory_labels")
        await product.execute("update ibex_core.memory_labels set confidence = 0.5")
        yield Labels(product, entry)


class Labels:
    """Changes labels as the product's role does, and reads the kind that follows."""

    def __init__(self, connection: Any, entry_id: int) -> None:
        self._connection = connection
        self._entry_id = entry_id

    async def add(self, label: str, confidence: float) -> None:
        await self._connection.execute(
            "insert into ibex_core.memory_labels values ($1, $2, $3, $4)", ORG, self._entry_id, label, confidence
        )

    async def change(self, label: str, confidence: float) -> None:
        await self._connection.execute(
            "update ibex_core.memory_labels set confidence = $2 where label = $1", label, confidence
        )

    async def remove(self, label: str) -> None:
        await self._connection.execute("delete from ibex_core.memory_labels where label = $1", label)

    async def kind(self) -> str:
        kind: str = await self._connection.fetchval("select kind from ibex_core.memories where id = $1", self._entry_id)
        return kind


async def test_a_surer_label_becomes_the_kind(labels: Labels) -> None:
    await labels.add("fact", 0.6)

    assert await labels.kind() == "fact"


async def test_a_label_that_is_less_sure_or_as_sure_changes_nothing(labels: Labels) -> None:
    await labels.add("fact", 0.4)
    await labels.add("decision", 0.5)

    assert await labels.kind() == "gotcha"


async def test_the_kind_follows_when_a_label_becomes_surer_or_less_sure(labels: Labels) -> None:
    await labels.add("fact", 0.4)

    await labels.change("fact", 0.9)
    assert await labels.kind() == "fact"

    await labels.change("fact", 0.1)
    assert await labels.kind() == "gotcha"


async def test_the_next_surest_takes_over_when_the_surest_is_removed(labels: Labels) -> None:
    await labels.add("fact", 0.9)
    await labels.add("decision", 0.8)
    await labels.remove("fact")

    assert await labels.kind() == "decision"


async def test_the_kind_stays_when_the_last_label_is_removed(labels: Labels) -> None:
    await labels.remove("gotcha")

    assert await labels.kind() == "gotcha"
