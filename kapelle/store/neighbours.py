"""What is close to a new text, superseded and expired entries included: for the write path, never for a door."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kapelle.domain.entries import Entry, Status
from kapelle.domain.rules import terms
from kapelle.store import search_history
from kapelle.store.entries import entry_of
from kapelle.store.pool import Connection
from kapelle.store.search import SearchRequest

# A near copy shares most words, so that some of the longest, which are the rare ones more often than not, find it.
TELLING_WORDS = 12
MOST_NEIGHBOURS = 5

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text whose neighbours are looked for in its team. `vector` is of the model that `near` is asked for."""

    team_id: int
    text: str
    vector: Sequence[float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An entry near a text. `cosine` is None where there are no vectors to compare."""

    entry: Entry
    current: bool
    cosine: float | None


async def near(
    conn: Connection, *, org_id: str, texts: Sequence[Text], model: str
) -> tuple[tuple[Neighbour, ...], ...]:
    """Return for each text the entries that are most like it, whether current or historical: a few, the likest first.

    Without vectors this is one statement for all texts.
    """
    by_words = [position for position, text in enumerate(texts) if text.vector is None]
    found = await _by_words(conn, org_id, [texts[position] for position in by_words])
    near_by: dict[int, tuple[Neighbour, ...]] = dict(zip(by_words, found, strict=True))
    for position, text in enumerate(texts):
        if text.vector is not None:
            near_by[position] = await _by_meaning(conn, org_id, text, model)
    return tuple(near_by[position] for position in range(len(texts)))


async def _by_meaning(conn: Connection, org_id: str, text: Text, model: str) -> tuple[Neighbour, ...]:
    hits = await search_history.find_with_history(
        conn,
        SearchRequest(
            org_id=org_id,
            team_id=text.team_id,
            query=" ".join(_telling(text.text)),
            vector=text.vector,
            model=model,
            limit=MOST_NEIGHBOURS,
            min_score=0.0,
        ),
    )
    return tuple(Neighbour(entry=hit.entry, current=hit.current, cosine=hit.why.cosine) for hit in hits)


NEAR = """
select d.place, e.*
from unnest($2::integer[], $3::bigint[], $4::text[]) as d (place, team_id, words)
cross join lateral unnest(ibex_core.near_memories($1, d.team_id, string_to_array(d.words, ' '), $5))
    with ordinality as c (id, rank)
cross join lateral (
    select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at, s.current
    from ibex_core.memories as m
    join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
    where m.org_id = $1 and m.team_id = d.team_id and m.id = c.id and m.visibility = 'team'
    offset 0
) as e
order by d.place, c.rank
"""


async def _by_words(conn: Connection, org_id: str, texts: Sequence[Text]) -> tuple[tuple[Neighbour, ...], ...]:
    if not texts:
        return ()
    rows = await conn.fetch(
        NEAR,
        org_id,
        list(range(len(texts))),
        [text.team_id for text in texts],
        [" ".join(terms.query_words(" ".join(_telling(text.text)))) for text in texts],
        MOST_NEIGHBOURS,
    )
    found: list[list[Neighbour]] = [[] for _ in texts]
    for row in rows:
        found[row["place"]].append(Neighbour(entry=entry_of(row), current=row["current"], cosine=None))
    return tuple(map(tuple, found))


def _telling(text: str) -> list[str]:
    words = dict.fromkeys(_WORD.findall(text.casefold()))
    return sorted(words, key=len, reverse=True)[:TELLING_WORDS]


LATEST = "select coalesce(max(id), 0) from ibex_core.memories where org_id = $1 and team_id = $2"


async def latest(conn: Connection, *, org_id: str, team_id: int) -> int:
    """Return the id of a team's newest entry; ids of a team grow in the order in which its entries are committed."""
    entry_id: int = await conn.fetchval(LATEST, org_id, team_id)
    return entry_id


NEWER = """
select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at
from ibex_core.memories as m
join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
where m.org_id = $1 and m.team_id = $2 and m.id > $3 and s.current and m.visibility = 'team'
  and m.status <> 'quarantined' and (m.valid_until is null or m.valid_until > clock_timestamp())
order by m.id
"""


async def newer(conn: Connection, *, org_id: str, team_id: int, than: int) -> tuple[Entry, ...]:
    """Return the entries that may be read now that a team got since its newest one was `than`."""
    return tuple(map(entry_of, await conn.fetch(NEWER, org_id, team_id, than)))


LIVE = """
select s.memory_id, s.status
from ibex_core.memory_search as s
join ibex_core.memories as m on m.org_id = s.org_id and m.team_id = s.team_id and m.id = s.memory_id
where s.org_id = $1 and s.team_id = any($2::bigint[]) and s.memory_id = any($3::bigint[]) and s.live
  and (m.valid_until is null or m.valid_until > clock_timestamp())
"""


async def still_current(
    conn: Connection, *, org_id: str, team_ids: Sequence[int], entry_ids: Sequence[int]
) -> dict[int, Status]:
    """Return the status of those of these entries that may be read now: neither superseded, expired nor quarantined."""
    rows = await conn.fetch(LIVE, org_id, list(team_ids), list(entry_ids))
    return {row["memory_id"]: Status(row["status"]) for row in rows}
