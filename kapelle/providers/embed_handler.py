"""The local model as a provider of LiteLLM, for a LiteLLM that serves it to others, such as its proxy."""

import asyncio
from typing import Any

from litellm.llms.custom_llm import CustomLLM
from litellm.types.utils import EmbeddingResponse

from kapelle.providers import embed_minilm


class LocalProvider(CustomLLM):
    """LiteLLM's way to an own provider. Only the asynchronous call, which is the one that its proxy makes."""

    async def aembedding(
        self,
        model: str,
        input: list[str],  # noqa: A002 - LiteLLM's name
        model_response: EmbeddingResponse,
        *_: Any,
        **__: Any,
    ) -> EmbeddingResponse:
        """Embed in a thread, text by text, so that a short query need not wait for a long batch."""
        loop = asyncio.get_running_loop()
        vectors = [await loop.run_in_executor(embed_minilm.cpu, embed_minilm.embed, text) for text in input]
        model_response.model = model
        model_response.data = [
            {"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)
        ]
        return model_response


handler = LocalProvider()
