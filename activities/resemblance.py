"""Compares drafts with what the team's memory holds: which entry says the same, and what a person should look at."""

import math
import operator
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Sequence

from kapelle.contracts.write import Batch, Doubt, Embedded, Resemblance, Write
from kapelle.domain.dedup import Candidate, Same
from kapelle.domain.entries import Draft, Entry
from kapelle.domain.rules import dedup
from kapelle.providers.embeddings import Vector
from kapelle.store import neighbours
from kapelle.store.neighbours import Neighbour
from kapelle.store.pool import Connection, Pool, tenant

# Of one draft: the surest ones. More would bury the reviewer.
MOST_DOUBTS = 3
# A longer text is a document rather than one fact; it is a duplicate only word for word.
MOST_CHARACTERS = 8000
# Well below what the full comparison asks for, which knows inflections and light words.
LEAST_SHARED_WORDS = 0.2

_WORD = re.compile(r"\w+")


async def resemblances(
    pool: Pool, batch: Batch, embedded: Embedded, refusals: Sequence[str]
) -> tuple[Resemblance, ...]:
    """Return each draft's resemblance, in the order of the batch. Refused drafts are not looked at."""
    found: list[Resemblance] = []
    async with tenant(pool, batch.org_id) as conn:
        seen = {
            team_id: await neighbours.latest(conn, org_id=batch.org_id, team_id=team_id)
            for team_id in {single.team_id for single in batch.writes}
        }
        for position, single in enumerate(batch.writes):
            if refusals[position]:
                found.append(Resemblance())
                continue
            vector = vector_of(embedded, position)
            near = await _near(conn, batch.org_id, single, vector, embedded.model)
            found.append(_judge(single, near, embedded.model, seen[single.team_id]))
    return tuple(found)


async def _near(
    conn: Connection, org_id: str, single: Write, vector: Vector | None, model: str
) -> tuple[Neighbour, ...]:
    near = await neighbours.near(
        conn,
        org_id=org_id,
        team_id=single.team_id,
        text=f"{single.draft.title}\n{single.draft.body}",
        vector=vector,
        model=model if vector else "",
    )
    return tuple(one for one in near if one.entry.id != single.replaces)


def _judge(single: Write, near: Sequence[Neighbour], model: str, seen: int) -> Resemblance:
    """Compare a draft with its neighbours. What is plainly about something else is not even read."""
    draft = single.draft
    near = [one for one in near if may_say_the_same(draft, one.entry, one.cosine, model)]
    if not near:
        return Resemblance(seen=seen)
    own = dedup.statement(draft.title, draft.body)
    same: list[tuple[float, int]] = []
    doubts: list[Doubt] = []
    for one in near:
        other = dedup.statement(one.entry.title, one.entry.body)
        relation = dedup.compare(own, other, one.cosine, model or None)
        if isinstance(relation, Same) and one.current:
            same.append((relation.similarity, one.entry.id))
        elif candidate := dedup.conflict(own, other, one.cosine, model or None, historical=not one.current):
            doubts.append(doubt_about(one.entry.id, candidate))
    doubts.sort(key=lambda doubt: -doubt.score)
    return Resemblance(same_as=max(same)[1] if same else None, doubts=tuple(doubts[:MOST_DOUBTS]), seen=seen)


def may_say_the_same(a: Draft | Entry, b: Draft | Entry, similarity: float | None, model: str) -> bool:
    """Tell cheaply whether two texts are worth a full comparison, which reads both word by word."""
    if max(len(a.body), len(b.body)) > MOST_CHARACTERS:
        return False
    if similarity is not None:
        return dedup.may_be_related(similarity, model or None)
    left, right = (set(_WORD.findall(f"{one.title} {one.body}".casefold())) for one in (a, b))
    return len(left & right) >= LEAST_SHARED_WORDS * len(left | right)


def doubt_about(entry_id: int, candidate: Candidate) -> Doubt:
    return Doubt(
        entry_id=entry_id,
        kind=candidate.kind,
        score=candidate.score,
        reasons=tuple(str(reason) for reason in candidate.reasons),
    )


def vector_of(embedded: Embedded, position: int) -> Vector | None:
    """Return the vector of a draft's first part, None where there is none."""
    parts = embedded.vectors[position].parts if embedded.vectors else ()
    return unpacked(parts[0]) if parts else None


def cosine(a: Vector | None, b: Vector | None) -> float | None:
    """Return the cosine of two vectors of one model, None if either is missing."""
    if a is None or b is None:
        return None
    norms = math.hypot(*a) * math.hypot(*b)
    return sum(map(operator.mul, a, b)) / norms if norms else None


def packed(vector: Vector) -> str:
    """Return a vector as it travels: base64 of little-endian float32."""
    return b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def unpacked(text: str) -> Vector:
    data = b64decode(text)
    return struct.unpack(f"<{len(data) // 4}f", data)
