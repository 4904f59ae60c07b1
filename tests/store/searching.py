"""A team to search: entries with and without vectors, written as the product writes them."""

import hashlib
import itertools
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import asyncpg

from kapelle.domain.entries import Kind, Status
from kapelle.store import embeddings, search
from kapelle.store.pool import Pool, open_pool, tenant
from tests.stack import Database

MODEL = "model:8"
_counter = itertools.count()

INSERT = """
insert into ibex_core.memories
    (org_id, team_id, kind, title, body, tags, status, source, operation_id, salt, valid_from, valid_until, visibility,
     agent_id)
values ($1, $2, $3, $4, $5, $6, $7, 'person:ada', gen_random_uuid(), $8, coalesce($9, now()), $10, $11, $12)
returning id
"""


@dataclass(kw_only=True)
class Team:
    """One team of an org."""

    pool: Pool
    owner: "asyncpg.Connection[asyncpg.Record]"
    org_id: str
    team_id: int
    titles: dict[int, str] = field(default_factory=dict)

    async def remember(
        self,
        title: str,
        body: str = "",
        *,
        kind: Kind = Kind.FACT,
        status: Status = Status.CURATED,
        tags: Sequence[str] = (),
        vector: Sequence[float] | None = None,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        agent_id: int | None = None,
        same_text_as: str | None = None,
    ) -> int:
        """Store one entry, and return its id."""
        text = same_text_as or f"{title}\n{body}\n{next(_counter)}"
        async with tenant(self.pool, self.org_id) as conn:
            values: tuple[Any, ...] = (
                self.org_id, self.team_id, kind.value, title, body, list(tags), status.value, os.urandom(16),
                valid_from, valid_until, "agent" if agent_id else "team", agent_id,
            )  # fmt: skip
            memory_id: int = await conn.fetchval(INSERT, *values)
            row = search.IndexRow(
                memory_id=memory_id,
                team_id=self.team_id,
                status=status,
                title=title,
                body=body,
                tags=tuple(tags),
                text_hash=hashlib.sha256(text.encode()).digest(),
            )
            await search.index(conn, org_id=self.org_id, rows=[row])
            if vector is not None:
                await self._embed(conn, memory_id, vector)
        self.titles[memory_id] = title
        return memory_id

    async def embed(self, memory_id: int, vector: Sequence[float], *, model: str = MODEL, part: int = 0) -> None:
        """Give an entry a vector."""
        async with tenant(self.pool, self.org_id) as conn:
            await self._embed(conn, memory_id, vector, model=model, part=part)

    async def _embed(
        self, conn: Any, memory_id: int, vector: Sequence[float], *, model: str = MODEL, part: int = 0
    ) -> None:
        row = embeddings.VectorRow(team_id=self.team_id, memory_id=memory_id, model=model, part=part, vector=vector)
        await embeddings.store(conn, org_id=self.org_id, rows=[row])

    async def retire(self, memory_id: int) -> None:
        """Mark an entry as superseded."""
        async with tenant(self.pool, self.org_id) as conn:
            await search.retire(conn, org_id=self.org_id, team_id=self.team_id, memory_id=memory_id)

    async def delete(self, memory_id: int) -> None:
        """Delete an entry, and all that goes with it."""
        async with tenant(self.pool, self.org_id) as conn:
            await conn.execute("delete from ibex_core.memories where id = $1 and org_id = $2", memory_id, self.org_id)

    async def hits(self, query: str, **fields: Any) -> tuple[search.Hit, ...]:
        """Search the team; with a `vector`, it is taken to be of the tests' model unless another is named."""
        model = fields.pop("model", MODEL)
        request = search.SearchRequest(org_id=self.org_id, team_id=self.team_id, query=query, model=model, **fields)
        return await search.find(self.pool, request)

    async def found(self, query: str, **fields: Any) -> list[str]:
        """Return the titles that a search brings, in order."""
        return [hit.entry.title for hit in await self.hits(query, **fields)]

    async def counts(self) -> tuple[int, dict[int, int]]:
        """Return the team's number of entries, and in how many each term occurs, as search sees them."""
        entries = await self.owner.fetchval(
            "select coalesce(sum(entries), 0)::bigint from ibex_core.search_teams where team_id = $1", self.team_id
        )
        rows = await self.owner.fetch(
            "select term, entries from ibex_core.search_terms where team_id = $1", self.team_id
        )
        return entries, {row["term"]: row["entries"] for row in rows}

    async def true_counts(self) -> tuple[int, dict[int, int]]:
        """Return the same, counted afresh from the entries that a team's search can return."""
        rows = await self.owner.fetch(
            "select terms from ibex_core.memory_search where team_id = $1 and current"
            " and status in ('proposed', 'curated')",
            self.team_id,
        )
        totals: dict[int, int] = {}
        for row in rows:
            for term in row["terms"]:
                totals[term] = totals.get(term, 0) + 1
        return len(rows), totals


@asynccontextmanager
async def teams(database: Database, *slugs: str) -> AsyncIterator[tuple[Team, ...]]:
    """Open teams given as `org/slug`, on one pool of the product's role."""
    pool = await open_pool(database.product_dsn, 2)
    owner = await asyncpg.connect(database.owner_dsn)
    try:
        yield tuple([await _team(pool, owner, *slug.split("/")) for slug in slugs])
    finally:
        await owner.close()
        await pool.close()


async def _team(pool: Pool, owner: "asyncpg.Connection[asyncpg.Record]", org_id: str, slug: str) -> Team:
    await owner.execute("insert into ibex_core.organizations values ($1, $1) on conflict do nothing", org_id)
    team_id = await owner.fetchval(
        "insert into ibex_core.teams (org_id, slug, name) values ($1, $2, $2) returning team_id", org_id, slug
    )
    return Team(pool=pool, owner=owner, org_id=org_id, team_id=team_id)


def towards(axis: int, share: float = 1.0) -> list[float]:
    """Return a unit vector of eight dimensions whose cosine with the `axis` is `share`."""
    vector = [0.0] * 8
    vector[axis] = share
    vector[(axis + 1) % 8] = (1 - share**2) ** 0.5
    return vector
