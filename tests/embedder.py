"""An embedder that keeps the product's protocol and does as a test tells it, and spaces that are made of such ones."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kapelle.providers.embed_vectors import checked
from kapelle.providers.embeddings import Embedder, EmbeddingFailed, Vector
from kapelle.settings import Settings
from kapelle.spaces import Spaces
from kapelle.store.pool import Pool

ALIAS = "embed"


@dataclass(kw_only=True)
class FakeEmbedder:
    """Vectors by the words of a text: texts that share words are near each other, in each model in another way."""

    name: str = "fake/one"
    dimensions: int = 16
    window: int = 256
    # Raised by the next calls, one each.
    failures: list[EmbeddingFailed] = field(default_factory=list)
    # While set, every call fails so.
    down: EmbeddingFailed | None = None
    # Words that make the model refuse a text for good.
    refused: frozenset[str] = frozenset()
    # Every text that was embedded, in order.
    embedded: list[str] = field(default_factory=list)
    on_embed: Callable[[Sequence[str]], None] = lambda _: None
    # Cleared to hold calls up.
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.open.set()

    @property
    def model(self) -> str:
        return f"{self.name}:{self.dimensions}"

    async def warm_up(self) -> None:
        if self.down:
            raise self.down

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        await self.open.wait()
        if self.failures:
            raise self.failures.pop(0)
        if self.down:
            raise self.down
        if any(word in text for text in texts for word in self.refused):
            raise EmbeddingFailed("the embedder answered 400", permanent=True)
        self.embedded.extend(texts)
        self.on_embed(texts)
        return checked([self._vector(text) for text in texts], count=len(texts), dimensions=self.dimensions)

    def _vector(self, text: str) -> list[float]:
        vector = [0.001] * self.dimensions
        for word in text.casefold().split():
            digest = hashlib.sha256(f"{self.name} {word}".encode()).digest()
            vector[digest[0] % self.dimensions] += 1.0
        return vector


def spaces_of(settings: Settings, pool: Pool, embedders: Mapping[str, FakeEmbedder]) -> Spaces:
    """Return spaces whose aliases are these embedders; the settings name the wanted one."""

    def opening(_settings: Settings, alias: str, _seconds: float) -> Embedder:
        return embedders[alias]

    return Spaces(settings, pool, opening=opening)
