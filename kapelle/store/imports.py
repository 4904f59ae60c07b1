"""The lines of imports: what waits, and what became of each."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from kapelle.domain.portable import Reference
from kapelle.store.pool import Connection

# What one transaction stores: enough to share its cost, and little beside the limits of the servers.
BATCH_LINES = 200
BATCH_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLine:
    """A line to record. `staged` is what waits of it, or None if its end is known already."""

    line: int
    digest: bytes
    name: str
    links: tuple[Reference, ...]
    state: str
    entry_id: int | None = None
    reason: str = ""
    staged: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What became of one line: created, duplicate, refused or failed."""

    line: int
    state: str
    entry_id: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many lines an import has, and how many of those that arrived are in each state."""

    lines: int
    by_state: dict[str, int]


BEGIN = """
insert into ibex_core.imports (org_id, team_id, import_id, source, lines) values ($1, $2, $3, $4, $5)
on conflict (org_id, team_id, import_id) do nothing
"""


async def begin(conn: Connection, *, org_id: str, team_id: int, import_id: str, source: str, lines: int) -> None:
    """Record an import, unless it has begun before."""
    await conn.execute(BEGIN, org_id, team_id, import_id, source, lines)


# What was refused or failed is judged again when it is sent again; everything else stays as it is.
STAGE = """
insert into ibex_core.import_lines as l
    (org_id, team_id, import_id, line, digest, name, links, state, entry_id, reason, staged)
select $1, $2, $3, r.line, r.digest, r.name, r.links -> 'links', r.state, r.entry_id, r.reason, r.staged
from unnest(
    $4::integer[], $5::bytea[], $6::text[], $7::jsonb[], $8::text[], $9::bigint[], $10::text[], $11::bytea[]
) as r (line, digest, name, links, state, entry_id, reason, staged)
on conflict (org_id, team_id, import_id, line) do update
    set digest = excluded.digest, name = excluded.name, links = excluded.links, state = excluded.state,
        entry_id = excluded.entry_id, reason = excluded.reason, staged = excluded.staged
    where l.state in ('refused', 'failed')
"""


async def stage(conn: Connection, *, org_id: str, team_id: int, import_id: str, lines: Sequence[NewLine]) -> None:
    """Record lines, all in one statement. Repeating it changes nothing of lines that wait or were stored."""
    await conn.execute(
        STAGE,
        org_id,
        team_id,
        import_id,
        [line.line for line in lines],
        [line.digest for line in lines],
        [line.name or None for line in lines],
        # In an object, since the driver takes a list in a list for an array of more dimensions.
        [{"links": [asdict(link) for link in line.links]} for line in lines],
        [line.state for line in lines],
        [line.entry_id for line in lines],
        [line.reason for line in lines],
        [line.staged for line in lines],
    )


KNOWN = """
select distinct on (l.digest) l.digest, l.entry_id
from ibex_core.import_lines as l
join ibex_core.memories as m on m.org_id = l.org_id and m.team_id = l.team_id and m.id = l.entry_id
where l.org_id = $1 and l.team_id = $2 and l.digest = any($4::bytea[]) and l.entry_id is not null
  and l.import_id <> $3
order by l.digest, l.entry_id
"""


async def known(
    conn: Connection, *, org_id: str, team_id: int, import_id: str, digests: Sequence[bytes]
) -> dict[bytes, int]:
    """Return which of these lines came with another import before: by digest, the entry that is still there."""
    rows = await conn.fetch(KNOWN, org_id, team_id, import_id, list(digests))
    return {row["digest"]: row["entry_id"] for row in rows}


# A window's sum costs nothing beside reading the lines, and keeps a batch of long ones small.
NEXT = """
select w.line from (
    select l.line, sum(octet_length(l.staged)) over (order by l.line) as size
    from (
        select line, staged from ibex_core.import_lines
        where org_id = $1 and team_id = $2 and import_id = $3 and state = 'waiting'
        order by line limit $4
    ) as l
) as w
where w.size <= $5 or w.line = (
    select min(line) from ibex_core.import_lines
    where org_id = $1 and team_id = $2 and import_id = $3 and state = 'waiting'
)
order by w.line
"""


async def waiting(conn: Connection, *, org_id: str, team_id: int, import_id: str) -> tuple[int, ...]:
    """Return the numbers of the next lines that wait, as many as one batch holds."""
    rows = await conn.fetch(NEXT, org_id, team_id, import_id, BATCH_LINES, BATCH_BYTES)
    return tuple(row["line"] for row in rows)


STAGED = """
select line, staged from ibex_core.import_lines
where org_id = $1 and team_id = $2 and import_id = $3 and line = any($4::integer[]) and state = 'waiting'
order by line
"""


async def staged(
    conn: Connection, *, org_id: str, team_id: int, import_id: str, lines: Sequence[int]
) -> dict[int, bytes]:
    """Return what waits of these lines, by line, in the order of the file."""
    rows = await conn.fetch(STAGED, org_id, team_id, import_id, list(lines))
    return {row["line"]: row["staged"] for row in rows}


END = """
update ibex_core.import_lines as l
set state = r.state, entry_id = r.entry_id, reason = r.reason, staged = null
from unnest($4::integer[], $5::text[], $6::bigint[], $7::text[]) as r (line, state, entry_id, reason)
where l.org_id = $1 and l.team_id = $2 and l.import_id = $3 and l.line = r.line and l.state = 'waiting'
"""


async def end(conn: Connection, *, org_id: str, team_id: int, import_id: str, ended: Sequence[Ended]) -> None:
    """Record what became of lines that wait, and drop their text."""
    await conn.execute(
        END,
        org_id,
        team_id,
        import_id,
        [line.line for line in ended],
        [line.state for line in ended],
        [line.entry_id for line in ended],
        [line.reason for line in ended],
    )


COUNT = """
select i.lines, l.state, count(l.line) as count
from ibex_core.imports as i
left join ibex_core.import_lines as l
    on l.org_id = i.org_id and l.team_id = i.team_id and l.import_id = i.import_id
where i.org_id = $1 and i.team_id = $2 and i.import_id = $3
group by i.lines, l.state
"""


async def counts(conn: Connection, *, org_id: str, team_id: int, import_id: str) -> Counts | None:
    """Return how far an import has come, None if there is no such import."""
    rows = await conn.fetch(COUNT, org_id, team_id, import_id)
    if not rows:
        return None
    return Counts(lines=rows[0]["lines"], by_state={row["state"]: row["count"] for row in rows if row["state"]})


REPORT = """
select line, state, entry_id, reason from ibex_core.import_lines
where org_id = $1 and team_id = $2 and import_id = $3 and line > $4 and state <> 'waiting'
order by line limit $5
"""


async def report(
    conn: Connection, *, org_id: str, team_id: int, import_id: str, after: int, limit: int
) -> tuple[Ended, ...]:
    """Return what became of the lines after a number, in the order of the file."""
    rows = await conn.fetch(REPORT, org_id, team_id, import_id, after, limit)
    return tuple(
        Ended(line=row["line"], state=row["state"], entry_id=row["entry_id"], reason=row["reason"]) for row in rows
    )


# An entry is superseded by a line only if it came as superseded: what is current here is not retired by an import.
# Step by step, since few lines have links and the planner takes them for many.
LINK = """
with l as materialized (
    select entry_id, links from ibex_core.import_lines
    where org_id = $1 and team_id = $2 and import_id = $3 and links <> '[]'::jsonb and entry_id is not null
), k as materialized (
    select distinct l.entry_id as from_id, k.kind, k."to" as name
    from l cross join lateral jsonb_to_recordset(l.links) as k (kind text, "to" text)
), t as materialized (
    select name, entry_id from ibex_core.import_lines
    where org_id = $1 and team_id = $2 and import_id = $3 and name = any(array(select distinct name from k))
      and entry_id is not null
), pairs as materialized (
    select k.kind, k.from_id, t.entry_id as to_id from k join t on t.name = k.name where k.from_id <> t.entry_id
), present as materialized (
    select m.id, s.current
    from unnest(array(select from_id from pairs union select to_id from pairs)) as e (id)
    join ibex_core.memories as m on m.org_id = $1 and m.team_id = $2 and m.id = e.id
    join ibex_core.memory_search as s on s.org_id = $1 and s.team_id = $2 and s.memory_id = e.id
)
insert into ibex_core.memory_relationships (org_id, kind, from_id, to_id)
select $1, p.kind, p.from_id, p.to_id
from pairs as p join present as a on a.id = p.from_id join present as b on b.id = p.to_id
where p.kind <> 'supersedes' or not b.current
on conflict do nothing
"""
SETTLED = """
with l as materialized (
    select entry_id from ibex_core.import_lines
    where org_id = $1 and team_id = $2 and import_id = $3 and links <> '[]'::jsonb and entry_id is not null
)
delete from ibex_core.memory_conflicts as c
using ibex_core.memory_relationships as r
where r.org_id = $1 and r.from_id = any(array(select entry_id from l)) and r.kind in ('supersedes', 'relates_to')
  and c.org_id = $1 and c.team_id = $2 and c.resolution is null
  and c.first_id = least(r.from_id, r.to_id) and c.second_id = greatest(r.from_id, r.to_id)
"""


async def link(conn: Connection, *, org_id: str, team_id: int, import_id: str) -> None:
    """Record the relationships that an import's lines name, and drop the doubts that these settle."""
    await conn.execute(LINK, org_id, team_id, import_id)
    await conn.execute(SETTLED, org_id, team_id, import_id)
