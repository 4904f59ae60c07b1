"""The last finished export of each team, and what an export needs to know of the entries."""

from collections.abc import Sequence

from kapelle.domain.exports import Item, Last
from kapelle.store.pool import Connection

LAST = """
select x.blob, x.pr_number, x.entry_ids, x.origin_ids
from ibex_core.exports as x where x.org_id = $1 and x.team_id = $2 and x.repo_id = $3 and x.branch = $4
"""


async def last(conn: Connection, *, org_id: str, team_id: int, repo_id: int, branch: str) -> Last | None:
    """Return the last export of the team to this repository and branch that ended with a pull request."""
    row = await conn.fetchrow(LAST, org_id, team_id, repo_id, branch)
    if row is None:
        return None
    pairs = zip(row["entry_ids"], row["origin_ids"], strict=True)
    items = tuple(Item(entry_id=entry_id, origin_id=origin_id) for entry_id, origin_id in pairs)
    return Last(blob=row["blob"], number=row["pr_number"], items=items)


SAVE = """
insert into ibex_core.exports
    (org_id, team_id, repo_id, branch, blob, commit_sha, pr_number, entry_ids, origin_ids)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (org_id, team_id) do update
    set repo_id = excluded.repo_id, branch = excluded.branch, blob = excluded.blob, commit_sha = excluded.commit_sha,
        pr_number = excluded.pr_number, entry_ids = excluded.entry_ids, origin_ids = excluded.origin_ids,
        finished_at = now()
"""


async def save(
    conn: Connection, *, org_id: str, team_id: int, repo_id: int, branch: str, commit: str, finished: Last
) -> None:
    """Keep a finished export in the place of the team's last one."""
    await conn.execute(
        SAVE,
        org_id,
        team_id,
        repo_id,
        branch,
        finished.blob,
        commit,
        finished.number,
        [item.entry_id for item in finished.items],
        [item.origin_id for item in finished.items],
    )


ORIGINS = """
with recursive places (entry_id, earlier_id) as (
    select r.from_id, r.to_id from ibex_core.memory_relationships as r
    where r.org_id = $1 and r.kind = 'supersedes' and r.from_id = any($2::bigint[])
    union
    select p.entry_id, r.to_id from places as p
    join ibex_core.memory_relationships as r
        on r.org_id = $1 and r.kind = 'supersedes' and r.from_id = p.earlier_id
)
select entry_id, min(earlier_id) as origin_id from places group by entry_id
"""


async def origins(conn: Connection, *, org_id: str, entry_ids: Sequence[int]) -> dict[int, int]:
    """Return the oldest entry whose place each entry took, for those that took one."""
    return {row["entry_id"]: row["origin_id"] for row in await conn.fetch(ORIGINS, org_id, list(entry_ids))}
