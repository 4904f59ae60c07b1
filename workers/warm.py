"""Gets the embedder ready beside everything else: the first import of its library takes seconds."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from kapelle.providers.embeddings import Embedder, EmbeddingFailed

log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def warming(embedder: Embedder | None) -> AsyncIterator[None]:
    """Warm the embedder up in the background for as long as the context lasts, if there is one."""
    task = asyncio.create_task(_warm(embedder)) if embedder else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()


async def _warm(embedder: Embedder) -> None:
    try:
        await embedder.warm_up()
    except EmbeddingFailed as failed:
        log.warning("the embedder does not work; search goes by words", extra={"reason": failed.message})
    else:
        log.info("the embedder is ready", extra={"model": embedder.model})
