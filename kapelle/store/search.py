"""Search: the narrow rows beside the entries, and the one statement that asks them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from pgvector import HalfVector

from kapelle.domain.entries import Entry, Kind, Status
from kapelle.domain.rules import ranking, terms
from kapelle.store.pool import Connection, Pool, Row

DEFAULT_LIMIT = 20
HIGHEST_LIMIT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """What search keeps of one entry. `text_hash` is the SHA-256 of the normalised text, 32 bytes."""

    memory_id: int
    team_id: int
    status: Status
    title: str
    body: str
    tags: tuple[str, ...]
    text_hash: bytes
    # False for what was superseded before it came here.
    current: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One search of a team. Without `vector` (of `model`) it goes by words alone."""

    org_id: str
    team_id: int
    query: str
    vector: Sequence[float] | None = None
    model: str = ""
    kinds: tuple[Kind, ...] = ()
    # All of them.
    tags: tuple[str, ...] = ()
    limit: int = DEFAULT_LIMIT
    include_proposed: bool = True
    # Least evidence, 0..1, that the best hit by vector has; without it nothing is shown. 0 shows every candidate.
    min_score: float = ranking.JUNK
    # The moment whose validity counts; now, if None.
    as_of: datetime | None = None
    # The agent whose own entries are looked through as well.
    agent_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One entry that was found; `rank` counts from 1."""

    entry: Entry
    rank: int
    why: ranking.Why
    # False only for what has been superseded, which only the write path is shown.
    current: bool = True

    @property
    def score(self) -> float:
        return self.why.score


# Terms and impacts of the words of a row `r`, in the language of its team `t`, with the constants of `p`.
TERMS: LiteralString = """
cross join lateral (
    select array_agg(s.term order by s.term) as terms,
           -- Every term finds the entry, but only so many impacts fit; in an entry that long each is next to none.
           '{' || string_agg(
               s.term || ':'
               || (s.occurrences * (p.k1 + 1) / (s.occurrences + p.k1 * (1 - p.b + p.b * s.length / p.average)))::real,
               ',' order by s.term
           ) filter (where s.place <= 15000) || '}/536870912' as impacts
    from (
        select w.term, w.occurrences::float8, least(sum(w.occurrences) over (), p.longest) as length,
               row_number() over (order by w.term) as place
        from ibex_core.search_terms_of(
            r.team_id, coalesce(t.language, 'english'),
            string_to_array(r.words, ' '), string_to_array(r.counts, ' ')::integer[]
        ) as w
    ) as s
) as i
"""
INDEX: LiteralString = (
    """
insert into ibex_core.memory_search (org_id, team_id, memory_id, status, text_hash, current, terms, impacts)
select $1, r.team_id, r.memory_id, r.status, r.text_hash, r.current, coalesce(i.terms, '{}'),
       coalesce(i.impacts, '{}/536870912')::sparsevec
from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bytea[], $6::text[], $7::text[], $12::boolean[])
    as r (team_id, memory_id, status, text_hash, words, counts, current)
left join ibex_core.search_teams as t on t.org_id = $1 and t.team_id = r.team_id
cross join (select $8::float8 as k1, $9::float8 as b, $10::float8 as average, $11::float8 as longest) as p
"""
    + TERMS
)
CONSTANTS = (ranking.K1, ranking.B, ranking.AVERAGE_LENGTH, ranking.LONGEST)


async def index(conn: Connection, *, org_id: str, rows: Sequence[IndexRow]) -> None:
    """Make entries findable, all in one statement, in the transaction that stores them.

    Raises:
        asyncpg.UniqueViolationError: of `one_live_text`, if a live entry of the team has the same text.
    """
    counted = [counted_words(row.title, row.body, row.tags) for row in rows]
    await conn.execute(
        INDEX,
        org_id,
        [row.team_id for row in rows],
        [row.memory_id for row in rows],
        [row.status.value for row in rows],
        [row.text_hash for row in rows],
        [words for words, _ in counted],
        [counts for _, counts in counted],
        *CONSTANTS,
        [row.current for row in rows],
    )


def counted_words(title: str, body: str, tags: Sequence[str]) -> tuple[str, str]:
    """Return the words of an entry and how often each occurs, both separated by spaces."""
    counts = terms.count_words("\n".join((title, body, *tags)))
    return " ".join(counts), " ".join(map(str, counts.values()))


RETIRE: LiteralString = """
update ibex_core.memory_search set current = false where org_id = $1 and team_id = $2 and memory_id = $3
"""


async def retire(conn: Connection, *, org_id: str, team_id: int, memory_id: int) -> None:
    """Take a superseded entry out of every ordinary search."""
    await conn.execute(RETIRE, org_id, team_id, memory_id)


SET_STATUS: LiteralString = """
update ibex_core.memory_search set status = $4 where org_id = $1 and team_id = $2 and memory_id = $3
"""


async def set_status(conn: Connection, *, org_id: str, team_id: int, memory_id: int, status: Status) -> None:
    """Follow the status of an entry, in the transaction that changes it."""
    await conn.execute(SET_STATUS, org_id, team_id, memory_id, status.value)


FORGET: LiteralString = """
delete from ibex_core.memory_search where org_id = $1 and team_id = $2 and memory_id = $3
"""


async def forget(conn: Connection, *, org_id: str, team_id: int, memory_id: int) -> None:
    """Take an entry out of search and its words out of the team's statistics; deleting the entry does so too."""
    await conn.execute(FORGET, org_id, team_id, memory_id)


FIND: LiteralString = """
select * from ibex_core.find_memories(
    p_org => $1, p_team => $2, p_text => $3, p_words => $4, p_vector => $5, p_model => $6, p_cosine_weight => $7,
    p_ceiling => $8, p_history => $9, p_statuses => $10, p_kinds => $11, p_tags => $12, p_moment => $13, p_pool => $14
)
"""
FIND_OWN: LiteralString = """
select * from ibex_core.find_own_memories(
    p_org => $1, p_team => $2, p_agent => $3, p_text => $4, p_words => $5, p_vector => $6, p_model => $7,
    p_cosine_weight => $8, p_ceiling => $9, p_kinds => $10, p_tags => $11, p_moment => $12, p_pool => $13
)
"""
_TEAM = (Status.PROPOSED.value, Status.CURATED.value)
_CURATED = (Status.CURATED.value,)
# Looking one up takes a tenth of the time of a call of the class.
_KINDS = {kind.value: kind for kind in Kind}
_STATUSES = {status.value: status for status in Status}


async def find(pool: Pool | Connection, request: SearchRequest) -> tuple[Hit, ...]:
    """Return what a team's memory says about the query, best first, curated before proposed.

    One statement, which sets the tenant itself: it needs no transaction. Superseded, expired, not yet valid and
    quarantined entries are left out before the limit, agents' own entries too but for those of `request.agent_id`.
    """
    return await search(pool, request, history=False)


async def search(pool: Pool | Connection, request: SearchRequest, *, history: bool) -> tuple[Hit, ...]:
    """Ask and rank; `find` and the write path's `find_with_history` are the two ways in."""
    limit = _shown(request)
    answer = await pool.fetch(FIND, *arguments(request, history=history))
    rows = [row for row in answer if row["pass"] == answer[-1]["pass"]]
    if request.agent_id is not None:
        rows += await pool.fetch(FIND_OWN, *_own_arguments(request))
    if not rows:
        return ()
    candidates = tuple(_signals(row) for row in rows)
    ordered = ranking.order(candidates, rows[0]["asked_at"], limit=limit, floor=request.min_score)
    return tuple(
        Hit(entry=_entry(rows[place]), rank=rank, why=why, current=rows[place]["current"])
        for rank, (place, why) in enumerate(ordered, start=1)
    )


def _shown(request: SearchRequest) -> int:
    return min(max(1, request.limit), HIGHEST_LIMIT)


def arguments(request: SearchRequest, *, history: bool) -> tuple[object, ...]:
    """Return the arguments of `FIND`."""
    return (
        request.org_id,
        request.team_id,
        _storable(request.query).strip(),
        terms.query_words(request.query),
        None if request.vector is None else HalfVector(list(request.vector)),
        request.model,
        ranking.CANDIDATE_WEIGHT,
        ranking.CEILING,
        history,
        _TEAM if request.include_proposed else _CURATED,
        [kind.value for kind in request.kinds] or None,
        [_storable(tag) for tag in request.tags] or None,
        request.as_of,
        # Ten more than are shown, for the shifts to choose from.
        max(_shown(request), ranking.POOL) + 10,
    )


def _own_arguments(request: SearchRequest) -> tuple[object, ...]:
    return (
        request.org_id,
        request.team_id,
        request.agent_id,
        _storable(request.query).strip(),
        terms.query_words(request.query),
        None if request.vector is None else HalfVector(list(request.vector)),
        request.model,
        ranking.CANDIDATE_WEIGHT,
        ranking.CEILING,
        [kind.value for kind in request.kinds] or None,
        [_storable(tag) for tag in request.tags] or None,
        request.as_of,
        max(_shown(request), ranking.POOL) + 10,
    )


def _storable(text: str) -> str:
    """Return `text` as PostgreSQL can take it: without NUL and lone surrogates, which no stored text has either."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()


def _signals(row: Row) -> ranking.Signals:
    # By position, in the order in which `find_memories` returns the columns: every search reads thirty rows.
    (
        _,
        memory_id,
        kind,
        status,
        _,
        _,
        _,
        _,
        created_at,
        _,
        confidence,
        pinned,
        helpful,
        unhelpful,
        _,
        words,
        cosine,
    ) = row
    return ranking.Signals(
        id=memory_id,
        kind=_KINDS[kind],
        status=_STATUSES[status],
        words=words,
        cosine=cosine,
        confidence=confidence,
        pinned=pinned,
        helpful=helpful,
        unhelpful=unhelpful,
        created_at=created_at,
    )


def _entry(row: Row) -> Entry:
    _, memory_id, kind, status, title, body, tags, source, created_at, *_ = row
    return Entry(
        id=memory_id,
        kind=_KINDS[kind],
        status=_STATUSES[status],
        title=title,
        body=body,
        tags=tuple(tags),
        source=source,
        created_at=created_at,
    )
