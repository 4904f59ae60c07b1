"""The language of a team's words: which one it is, and the change to another."""

from typing import LiteralString

from kapelle.store import search
from kapelle.store.pool import Connection

DEFAULT = "english"
# Entries of one statement, well within its time limit.
_PAGE = 250

LANGUAGES = """
select 'simple' as name
union all
select left(d.dictname::text, -5) from pg_catalog.pg_ts_dict as d
where d.dictname like '%\\_stem' and d.dictnamespace = 'pg_catalog'::regnamespace
order by 1
"""


async def languages(conn: Connection) -> tuple[str, ...]:
    """Return the languages that the server knows the endings of words of; `simple` knows none."""
    return tuple(row["name"] for row in await conn.fetch(LANGUAGES))


LANGUAGE = "select t.language from ibex_core.search_teams as t where t.org_id = $1 and t.team_id = $2"


async def language(conn: Connection, *, org_id: str, team_id: int) -> str:
    found: str | None = await conn.fetchval(LANGUAGE, org_id, team_id)
    return found or DEFAULT


SET_LANGUAGE = """
insert into ibex_core.search_teams as t (org_id, team_id, language) values ($1, $2, $3)
on conflict (org_id, team_id) do update set language = excluded.language
"""
TEXTS = """
select m.id, m.title, m.body, m.tags from ibex_core.memories as m
where m.org_id = $1 and m.team_id = $2 and m.id > $3 order by m.id limit $4
"""
REINDEX: LiteralString = (
    """
update ibex_core.memory_search as own
set terms = coalesce(i.terms, '{}'), impacts = coalesce(i.impacts, '{}/536870912')::sparsevec
from unnest($3::bigint[], $4::text[], $5::text[]) as u (memory_id, words, counts)
join ibex_core.search_teams as t on t.org_id = $1 and t.team_id = $2
cross join (select $6::float8 as k1, $7::float8 as b, $8::float8 as average, $9::float8 as longest) as p
cross join lateral (select t.team_id, u.words, u.counts) as r
"""
    + search.TERMS
    + """
where own.org_id = $1 and own.team_id = $2 and own.memory_id = u.memory_id
"""
)


async def change(conn: Connection, *, org_id: str, team_id: int, language: str) -> None:
    """Take a team's words for those of another language, about 1.5 ms an entry, in the caller's transaction.

    The caller holds the team's lock, so that nothing is written in between; searches see the old state until then.
    """
    await conn.execute(SET_LANGUAGE, org_id, team_id, language)
    after = 0
    while rows := await conn.fetch(TEXTS, org_id, team_id, after, _PAGE):
        counted = [search.counted_words(row["title"], row["body"], row["tags"]) for row in rows]
        ids = [row["id"] for row in rows]
        words = [words for words, _ in counted]
        counts = [counts for _, counts in counted]
        await conn.execute(REINDEX, org_id, team_id, ids, words, counts, *search.CONSTANTS)
        after = ids[-1]
