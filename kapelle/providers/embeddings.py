"""Embeddings: the protocol, the embedder that the settings name, whole entries by parts, queries from a cache."""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from kapelle.providers import embed_config, embed_parts
from kapelle.providers.embed_litellm import LiteLLMEmbedder
from kapelle.providers.embed_local import PROVIDER, LocalEmbedder
from kapelle.providers.embed_vectors import EmbeddingFailed, Vector
from kapelle.settings import Settings

__all__ = ["Embedder", "EmbeddingFailed", "QueryVectors", "Vector", "embed_entries", "open_alias", "open_embedder"]

_log = logging.getLogger(__name__)


class Embedder(Protocol):
    """Makes vectors of texts. Only vectors of the same `model` compare."""

    # Tokens of one part of a text.
    window: int

    @property
    def model(self) -> str:
        """The model with its dimensions; final once `embed` or `warm_up` has answered."""
        ...

    async def warm_up(self) -> None:
        """Do what is slow the first time. Raises as `embed`."""
        ...

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return one vector a text, in order, or raise `EmbeddingFailed` within the time limit."""
        ...


class MisnamedEmbedder:
    """Stands for an alias that cannot be used: the product runs on words, and every attempt says why."""

    window = 512
    model = ""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    async def warm_up(self) -> None:
        """Raise the reason."""
        raise EmbeddingFailed(self.reason, permanent=True)

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Raise the reason."""
        raise EmbeddingFailed(f"{self.reason}; {len(texts)} texts have no vector", permanent=True)


def open_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of `KAPELLE_EMBED_ALIAS`, or None if it is unset. A wrong alias fails when it is used."""
    return open_alias(settings, settings.embed_alias, settings.embed_seconds) if settings.embed_alias else None


def open_alias(settings: Settings, name: str, seconds: float) -> Embedder:
    """Return the embedder of the alias `name`, given up on after `seconds`. A wrong alias fails when it is used."""
    try:
        alias = embed_config.read_alias(settings, name)
    except embed_config.BadAlias as error:
        _log.warning("no embeddings: %s", error)
        return MisnamedEmbedder(str(error))
    if alias.model.startswith(f"{PROVIDER}/"):
        return LocalEmbedder(alias, seconds=seconds)
    return LiteLLMEmbedder(alias, seconds=seconds)


async def embed_entries(embedder: Embedder, entries: Sequence[tuple[str, str]]) -> tuple[tuple[Vector, ...], ...]:
    """Return the vectors of each (title, body): one, or one a part where the text is longer than the model's window.

    Raises:
        EmbeddingFailed: as `Embedder.embed`.
    """
    parts = [embed_parts.split(title, body, embedder.window) for title, body in entries]
    vectors = iter(await embedder.embed([part for entry in parts for part in entry]))
    return tuple(tuple(next(vectors) for _ in entry) for entry in parts)


class QueryVectors:
    """Vectors of queries: the last are kept, a slow embedder is given up on, a failing one left alone for a while."""

    def __init__(
        self, embedder: Embedder, *, seconds: float = 1.0, size: int = 2048, rest_seconds: float = 5.0
    ) -> None:
        self._embedder = embedder
        self._seconds = seconds
        self._size = size
        self._rest = rest_seconds
        self._resting_until = 0.0
        self._kept: OrderedDict[bytes, Vector] = OrderedDict()

    @property
    def model(self) -> str:
        """The model of the vectors that `vector` has answered."""
        return self._embedder.model

    async def vector(self, text: str) -> Vector:
        """Return the vector of `text`; of its beginning, where it is longer than the model's window.

        Raises:
            EmbeddingFailed: within the time limit, and at once for a while after a failure.
        """
        beginning = embed_parts.first_part(text, self._embedder.window)
        key = hashlib.blake2b(beginning.encode("utf-8", "replace"), digest_size=16).digest()
        found = self._kept.get(key)
        if found is None:
            found = await self._ask(beginning)
            self._kept[key] = found
        self._kept.move_to_end(key)
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return found

    async def _ask(self, text: str) -> Vector:
        now = asyncio.get_running_loop().time()
        if now < self._resting_until:
            raise EmbeddingFailed("the embedder failed a moment ago", permanent=False)
        try:
            async with asyncio.timeout(self._seconds):
                (vector,) = await self._embedder.embed((text,))
        except TimeoutError:
            self._resting_until = now + self._seconds + self._rest
            raise EmbeddingFailed(f"the embedder took longer than {self._seconds:g} s", permanent=False) from None
        except EmbeddingFailed:
            self._resting_until = now + self._rest
            raise
        return vector
