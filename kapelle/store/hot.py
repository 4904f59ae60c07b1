"""An agent's best entries, kept in the process and valid for exactly one revision of its team."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

from kapelle.domain.entries import Entry
from kapelle.domain.rules import ranking
from kapelle.store.entries import entry_of
from kapelle.store.pool import Pool, tenant

MOST = 20
# Texts of so many agents are kept; the one that asked longest ago goes first.
MOST_KEPT = 500
# Freshness fades whether or not anything happens.
LONGEST = timedelta(hours=1)

# Pinned ones first, then by use and freshness. The revision and the next moment at which an entry begins or ends to be
# valid are read in the same statement, so that they belong to the entries.
BEST = """
select t.revision, w.changes_at, b.*
from ibex_core.teams as t
cross join lateral (
    select min(v.moment) as changes_at
    from ibex_core.memories as m
    cross join lateral (values (m.valid_from), (m.valid_until)) as v (moment)
    where m.org_id = t.org_id and m.team_id = t.team_id and v.moment > statement_timestamp()
) as w
left join lateral (
    select m.id, m.kind, m.status, m.title, m.body, m.tags, m.source, m.created_at
    from ibex_core.memories as m
    join ibex_core.memory_search as s on s.org_id = m.org_id and s.team_id = m.team_id and s.memory_id = m.id
    left join unnest($4::text[], $5::float8[]) as h (kind, days) on h.kind = m.kind
    cross join lateral (
        select (count(*) filter (where f.helpful) + 1.0) / (count(*) + 2) as use
        from ibex_core.memory_feedback as f where f.org_id = m.org_id and f.memory_id = m.id
    ) as f
    where m.org_id = t.org_id and m.team_id = t.team_id and s.current
      and (m.visibility = 'team' and m.status = 'curated' or m.status = 'active' and m.source = $3)
      and m.valid_from <= statement_timestamp() and (m.valid_until is null or m.valid_until > statement_timestamp())
    order by m.pinned desc,
        m.confidence * f.use
        * coalesce(exp(-ln(2) * extract(epoch from statement_timestamp() - m.created_at) / 86400 / h.days), 1) desc,
        m.id desc
    limit $6
) as b on true
where t.org_id = $1 and t.team_id = $2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Entries as they were at one revision, best first. They hold until `until`, by the database's clock."""

    revision: int
    until: datetime
    entries: tuple[Entry, ...]


class HotCache:
    """The best entries of the agents that asked lately, for one org.

    What is answered is of the revision that the caller was let in with or of a later one, whatever is kept; being told
    of a change only lets go of texts at once.
    """

    def __init__(self, pool: Pool, org_id: str) -> None:
        self._pool = pool
        self._org_id = org_id
        self._kept: OrderedDict[tuple[int, str], Kept] = OrderedDict()
        self._moved: dict[int, int] = {}

    def of(self, org_id: str) -> "HotCache":
        """Return the cache of another org. It keeps its texts with these, and lets go of them as these are let go."""
        other = HotCache(self._pool, org_id)
        other._kept, other._moved = self._kept, self._moved
        return other

    async def best(self, *, team_id: int, source: str, revision: int, now: datetime) -> tuple[Entry, ...]:
        """Return the best entries of a source in its team; `revision` and `now` are of the statement that let it in."""
        kept = self._kept.get((team_id, source))
        if kept is None or kept.revision != revision or kept.until <= now:
            kept = await self._load(team_id, source, now)
            self._keep(team_id, source, kept)
        else:
            self._kept.move_to_end((team_id, source))
        return kept.entries

    def drop(self, team_id: int, revision: int) -> None:
        """Let go of a team's texts that are older than a revision."""
        self._moved[team_id] = max(revision, self._moved.get(team_id, 0))
        for key, kept in list(self._kept.items()):
            if key[0] == team_id and kept.revision < revision:
                del self._kept[key]

    def drop_all(self) -> None:
        """Let go of everything: nobody tells of changes any more, for now."""
        self._kept.clear()

    def holds(self, team_id: int) -> bool:
        """Whether texts of a team are kept."""
        return any(owner == team_id for owner, _ in self._kept)

    def _keep(self, team_id: int, source: str, kept: Kept) -> None:
        # A change may have been told while its team was being read.
        if kept.revision < self._moved.get(team_id, 0):
            return
        self._kept[team_id, source] = kept
        self._kept.move_to_end((team_id, source))
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    async def _load(self, team_id: int, source: str, now: datetime) -> Kept:
        kinds, days = list(ranking.HALF_LIVES), list(ranking.HALF_LIVES.values())
        async with tenant(self._pool, self._org_id) as conn:
            rows = await conn.fetch(BEST, self._org_id, team_id, source, [str(kind) for kind in kinds], days, MOST)
        if not rows:
            return Kept(revision=-1, until=now, entries=())
        until = min(now + LONGEST, rows[0]["changes_at"] or now + LONGEST)
        entries = tuple(entry_of(row) for row in rows if row["id"] is not None)
        return Kept(revision=rows[0]["revision"], until=until, entries=entries)
