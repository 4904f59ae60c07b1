"""Compares drafts with what the team's memory holds: which entry says the same, and what a person should look at."""

import math
import operator
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Sequence

from kapelle.contracts.write import Batch, Doubt, Embedded, Resemblance, Write
from kapelle.domain.dedup import Candidate, Same, Statement
from kapelle.domain.entries import Draft, Entry
from kapelle.domain.rules import dedup
from kapelle.providers.embeddings import Vector
from kapelle.store import neighbours
from kapelle.store.neighbours import Neighbour
from kapelle.store.pool import Pool, tenant

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
    # What becomes an agent's own is compared with nothing that others wrote.
    looked_at = [
        position for position, refusal in enumerate(refusals) if not refusal and batch.writes[position].agent_id is None
    ]
    async with tenant(pool, batch.org_id) as conn:
        seen = {
            team_id: await neighbours.latest(conn, org_id=batch.org_id, team_id=team_id)
            for team_id in {single.team_id for single in batch.writes}
        }
        texts = [_text(batch.writes[position], vector_of(embedded, position)) for position in looked_at]
        near = await neighbours.near(conn, org_id=batch.org_id, texts=texts, model=embedded.model)
    found = [Resemblance() for _ in batch.writes]
    read: dict[int, Statement] = {}
    for position, around in zip(looked_at, near, strict=True):
        single = batch.writes[position]
        found[position] = _judge(single, around, embedded.model, seen[single.team_id], read)
    return tuple(found)


def _text(single: Write, vector: Vector | None) -> neighbours.Text:
    return neighbours.Text(team_id=single.team_id, text=f"{single.draft.title}\n{single.draft.body}", vector=vector)


def _judge(single: Write, near: Sequence[Neighbour], model: str, seen: int, read: dict[int, Statement]) -> Resemblance:
    """Compare a draft with its neighbours. What is plainly about something else is not even read.

    `read` keeps what was read of entries for the other drafts of the batch.
    """
    draft, vocabulary = single.draft, Vocabulary()
    words = vocabulary.mask(gist(draft))
    near = [
        one
        for one in near
        if one.entry.id != single.replaces
        and may_say_the_same(words, vocabulary.mask(gist(one.entry)), one.cosine, model)
    ]
    if not near:
        return Resemblance(seen=seen)
    own = dedup.statement(draft.title, draft.body)
    same: list[tuple[float, int]] = []
    doubts: list[Doubt] = []
    for one in near:
        if one.entry.id not in read:
            read[one.entry.id] = dedup.statement(one.entry.title, one.entry.body)
        other = read[one.entry.id]
        relation = dedup.compare(own, other, one.cosine, model or None)
        if isinstance(relation, Same) and one.current:
            same.append((relation.similarity, one.entry.id))
        elif candidate := dedup.conflict(own, other, one.cosine, model or None, historical=not one.current):
            doubts.append(doubt_about(one.entry.id, candidate))
    doubts.sort(key=lambda doubt: -doubt.score)
    return Resemblance(same_as=max(same)[1] if same else None, doubts=tuple(doubts[:MOST_DOUBTS]), seen=seen)


def gist(text: Draft | Entry) -> frozenset[str]:
    """Return the words of a text for a cheap first comparison; none of a text that is too long to be one fact."""
    if len(text.body) > MOST_CHARACTERS:
        return frozenset()
    return frozenset(_WORD.findall(f"{text.title} {text.body}".casefold()))


class Vocabulary:
    """Numbers words as they come, so that what two texts have in common is counted in one operation on numbers."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}

    def mask(self, words: frozenset[str]) -> int:
        """Return a number with one bit set for each word."""
        mask = 0
        for word in words:
            mask |= 1 << self._bits.setdefault(word, len(self._bits))
        return mask


def may_say_the_same(a: int, b: int, similarity: float | None, model: str) -> bool:
    """Tell by the masks of two gists whether the texts are worth a full comparison, which reads both word by word."""
    if not a or not b:
        return False
    if similarity is not None:
        return dedup.may_be_related(similarity, model or None)
    common = (a & b).bit_count()
    return common >= LEAST_SHARED_WORDS * (a.bit_count() + b.bit_count() - common)


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
