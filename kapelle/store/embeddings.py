"""Vectors beside the entries: stored by model and part, counted, and dropped."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from kapelle.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorRow:
    """The vector of one part of an entry, parts numbered from 0."""

    team_id: int
    memory_id: int
    model: str
    part: int
    vector: Sequence[float]


STORE: LiteralString = """
insert into ibex_core.memory_embeddings as e (org_id, team_id, model, memory_id, part, live, embedding)
select $1, v.team_id, v.model, v.memory_id, v.part, s.live, v.embedding::halfvec
from unnest($2::bigint[], $3::bigint[], $4::text[], $5::smallint[], $6::text[])
    as v (team_id, memory_id, model, part, embedding)
join (
    -- Locked, so that an entry retired meanwhile cannot stay among the live ones.
    select team_id, memory_id, live from ibex_core.memory_search
    where org_id = $1 and team_id = any($2) and memory_id = any($3)
    for share
) as s on s.team_id = v.team_id and s.memory_id = v.memory_id
on conflict (org_id, team_id, model, memory_id, part) do update set embedding = excluded.embedding, live = excluded.live
"""


async def store(conn: Connection, *, org_id: str, rows: Sequence[VectorRow]) -> None:
    """Store vectors, all in one statement; repeating it changes nothing. Those of entries that are gone are dropped."""
    await conn.execute(
        STORE,
        org_id,
        [row.team_id for row in rows],
        [row.memory_id for row in rows],
        [row.model for row in rows],
        [row.part for row in rows],
        # As text: the driver's codec for vectors does not reach into arrays.
        ["[" + ",".join(map(repr, row.vector)) + "]" for row in rows],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """An entry without a vector of the model asked about."""

    team_id: int
    memory_id: int
    title: str
    body: str


MISSING: LiteralString = """
select m.team_id, m.id, m.title, m.body
from ibex_core.memories as m
where m.org_id = $1 and m.team_id = $2 and m.id > $4
  and not exists (
      select from ibex_core.memory_embeddings as e
      where e.org_id = $1 and e.team_id = $2 and e.model = $3 and e.memory_id = m.id
  )
order by m.id
limit $5
"""


async def missing(
    conn: Connection, *, org_id: str, team_id: int, model: str, after: int, limit: int
) -> tuple[Missing, ...]:
    """Return the next entries of a team, by id from `after`, that have no vector of `model`."""
    rows = await conn.fetch(MISSING, org_id, team_id, model, after, limit)
    return tuple(
        Missing(team_id=row["team_id"], memory_id=row["id"], title=row["title"], body=row["body"]) for row in rows
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many of a team's entries have a vector of `model`."""

    model: str
    embedded: int
    entries: int


COVERAGE: LiteralString = """
select e.model, count(distinct e.memory_id) as embedded,
       (select count(*) from ibex_core.memories as m where m.org_id = $1 and m.team_id = $2) as entries
from ibex_core.memory_embeddings as e
where e.org_id = $1 and e.team_id = $2
group by e.model
order by e.model
"""


async def coverage(conn: Connection, *, org_id: str, team_id: int) -> tuple[Coverage, ...]:
    """Return each model that a team's entries have vectors of."""
    rows = await conn.fetch(COVERAGE, org_id, team_id)
    return tuple(Coverage(model=row["model"], embedded=row["embedded"], entries=row["entries"]) for row in rows)


DROP: LiteralString = """
delete from ibex_core.memory_embeddings where org_id = $1 and team_id = $2 and model = $3
"""


async def drop(conn: Connection, *, org_id: str, team_id: int, model: str) -> int:
    """Delete a team's vectors of one model, and return how many there were."""
    tag = await conn.execute(DROP, org_id, team_id, model)
    return int(tag.rsplit(" ", 1)[-1])
