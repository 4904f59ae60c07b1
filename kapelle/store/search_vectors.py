"""Vector indexes of large teams, built by maintenance as the schema's owner. Small teams are scanned exactly."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from kapelle.store.pool import SET_ORG, Connection, Row

# Live vectors up to which scanning a team takes about 12 ms and misses nothing. Above, an index of its own finds
# 99 % in a fifth of the time; an index shared by teams of different sizes would lose most of the small ones' hits.
EXACT_UP_TO = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeTeam:
    """A team and model with more vectors than are scanned exactly."""

    org_id: str
    team_id: int
    model: str
    dimensions: int


UNINDEXED: LiteralString = """
select e.org_id, e.team_id, e.model, min(vector_dims(e.embedding)) as dimensions
from ibex_core.search_teams as t
join ibex_core.memory_embeddings as e on e.org_id = t.org_id and e.team_id = t.team_id
-- Small teams are left out by a number that is there already; a long entry has several vectors.
where t.org_id = $1 and t.entries > $2 / 10 and e.live and not exists (
    select from ibex_core.vector_indexes as i
    where i.org_id = e.org_id and i.team_id = e.team_id and i.model = e.model
)
group by e.org_id, e.team_id, e.model
having count(*) > $2
order by e.org_id, e.team_id, e.model
"""


async def unindexed(owner: Connection, *, org_id: str, above: int = EXACT_UP_TO) -> tuple[LargeTeam, ...]:
    """Return the large teams of an org that have no index yet."""
    async with owner.transaction():
        # The owner is held by the policies too, unless it is a superuser.
        await owner.execute(SET_ORG, org_id)
        return _large(await owner.fetch(UNINDEXED, org_id, above))


OBSOLETE: LiteralString = """
select i.org_id, i.team_id, i.model, i.dimensions from ibex_core.vector_indexes as i
where i.org_id = $1 and not exists (
    select from ibex_core.memory_embeddings as e
    where e.org_id = i.org_id and e.team_id = i.team_id and e.model = i.model
)
order by i.org_id, i.team_id, i.model
"""


async def obsolete(owner: Connection, *, org_id: str) -> tuple[LargeTeam, ...]:
    """Return teams with an index of a model whose vectors are gone."""
    async with owner.transaction():
        await owner.execute(SET_ORG, org_id)
        return _large(await owner.fetch(OBSOLETE, org_id))


def _large(rows: Sequence[Row]) -> tuple[LargeTeam, ...]:
    return tuple(
        LargeTeam(org_id=row["org_id"], team_id=row["team_id"], model=row["model"], dimensions=row["dimensions"])
        for row in rows
    )


# The graph of 100,000 vectors fits; one that does not is built several times as slowly.
MEMORY = "select set_config('maintenance_work_mem', '512MB', false)"
BUILD: LiteralString = """
select format(
    'create index concurrently if not exists %1$I on ibex_core.memory_embeddings '
    'using hnsw ((embedding::halfvec(%2$s)) halfvec_cosine_ops) '
    'where org_id = %3$L and team_id = %4$s and model = %5$L and live',
    $1::text, $2::integer, $3::text, $4::bigint, $5::text
)
"""
REGISTER: LiteralString = """
insert into ibex_core.vector_indexes (org_id, team_id, model, dimensions) values ($1, $2, $3, $4)
on conflict (org_id, team_id, model) do update set dimensions = excluded.dimensions
"""


async def build(owner: Connection, team: LargeTeam) -> None:
    """Build a team's index, about 0.7 ms a vector on one core, without blocking writers; searches then use it."""
    name = _name(team)
    await owner.execute(MEMORY)
    # What an interrupted build left is invalid, and would be taken for the index.
    await owner.execute(f"drop index concurrently if exists ibex_core.{name}")
    await owner.execute(await owner.fetchval(BUILD, name, team.dimensions, team.org_id, team.team_id, team.model))
    async with owner.transaction():
        await owner.execute(SET_ORG, team.org_id)
        await owner.execute(REGISTER, team.org_id, team.team_id, team.model, team.dimensions)


UNREGISTER: LiteralString = """
delete from ibex_core.vector_indexes where org_id = $1 and team_id = $2 and model = $3
"""


async def drop(owner: Connection, team: LargeTeam) -> None:
    """Return to exact scans, then drop the index."""
    async with owner.transaction():
        await owner.execute(SET_ORG, team.org_id)
        await owner.execute(UNREGISTER, team.org_id, team.team_id, team.model)
    await owner.execute(f"drop index concurrently if exists ibex_core.{_name(team)}")


def _name(team: LargeTeam) -> str:
    return f"vectors_{team.team_id}_{hashlib.sha256(team.model.encode()).hexdigest()[:12]}"
