"""Vector spaces: the models that a process can embed with, and the one that its org searches and writes by."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from kapelle.domain.errors import Unavailable
from kapelle.providers.embeddings import Embedder, EmbeddingFailed, QueryVectors, Vector, open_alias
from kapelle.settings import Settings
from kapelle.store import models
from kapelle.store.models import Model
from kapelle.store.pool import Pool, tenant

log = logging.getLogger(__name__)

# A process hears of a change of models this much later at most, while it is in use; the rest is spared the question.
FRESH_SECONDS = 2.0
# Older knowledge is not used even once.
STALE_SECONDS = 60.0
# How long a request of the backfill may take: nobody waits for it, and long texts have many parts.
PATIENT_SECONDS = 40.0

Opening = Callable[[Settings, str, float], Embedder]


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """One model that this process reaches. Its vectors compare with each other and with no others."""

    alias: str
    embedder: Embedder
    # The same with a longer time limit.
    patient: Embedder
    queries: QueryVectors

    def is_of(self, model: str) -> bool:
        """Tell whether this is the space of a model; its dimensions count once they are known."""
        own, _, dimensions = self.embedder.model.rpartition(":")
        name, _, wanted = model.rpartition(":")
        return own == name and dimensions in {"?", wanted}


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query's vector and the model that it is of."""

    vector: Vector
    model: str


class Spaces:
    """The spaces of one org. `KAPELLE_EMBED_ALIAS` names the wanted one; another one is active until it is covered."""

    def __init__(
        self,
        settings: Settings,
        pool: Pool,
        *,
        opening: Opening = open_alias,
        orgs: "dict[str, Spaces] | None" = None,
        opened: dict[str, Space] | None = None,
    ) -> None:
        self._settings = settings
        self._orgs = {} if orgs is None else orgs
        self._orgs[settings.org] = self
        self._pool = pool
        self._opening = opening
        self._introduced: Model | None = None
        self._opened = {} if opened is None else opened
        self._active: Model | None = None
        self._asked_at = float("-inf")
        self._asking: asyncio.Task[None] | None = None
        self.wanted = self._open(settings.embed_alias)

    def of(self, org_id: str) -> "Spaces":
        """Return the spaces of another org, which share their models with these."""
        if org_id in self._orgs:
            return self._orgs[org_id]
        settings = replace(self._settings, org=org_id)
        return Spaces(settings, self._pool, opening=self._opening, orgs=self._orgs, opened=self._opened)

    async def current(self) -> Space | None:
        """Return the space that searches and writes go by, None where no embeddings are configured.

        The wanted one stands in for an active one that this process cannot reach.
        """
        if self.wanted is None:
            return None
        await self._refresh()
        active = self._active
        if active is None or self.wanted.is_of(active.model):
            return self.wanted
        space = self._open(active.alias)
        return space if space is not None and space.is_of(active.model) else self.wanted

    async def query(self, text: str) -> Query | None:
        """Return the vector of a query, None without embeddings.

        Raises:
            EmbeddingFailed: as `QueryVectors.vector`.
        """
        space = await self.current()
        if space is None:
            return None
        vector = await space.queries.vector(text)
        return Query(vector=vector, model=space.queries.model)

    async def warm_up(self) -> None:
        """Get the current space ready, and let the wanted one be known once it has answered.

        Raises:
            EmbeddingFailed: as `Embedder.warm_up`.
        """
        current = await self.current()
        if current is not None and current is not self.wanted:
            await current.embedder.warm_up()
        await self.introduce()

    async def introduce(self) -> Model:
        """Embed a word in the wanted space, record its model, and return it.

        Raises:
            EmbeddingFailed: no embedder is configured, or it does not answer.
            Unavailable: the database does not answer.
        """
        if self.wanted is None:
            raise EmbeddingFailed("no embedder is configured (KAPELLE_EMBED_ALIAS)", permanent=True)
        if self._introduced is not None:
            return self._introduced
        await self.wanted.embedder.warm_up()
        model = Model(model=self.wanted.embedder.model, alias=self.wanted.alias)
        async with tenant(self._pool, self._settings.org) as conn:
            await models.know(conn, org_id=self._settings.org, model=model)
        self._introduced = model
        return model

    def reach(self, model: Model) -> Space | None:
        """Return the space of a model if this process reaches it under its alias."""
        space = self._open(model.alias)
        return space if space is not None and space.is_of(model.model) else None

    def forget(self) -> None:
        """Ask the database anew before the next use."""
        self._asked_at = float("-inf")

    def _open(self, alias: str) -> Space | None:
        if alias and alias not in self._opened:
            embedder = self._opening(self._settings, alias, self._settings.embed_seconds)
            self._opened[alias] = Space(
                alias=alias,
                embedder=embedder,
                patient=self._opening(self._settings, alias, PATIENT_SECONDS),
                queries=QueryVectors(embedder),
            )
        return self._opened.get(alias)

    async def _refresh(self) -> None:
        """Learn which model is active: beside the work if what is known may still serve, before it if not."""
        age = asyncio.get_running_loop().time() - self._asked_at
        if age < FRESH_SECONDS:
            return
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        if age > STALE_SECONDS:
            await asyncio.wait({self._asking})

    async def _ask(self) -> None:
        self._asked_at = asyncio.get_running_loop().time()
        try:
            async with tenant(self._pool, self._settings.org) as conn:
                self._active = await models.active(conn, org_id=self._settings.org)
        except Unavailable:
            log.warning("the active model could not be read")
