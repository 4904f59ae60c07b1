"""The bundled model without LiteLLM's machinery, whose import takes many times as long as loading the model."""

import asyncio
import importlib
from collections.abc import Sequence
from types import ModuleType

from kapelle.providers.embed_config import Alias
from kapelle.providers.embed_vectors import EmbeddingFailed, Vector, checked

# What a LiteLLM configuration calls the provider of the bundled model.
PROVIDER = "kapelle-local"
_DIMENSIONS = 384
_WINDOW = 256


class LocalEmbedder:
    """The bundled model, in this process. There is one, whatever the alias calls it."""

    def __init__(self, alias: Alias, *, seconds: float) -> None:
        self.model = f"{alias.model}:{_DIMENSIONS}"
        self.window = min(alias.window, _WINDOW)
        self._seconds = seconds

    async def warm_up(self) -> None:
        """Load the model and embed one word, without a time limit.

        Raises:
            EmbeddingFailed: as `embed`.
        """
        await self._embedded(("word",))

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return one vector for each text, in order.

        Raises:
            EmbeddingFailed: after the time limit, or if the model is not installed.
        """
        try:
            async with asyncio.timeout(self._seconds):
                return await self._embedded(texts)
        except TimeoutError:
            raise EmbeddingFailed(f"the embedder took longer than {self._seconds:g} s", permanent=False) from None

    async def _embedded(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Embed text by text, so that a short query need not wait for a long batch."""
        loop = asyncio.get_running_loop()
        try:
            minilm = await asyncio.to_thread(_minilm)
            vectors = [await loop.run_in_executor(minilm.cpu, minilm.embed, text) for text in texts]
        except (ImportError, OSError) as error:
            raise EmbeddingFailed(
                f"the bundled model cannot be loaded ({type(error).__name__})", permanent=True
            ) from None
        return checked(vectors, count=len(texts), dimensions=_DIMENSIONS)


def _minilm() -> ModuleType:
    """Import the model's runtime late: half a second, which processes that do not embed need not wait."""
    return importlib.import_module("kapelle.providers.embed_minilm")
