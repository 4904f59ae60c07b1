"""The models that an org's vectors are of, how much each covers, and which one searches and writes go by."""

from dataclasses import dataclass

from kapelle.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model with its dimensions, and the alias by which a process reaches it."""

    model: str
    alias: str


ACTIVE = "select e.model, e.alias from ibex_core.embedding_models as e where e.org_id = $1 and e.active"


async def active(conn: Connection, *, org_id: str) -> Model | None:
    """Return the model that searches and writes go by, None before the first one has answered."""
    row = await conn.fetchrow(ACTIVE, org_id)
    return None if row is None else Model(model=row["model"], alias=row["alias"])


KNOW = """
insert into ibex_core.embedding_models as e (org_id, model, alias) values ($1, $2, $3)
on conflict (org_id, model) do update set alias = excluded.alias where e.alias <> excluded.alias
"""
BEGIN = """
update ibex_core.embedding_models as e
set active = true, activated_at = now(), activated_by = 'the first model'
where e.org_id = $1 and e.model = $2 and not exists (
    select from ibex_core.embedding_models as other where other.org_id = $1 and other.active
)
"""


async def know(conn: Connection, *, org_id: str, model: Model) -> None:
    """Record a model that has answered; an org's first one becomes active at once."""
    await conn.execute(LOCK, org_id)
    await conn.execute(KNOW, org_id, model.model, model.alias)
    await conn.execute(BEGIN, org_id, model.model)


# Changes of an org's models wait for each other.
LOCK = "select pg_advisory_xact_lock(hashtextextended('embedding models ' || $1, 0))"
DEACTIVATE = "update ibex_core.embedding_models set active = false where org_id = $1 and active and model <> $2"
ACTIVATE = """
update ibex_core.embedding_models set active = true, activated_at = now(), activated_by = $3
where org_id = $1 and model = $2 and not active
"""


async def activate(conn: Connection, *, org_id: str, model: str, by: str) -> None:
    """Let searches and writes go by another known model from the commit on."""
    await conn.execute(LOCK, org_id)
    await conn.execute(DEACTIVATE, org_id, model)
    await conn.execute(ACTIVATE, org_id, model, by)


MAY_FOLLOW = """
select exists (
    select from ibex_core.embedding_models as e where e.org_id = $1 and e.model = $2 and e.activated_at is null
) and not exists (
    select from ibex_core.memories as m where m.org_id = $1 and not exists (
        select from ibex_core.memory_embeddings as v
        where v.org_id = $1 and v.team_id = m.team_id and v.model = $2 and v.memory_id = m.id
    )
)
"""


async def activate_if_complete(conn: Connection, *, org_id: str, model: str, by: str) -> bool:
    """Let searches go by a model that covers every entry, unless it ever was active: then people decide."""
    await conn.execute(LOCK, org_id)
    follows: bool = await conn.fetchval(MAY_FOLLOW, org_id, model)
    if follows:
        await activate(conn, org_id=org_id, model=model, by=by)
    return follows


FORGET = "delete from ibex_core.embedding_models where org_id = $1 and model = $2 and not active"


async def forget(conn: Connection, *, org_id: str, model: str) -> None:
    """Strike an inactive model off the list."""
    await conn.execute(FORGET, org_id, model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Covering:
    """One model of an org: how many of its entries have a vector of it. `alias` is empty if nobody knows it now."""

    model: str
    alias: str
    active: bool
    # Whether it was active at any time.
    was_active: bool
    embedded: int
    entries: int

    @property
    def complete(self) -> bool:
        return self.embedded >= self.entries


COVERAGE = """
select coalesce(e.model, v.model) as model, coalesce(e.alias, '') as alias, coalesce(e.active, false) as active,
       e.activated_at is not null as was_active, coalesce(v.embedded, 0) as embedded,
       (select count(*) from ibex_core.memories as m where m.org_id = $1) as entries
from (select * from ibex_core.embedding_models as k where k.org_id = $1) as e
full join (
    select m.model, count(distinct m.memory_id) as embedded
    from ibex_core.memory_embeddings as m where m.org_id = $1 group by m.model
) as v on v.model = e.model
order by coalesce(e.active, false) desc, 1
"""


async def coverage(conn: Connection, *, org_id: str) -> tuple[Covering, ...]:
    """Return every model that is known or has vectors, the active one first, over all of the org's teams."""
    return tuple(Covering(**dict(row)) for row in await conn.fetch(COVERAGE, org_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """How many entries there are, and how many of them lack a vector of a model."""

    entries: int
    missing: int


LACK = """
select count(*) as entries, count(*) filter (where not exists (
    select from ibex_core.memory_embeddings as e
    where e.org_id = $1 and e.team_id = m.team_id and e.model = $3 and e.memory_id = m.id
)) as missing
from ibex_core.memories as m
where m.org_id = $1 and ($2::bigint is null or m.team_id = $2)
"""


async def lack(conn: Connection, *, org_id: str, team_id: int | None, model: str) -> Lack:
    """Count the entries of a team, or of all teams, that lack a vector of `model`."""
    row = await conn.fetchrow(LACK, org_id, team_id, model)
    assert row is not None, "an aggregate always has a row"
    return Lack(entries=row["entries"], missing=row["missing"])


TRY_BACKFILL = "select pg_try_advisory_xact_lock(hashtextextended('backfill ' || $1, 0))"


async def take_backfill_turn(conn: Connection, *, org_id: str) -> bool:
    """Keep other backfills of the org out until the transaction ends; False if one is at work."""
    free: bool = await conn.fetchval(TRY_BACKFILL, org_id)
    return free


TEAMS = """
select t.team_id from ibex_core.teams as t
where t.org_id = $1 and ($2::bigint is null or t.team_id = $2) and exists (
    select from ibex_core.memories as m
    where m.org_id = t.org_id and m.team_id = t.team_id and not exists (
        select from ibex_core.memory_embeddings as e
        where e.org_id = $1 and e.team_id = t.team_id and e.model = $3 and e.memory_id = m.id
    )
)
order by t.team_id
"""


async def incomplete_teams(conn: Connection, *, org_id: str, team_id: int | None, model: str) -> tuple[int, ...]:
    """Return the teams, or the one asked about, with an entry that lacks a vector of `model`."""
    return tuple(row["team_id"] for row in await conn.fetch(TEAMS, org_id, team_id, model))
