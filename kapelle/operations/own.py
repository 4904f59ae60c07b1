"""What an agent does with entries of its own: offers one to the team."""

from dataclasses import replace

from kapelle.domain.callers import Caller
from kapelle.domain.entries import Draft, Visibility
from kapelle.operations.read import missing, records_of
from kapelle.operations.results import Running, Written
from kapelle.operations.writing import Place, write
from kapelle.services import Services


async def is_own(entry_id: int, caller: Caller, services: Services) -> bool:
    """Tell whether an entry is the calling agent's own."""
    if caller.agent_id is None:
        return False
    record = (await records_of([entry_id], caller, services)).get(entry_id)
    return record is not None and record.visibility is Visibility.AGENT


async def offer(entry_id: int, caller: Caller, services: Services) -> Written | Running:
    """Propose the text of an own entry to the team; the own one stays, and the new one points to it.

    Raises:
        NotFound: it is none of the caller's own entries.
        Fault: as `write`.
    """
    record = (await records_of([entry_id], caller, services)).get(entry_id)
    if record is None or record.visibility is not Visibility.AGENT:
        raise missing(entry_id)
    entry = record.entry
    # From then on, rather than from now on, and until the same end.
    caller = replace(caller, valid_from=record.valid_from, valid_until=record.valid_until)
    draft = Draft(kind=entry.kind, title=entry.title, body=entry.body, tags=entry.tags, details=record.details)
    return await write(services, caller, "propose", draft, Place(origin=entry_id))
