"""Prove a team's ledger."""

import asyncio
from dataclasses import dataclass

from kapelle.domain.callers import Caller
from kapelle.domain.errors import BrokenLedger, NotFound
from kapelle.domain.proof import Broken, Evidence, examine
from kapelle.operations.results import Told
from kapelle.services import Services
from kapelle.store import proof
from kapelle.store.pool import snapshot

# As many findings as a message names.
MOST_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """Compute the team's chain of events again, and compare entries, links, tombstones and checkpoints with it."""


async def verify(_request: Verify, caller: Caller, services: Services) -> Told:
    """Tell that the ledger holds.

    Raises:
        BrokenLedger: naming the rows that do not agree with it.
    """
    async with snapshot(services.pool, services.org_id) as conn:
        evidence = await proof.evidence(conn, org_id=services.org_id, team_id=caller.team_id)
    if evidence is None:
        raise NotFound(f"there is no team '{caller.team}'")
    # Hashing all texts of a large team takes seconds, in which others are to be answered.
    broken = await asyncio.to_thread(examine, evidence, services.settings.digest_key.value)
    if broken:
        raise BrokenLedger(_findings(caller.team, broken))
    return Told(text=f"The ledger of team {caller.team} holds.", lines=_counts(evidence))


def _findings(team: str, broken: tuple[Broken, ...]) -> str:
    places = "1 place" if len(broken) == 1 else f"{len(broken)} places"
    named = "; ".join(one.describe() for one in broken[:MOST_NAMED])
    more = "; and more" if len(broken) > MOST_NAMED else ""
    return f"the ledger of team {team} does not hold in {places}: {named}{more}"


def _counts(evidence: Evidence) -> tuple[str, ...]:
    sealed = max((checkpoint.seq for checkpoint in evidence.checkpoints), default=0)
    return (
        f"events: {len(evidence.links)}, of which {sealed} are sealed by checkpoints",
        f"entries: {len(evidence.entries)}",
        f"tombstones: {len(evidence.graves)}",
        f"checkpoints: {len(evidence.checkpoints)}",
    )
