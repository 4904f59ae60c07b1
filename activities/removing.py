"""How a text goes, whoever decides it: out of every table, with a tombstone, an event and a receipt."""

from dataclasses import dataclass
from datetime import datetime

from temporalio.client import Client

from activities.decision import note
from kapelle.domain import digests
from kapelle.durable import histories
from kapelle.store import entries, holds, reasons, removal, search, tombstones
from kapelle.store.entries import Standing
from kapelle.store.operations import Begun
from kapelle.store.pool import Connection, Pool, tenant
from kapelle.store.tombstones import Cause

HISTORIES = "workflow histories"
# What is out of reach, and why: part of every receipt.
BEYOND = (
    "ledger: its events stay, which hold no text",
    "tombstone: a keyed hash stays, so that the text comes back only when a person adds it again",
    "operations ledger: its rows stay, which hold no text",
    "hot caches: told to drop it in every process",
    "dead rows in PostgreSQL's files: gone with the next vacuum; the database's owner can run VACUUM",
    "exports: a pull request and a git history cannot be changed from here; the next export leaves the entry out",
    "backups: those made before still hold it until they are deleted",
    "replies already given: cannot be called back",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remover:
    """Removes entries of one org. `key` makes the digests of tombstones."""

    key: str
    org_id: str

    async def remove(self, conn: Connection, begun: Begun, standing: Standing, now: datetime, cause: Cause) -> bytes:
        """Remove an entry under its team's lock, and return the digest of its tombstone."""
        org_id, team_id, entry_id = self.org_id, standing.team_id, standing.entry.id
        digest = digests.tombstone(self.key, org_id, team_id, standing.text_hash, agent_id=standing.agent_id)
        counted = await removal.traces(conn, org_id=org_id, team_id=team_id, entry_id=entry_id)
        held = await holds.covering(conn, org_id=org_id, team_id=team_id, source=standing.entry.source)
        if held:
            await holds.keep(conn, org_id=org_id, team_id=team_id, entry_id=entry_id)
        await search.forget(conn, org_id=org_id, team_id=team_id, memory_id=entry_id)
        await entries.delete(conn, org_id=org_id, team_id=team_id, entry_id=entry_id)
        await tombstones.bury(
            conn, org_id=org_id, team_id=team_id, digest=digest, entry_id=entry_id, at=now, cause=cause
        )
        await note(conn, begun, now, (entry_id, cause, None), org_id=org_id, team_id=team_id, digest=digest)
        lines = (*_cleared(counted), *map(_kept, held), *BEYOND)
        await removal.write_receipt(conn, org_id=org_id, team_id=team_id, entry_id=entry_id, at=now, lines=lines)
        await reasons.drop(conn, org_id=org_id, team_id=team_id, entry_id=entry_id)
        return digest


def _cleared(counted: removal.Traces) -> tuple[str, ...]:
    return (
        "entry: removed",
        "search: its row and its words removed",
        f"labels: {counted.labels} removed",
        f"links: {counted.links} removed",
        f"conflicts: {counted.conflicts} removed",
        f"vectors: {counted.vectors} removed",
        f"votes: {counted.votes} removed",
    )


def _kept(hold: holds.Hold) -> str:
    return f"legal hold {hold.id}: a copy is kept that the service cannot read, until the hold on {hold.on} is lifted"


async def clear_histories(
    pool: Pool, client: Client, *, org_id: str, team_id: int, entry_id: int | None = None, own: str = ""
) -> tuple[int, int]:
    """Delete the histories that carried forgotten texts of a team, all but the caller's `own`.

    Returns how many are deleted, and how many still run.
    """
    async with tenant(pool, org_id) as conn:
        carriers = await removal.carriers(conn, org_id=org_id, team_id=team_id, entry_id=entry_id, own=own)
    gone = [workflow_id for workflow_id in carriers if await histories.delete(client, workflow_id)]
    async with tenant(pool, org_id) as conn:
        await removal.cleared(conn, org_id=org_id, team_id=team_id, workflow_ids=gone)
        if entry_id is not None:
            line = _deleted(len(gone), len(carriers) - len(gone))
            await removal.amend_receipt(
                conn, org_id=org_id, team_id=team_id, entry_id=entry_id, store=HISTORIES, line=line
            )
    return len(gone), len(carriers) - len(gone)


def _deleted(gone: int, running: int) -> str:
    later = f", {running} that still run are deleted when they have ended" if running else ""
    return f"{gone} deleted from Temporal{later}"
