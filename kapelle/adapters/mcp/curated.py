"""The team's curated entries as one resource, bounded so that an agent can always take it in whole."""

from mcp_types import Resource

from kapelle.adapters.mcp.service import Agent, Service

URI = "kapelle://team/curated"
CHARACTERS = 24_000
_CURATED = "[curated] "

RESOURCE = Resource(
    uri=URI,
    name="curated",
    title="What the team has agreed on",
    description="The team's curated entries, newest first, as many whole ones as fit in 24,000 characters.",
    mime_type="text/plain",
)


async def read(service: Service, agent: Agent) -> str:
    """Return the entries as text, whole ones only, and say how many were left out."""
    reply = await service.memory(agent, "list")
    curated = [
        f"Entry {number}\n{rendered}"
        for number, rendered in zip(reply.ids, reply.entries, strict=True)
        if rendered.startswith(_CURATED)
    ]
    kept = _fitting(curated)
    left_out = len(curated) - len(kept)
    note = (f"{left_out} more were left out; memory_search finds them.",) if left_out else ()
    return "\n\n".join((*kept, *note)) or "The team has no curated entries yet."


def _fitting(entries: list[str]) -> list[str]:
    """Keep the first entries that fit; one that is too long itself does not keep the others out."""
    kept: list[str] = []
    room = CHARACTERS
    for one in entries:
        if len(one) <= room:
            kept.append(one)
            room -= len(one)
    return kept
