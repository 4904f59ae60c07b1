"""Why proposals were rejected, in a person's words: beside the ledger, since words can be forgotten."""

from kapelle.store.pool import Connection

KEEP = """
insert into ibex_core.memory_reasons (org_id, team_id, memory_id, reason) values ($1, $2, $3, $4)
on conflict (org_id, team_id, memory_id) do nothing
"""


async def keep(conn: Connection, *, org_id: str, team_id: int, entry_id: int, reason: str) -> None:
    await conn.execute(KEEP, org_id, team_id, entry_id, reason)


GIVEN = "select reason from ibex_core.memory_reasons where org_id = $1 and team_id = $2 and memory_id = $3"


async def given(conn: Connection, *, org_id: str, team_id: int, entry_id: int) -> str:
    """Return why an entry was rejected; empty if it was not, or nobody said."""
    reason: str | None = await conn.fetchval(GIVEN, org_id, team_id, entry_id)
    return reason or ""


DROP = "delete from ibex_core.memory_reasons where org_id = $1 and team_id = $2 and memory_id = $3"


async def drop(conn: Connection, *, org_id: str, team_id: int, entry_id: int) -> bool:
    """Remove the reason of a rejected entry; False if there is none."""
    removed: str = await conn.execute(DROP, org_id, team_id, entry_id)
    return removed == "DELETE 1"
