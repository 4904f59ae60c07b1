"""Embeddings through LiteLLM, which is imported late: it takes seconds, and only processes that embed need it."""

import asyncio
import importlib
import os
import threading
from collections.abc import Sequence
from typing import Any

from kapelle.providers.embed_config import Alias
from kapelle.providers.embed_vectors import EmbeddingFailed, Vector, checked

# LiteLLM reads these when it is imported: no price list, check or .env file is fetched or looked for.
_QUIET = {"LITELLM_OFFLINE_MODE": "true", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
# Of one request to the provider.
_BATCH = 64
# Statuses below 500 that pass by themselves: timeout, conflict, too early, too many requests.
_PASSING = frozenset({408, 409, 425, 429})


_importing = threading.Lock()


class LiteLLMEmbedder:
    """One alias of LiteLLM, with a time limit of its own."""

    def __init__(self, alias: Alias, *, seconds: float) -> None:
        self._alias = alias
        self._seconds = seconds
        self._dimensions = alias.dimensions
        self.window = alias.window

    @property
    def model(self) -> str:
        """The model and its dimensions, which are learnt from the first answer where the alias does not state them."""
        return f"{self._alias.model}:{self._dimensions or '?'}"

    async def warm_up(self) -> None:
        """Import LiteLLM and embed one word, without a time limit: the first import takes seconds, a model must load.

        Raises:
            EmbeddingFailed: as `embed`.
        """
        await asyncio.to_thread(_litellm, self._alias.providers)
        await self._request(("word",))

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return one vector for each text, in order.

        Raises:
            EmbeddingFailed: after the time limit, on a refusal, or if an answer cannot be trusted.
        """
        found: list[Vector] = []
        try:
            async with asyncio.timeout(self._seconds):
                for start in range(0, len(texts), _BATCH):
                    found.extend(await self._request(texts[start : start + _BATCH]))
        except TimeoutError:
            raise EmbeddingFailed(f"the embedder took longer than {self._seconds:g} s", permanent=False) from None
        return tuple(found)

    async def _request(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        litellm = await asyncio.to_thread(_litellm, self._alias.providers)
        try:
            answer = await litellm.aembedding(
                model=self._alias.model,
                input=list(texts),
                timeout=self._seconds,
                num_retries=0,
                max_retries=0,
                **_resolved(litellm, self._alias),
            )
            vectors = [item["embedding"] for item in sorted(answer.data, key=lambda item: int(item["index"]))]
        # A provider's library can raise anything, and none of it may pass, since it may quote the text.
        except Exception as error:  # noqa: BLE001
            raise _failure(error) from None
        found = checked(vectors, count=len(texts), dimensions=self._dimensions)
        self._dimensions = len(found[0]) if found else self._dimensions
        return found


def _failure(error: Exception) -> EmbeddingFailed:
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return EmbeddingFailed(f"the embedder failed ({type(error).__name__})", permanent=False)
    permanent = 400 <= status < 500 and status not in _PASSING
    return EmbeddingFailed(
        f"the embedder answered {status} ({type(error).__name__})",
        permanent=permanent,
        retry_after=None if permanent else _retry_after(error),
    )


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        # Missing, or a date, which the caller's own back-off serves as well.
        return None


def _resolved(litellm: Any, alias: Alias) -> dict[str, Any]:  # LiteLLM's parameters are of any type.
    """Return the alias's parameters with LiteLLM's `os.environ/NAME` references looked up by LiteLLM."""
    return {
        name: litellm.get_secret(value) if isinstance(value, str) and value.startswith("os.environ/") else value
        for name, value in alias.params.items()
    }


def _litellm(providers: tuple[tuple[str, str], ...]) -> Any:  # The module, which is untyped where we use it.
    # A caller that gave up leaves the import to its thread; the next one waits for it.
    with _importing:
        return _imported(providers)


def _imported(providers: tuple[tuple[str, str], ...]) -> Any:  # As above.
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)  # noqa: TID251 - LiteLLM takes it from nowhere else.
    litellm: Any = importlib.import_module("litellm")
    known = {item["provider"] for item in litellm.custom_provider_map}
    for provider, handler in providers:
        if provider not in known:
            module, _, attribute = handler.rpartition(".")
            loaded = getattr(importlib.import_module(module), attribute)
            litellm.custom_provider_map.append({"provider": provider, "custom_handler": loaded})
    litellm.suppress_debug_info = True
    # Retries are the caller's, who knows the limit; its OpenAI client takes a 0 that is passed for "not given".
    litellm.DEFAULT_MAX_RETRIES = 0
    return litellm
