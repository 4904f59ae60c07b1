"""What a team knew at a past moment: entries as they stood then. What was forgotten since is gone from the past too."""

from datetime import datetime

from pgvector import HalfVector

from kapelle.domain.entries import Entry, Status
from kapelle.domain.rules import ranking, terms
from kapelle.store.entries import entry_of
from kapelle.store.pool import Connection
from kapelle.store.search import Hit, SearchRequest

# An entry stood if it had come, held, and had no successor yet; it was curated from when it was accepted on. What was
# quarantined at first could be read only from its release on.
KNOWN = """
select m.id, m.kind, m.title, m.body, m.tags, m.source, m.created_at,
    case when m.accepted_at <= $3 then 'curated' else 'proposed' end as status
from ibex_core.memories as m
where m.org_id = $1 and m.team_id = $2 and m.visibility = 'team' and m.status in ('proposed', 'curated')
  and m.created_at <= $3 and m.valid_from <= $3 and (m.valid_until is null or m.valid_until > $3)
  and not exists (
      select from ibex_core.memory_relationships as r
      where r.org_id = m.org_id and r.to_id = m.id and r.kind = 'supersedes' and r.created_at <= $3
  )
  and not exists (
      select from ibex_core.memory_events as e
      where e.org_id = m.org_id and e.team_id = m.team_id and e.memory_id = m.id and e.event = 'released'
        and e.happened_at > $3
  )
  and ($4::bigint is null or m.id = $4)
order by coalesce(m.accepted_at <= $3, false) desc, m.id desc
"""


async def known(
    conn: Connection, *, org_id: str, team_id: int, moment: datetime, entry_id: int | None = None
) -> tuple[Entry, ...]:
    """Return the entries that stood at a moment, curated before proposed, newest first in each; or one of them."""
    return tuple(map(entry_of, await conn.fetch(KNOWN, org_id, team_id, moment, entry_id)))


# All of them are scored, since the indexes know the present only.
SCORES = """
with query as (
    select q.term,
           ln(1 + (greatest(t.entries - coalesce(c.entries, 0), 0) + 0.5::float8)
               / (coalesce(c.entries, 0) + 0.5))::real as weight
    from ibex_core.search_teams as t
    cross join lateral ibex_core.search_terms_of(
        t.team_id, t.language, $4::text[], array_fill(1, array[cardinality($4::text[])])
    ) as q
    left join ibex_core.search_terms as c on c.org_id = t.org_id and c.team_id = t.team_id and c.term = q.term
    where t.org_id = $1 and t.team_id = $2
), whole as (
    select ('{' || string_agg(term || ':' || weight, ',') || '}/536870912')::sparsevec as weights,
        nullif(sum(weight) * $7::float8, 0) as ideal
    from query
)
select s.memory_id as id, (-(s.impacts <#> w.weights) / w.ideal)::real as words, v.cosine, m.confidence, m.pinned,
    f.helpful, f.unhelpful
from ibex_core.memory_search as s
join ibex_core.memories as m on m.org_id = s.org_id and m.team_id = s.team_id and m.id = s.memory_id
cross join whole as w
left join lateral (
    select max(1 - (e.embedding <=> $5::halfvec))::real as cosine
    from ibex_core.memory_embeddings as e
    where e.org_id = s.org_id and e.team_id = s.team_id and e.memory_id = s.memory_id and e.model = $6
) as v on $5::halfvec is not null
cross join lateral (
    select count(*) filter (where f.helpful) as helpful, count(*) filter (where not f.helpful) as unhelpful
    from ibex_core.memory_feedback as f where f.org_id = m.org_id and f.memory_id = m.id
) as f
where s.org_id = $1 and s.team_id = $2 and s.memory_id = any($3::bigint[])
"""


async def find(conn: Connection, request: SearchRequest, moment: datetime) -> tuple[Hit, ...]:
    """Return what the team knew about the query at a moment, best first, curated before proposed."""
    known_then = await known(conn, org_id=request.org_id, team_id=request.team_id, moment=moment)
    stood = {entry.id: entry for entry in known_then if _wanted(entry, request)}
    words = terms.query_words(request.query)
    if words:
        candidates = await _scored(conn, request, words, stood)
    else:
        wanted = request.query.strip().lower()
        holding = [entry for entry in known_then if wanted in f"{entry.title} {entry.body}".lower()]
        candidates = tuple(_unscored(entry) for entry in holding if entry.id in stood)
    ordered = ranking.order(candidates, moment, limit=request.limit)
    return tuple(
        Hit(entry=stood[candidates[place].id], rank=rank, why=why) for rank, (place, why) in enumerate(ordered, start=1)
    )


def _wanted(entry: Entry, request: SearchRequest) -> bool:
    reviewed = request.include_proposed or entry.status is Status.CURATED
    return reviewed and (not request.kinds or entry.kind in request.kinds) and set(request.tags) <= set(entry.tags)


async def _scored(
    conn: Connection, request: SearchRequest, words: tuple[str, ...], stood: dict[int, Entry]
) -> tuple[ranking.Signals, ...]:
    """Score the entries by both legs; those that neither finds are left out."""
    rows = await conn.fetch(
        SCORES,
        request.org_id,
        request.team_id,
        list(stood),
        words,
        None if request.vector is None else HalfVector(list(request.vector)),
        request.model,
        ranking.CEILING,
    )
    return tuple(
        ranking.Signals(
            kind=stood[row["id"]].kind,
            status=stood[row["id"]].status,
            created_at=stood[row["id"]].created_at,
            **dict(row),
        )
        for row in rows
        if (row["words"] or 0) > 0 or row["cosine"] is not None
    )


def _unscored(entry: Entry) -> ranking.Signals:
    return ranking.Signals(
        id=entry.id,
        kind=entry.kind,
        status=entry.status,
        words=None,
        cosine=None,
        confidence=1.0,
        pinned=False,
        helpful=0,
        unhelpful=0,
        created_at=entry.created_at,
    )
