"""Gets the embedder ready beside everything else: its library or its model takes a while to load."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from kapelle.domain.errors import Unavailable
from kapelle.providers.embeddings import EmbeddingFailed
from kapelle.spaces import Spaces

log = logging.getLogger(__name__)

# The bundled model is there in less, so that the first write has a vector; a slow one must not hold up the start.
START_SECONDS = 3.0


@contextlib.asynccontextmanager
async def warming(spaces: Spaces) -> AsyncIterator[None]:
    """Warm the embedder up, if there is one: a moment before the context begins, then beside it."""
    if spaces.wanted is None:
        yield
        return
    task = asyncio.create_task(_warm(spaces))
    try:
        await asyncio.wait({task}, timeout=START_SECONDS)
        yield
    finally:
        task.cancel()


async def _warm(spaces: Spaces) -> None:
    try:
        await spaces.warm_up()
    except (EmbeddingFailed, Unavailable) as failed:
        log.warning("the embedder does not work; search goes by words", extra={"reason": failed.message})
    else:
        log.info("the embedder is ready", extra={"model": spaces.wanted.embedder.model if spaces.wanted else ""})
