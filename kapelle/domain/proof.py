"""Whether a team's ledger holds: the chain by itself, and everything that follows from it in the store."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from kapelle.domain.entries import Kind, Status
from kapelle.domain.ledger import GENESIS, Checkpoint, Event, Link, Stored, checkpoint_seal, row_hash, text_digest
from kapelle.domain.text import text_hash

# What an import brings back had a life elsewhere: its status, its acceptance and its links are as the file says.
_COMES = frozenset({"proposed", "added", "imported"})
_CURATES = frozenset({"added", "accepted", "released"})
_GOES = frozenset({"forgotten", "rejected"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An entry as the store holds it. `surest` is its surest label; the search row's values are None without one."""

    id: int
    kind: Kind
    surest: str | None
    status: Status
    stored: Stored
    salt: bytes
    operation_id: str
    accepted_at: datetime | None
    accepted_by: str | None
    # An agent's own entry.
    own: bool
    search_status: str | None
    search_hash: bytes | None
    current: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A link between two entries that decisions make: `supersedes` or `relates_to`."""

    kind: str
    from_id: int
    to_id: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Grave:
    """A tombstone as the store holds it."""

    digest: bytes
    memory_id: int
    cause: str
    forgotten_at: datetime
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything of one team that has to agree, read in one snapshot."""

    org_id: str
    team_id: int
    seq: int
    head: bytes
    links: tuple[Link, ...]
    entries: tuple[Held, ...]
    relations: tuple[Relation, ...]
    graves: tuple[Grave, ...]
    checkpoints: tuple[Checkpoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One thing that does not agree: the table and row, and what is wrong with it. Never text."""

    place: str
    what: str

    def describe(self) -> str:
        return f"{self.place}: {self.what}"


def examine(evidence: Evidence, key: str) -> tuple[Broken, ...]:
    """Return everything that does not agree, the chain first; nothing if the ledger holds. `key` makes the seals."""
    return (
        *_chain(evidence),
        *_checkpoints(evidence, key),
        *_entries(evidence),
        *_relations(evidence),
        *_graves(evidence),
    )


def _chain(evidence: Evidence) -> Iterator[Broken]:
    """Yield the first row that does not follow from the ones before it, or what is missing at the end."""
    head, number = GENESIS, 0
    for number, link in enumerate(evidence.links, start=1):
        if link.seq != number:
            yield Broken(place=f"memory_events row {number}", what="it is missing")
            return
        expected = row_hash(evidence.org_id, evidence.team_id, number, link.event, head)
        if (link.previous_hash, link.hash) != (head, expected):
            yield Broken(place=f"memory_events row {number}", what="it is not as it was written")
            return
        head = link.hash
    if number < evidence.seq:
        yield Broken(place=f"memory_events row {number + 1}", what="it is missing, and all after it")
    elif (number, head) != (evidence.seq, evidence.head):
        yield Broken(place=f"teams row {evidence.team_id}", what="it names another end of the ledger")


def _checkpoints(evidence: Evidence, key: str) -> Iterator[Broken]:
    hashes = {link.seq: link.hash for link in evidence.links}
    noted = [link.event.text_digest for link in evidence.links if link.event.event == "checkpointed"]
    found = {checkpoint.number: checkpoint for checkpoint in evidence.checkpoints}
    for number in sorted({*found, *range(1, len(noted) + 1)}):
        place = f"ledger_checkpoints row {number}"
        checkpoint = found.get(number)
        if checkpoint is None:
            yield Broken(place=place, what="it is missing")
        elif number > len(noted) or checkpoint.seal != noted[number - 1]:
            yield Broken(place=place, what="the ledger does not know its seal")
        elif checkpoint_seal(key, evidence.org_id, evidence.team_id, checkpoint) != checkpoint.seal:
            yield Broken(place=place, what="its seal does not fit")
        elif hashes.get(checkpoint.seq) != checkpoint.hash:
            yield Broken(place=place, what=f"row {checkpoint.seq} of the ledger is not the one that it sealed")


def _entries(evidence: Evidence) -> Iterator[Broken]:
    happened: dict[int, list[Event]] = defaultdict(list)
    for link in evidence.links:
        happened[link.event.memory_id].append(link.event)
    alive = {entry_id for entry_id, events in happened.items() if _alive(events)}
    found = {entry.id: entry for entry in evidence.entries}
    for entry_id in sorted(alive - found.keys()):
        yield Broken(place=f"memories row {entry_id}", what="it is missing, and no event took it away")
    for entry_id in sorted(found.keys() - alive):
        yield Broken(place=f"memories row {entry_id}", what="it is there, and the ledger says that it is not")
    for entry_id in sorted(alive & found.keys()):
        for what in _entry(found[entry_id], happened[entry_id]):
            yield Broken(place=f"memories row {entry_id}", what=what)


def _alive(events: list[Event]) -> bool:
    names = {event.event for event in events}
    return bool(names & _COMES) and not names & _GOES


def _entry(entry: Held, events: list[Event]) -> Iterator[str]:
    came = next(event for event in events if event.event in _COMES)
    if text_digest(entry.salt, entry.stored) != came.text_digest:
        yield "its text or origin is not what the ledger has a digest of"
    if entry.operation_id != came.operation_id:
        yield "another operation brought it in"
    if entry.surest != entry.kind:
        yield "its kind is not its surest label"
    yield from _status(entry, events)
    yield from _search_row(entry, events)


def _status(entry: Held, events: list[Event]) -> Iterator[str]:
    curates = [event for event in events if event.event in _CURATES]
    if not curates and _imported(events):
        return
    possible = {Status.ACTIVE} if entry.own else {Status.CURATED if curates else Status.PROPOSED}
    if all(event.event != "released" for event in events):
        possible.add(Status.QUARANTINED)
    if entry.status not in possible:
        yield f"it is {entry.status}, which does not follow from its events"
    elif entry.status is Status.CURATED and not any(
        (entry.accepted_at, entry.accepted_by) == (event.happened_at, event.actor) for event in curates
    ):
        yield "who accepted it, or when, is not what its events say"
    elif entry.status is not Status.CURATED and (entry.accepted_at, entry.accepted_by) != (None, None):
        yield "it says that somebody accepted it"


def _search_row(entry: Held, events: list[Event]) -> Iterator[str]:
    current = all(event.event != "superseded" for event in events)
    if current and _imported(events):
        current = bool(entry.current)
    if entry.search_status is None:
        yield "its row in memory_search is missing"
    elif entry.search_status != entry.status:
        yield "its status and that of its row in memory_search differ"
    elif entry.search_hash != text_hash(entry.stored.title, entry.stored.body):
        yield "its row in memory_search is that of another text"
    elif entry.current is not current:
        yield "whether it is current, in memory_search, does not follow from its events"


def _imported(events: list[Event]) -> bool:
    return any(event.event == "imported" for event in events)


def _relations(evidence: Evidence) -> Iterator[Broken]:
    here = {entry.id for entry in evidence.entries}
    imported = {link.event.memory_id for link in evidence.links if link.event.event == "imported"}
    wanted = {(kind, a, b): at for (kind, a, b), at in _related(evidence).items() if {a, b} <= here}
    found = {(one.kind, one.from_id, one.to_id): one.created_at for one in evidence.relations}
    for kind, from_id, to_id in sorted(wanted.keys() | found.keys()):
        place = f"memory_relationships row {from_id} {kind} {to_id}"
        link = (kind, from_id, to_id)
        if link not in found:
            yield Broken(place=place, what="it is missing")
        elif link not in wanted and not {from_id, to_id} & imported:
            yield Broken(place=place, what="no event made it")
        elif link in wanted and wanted[link] != found[link]:
            yield Broken(place=place, what="it was made at another time")


def _related(evidence: Evidence) -> dict[tuple[str, int, int], datetime]:
    events = [link.event for link in evidence.links if link.event.other_id is not None]
    related = {
        ("supersedes", event.other_id or 0, event.memory_id): event.happened_at
        for event in events
        if event.event == "superseded"
    }
    # Both entries of a pair that stay have an event; of a pair of which one stays, only that one.
    settled = {(event.memory_id, event.other_id or 0): event for event in events if event.event == "resolved"}
    for (one, other), event in settled.items():
        if one > other and (other, one) in settled:
            related["relates_to", one, other] = event.happened_at
    return related


def _graves(evidence: Evidence) -> Iterator[Broken]:
    wanted: dict[bytes, Grave] = {}
    for link in evidence.links:
        event, digest = link.event, link.event.text_digest or b""
        if event.event in _GOES:
            wanted[digest] = Grave(
                digest=digest,
                memory_id=event.memory_id,
                cause=event.event,
                forgotten_at=event.happened_at,
                seq=link.seq,
            )
        elif event.event == "lifted":
            wanted.pop(digest, None)
    found = {grave.digest: grave for grave in evidence.graves}
    for digest in sorted(wanted.keys() | found.keys()):
        grave = found.get(digest) or wanted[digest]
        place = f"memory_tombstones row of entry {grave.memory_id} ({digest.hex()[:12]})"
        if digest not in found:
            yield Broken(place=place, what="it is missing")
        elif digest not in wanted:
            yield Broken(place=place, what="no event put it there")
        elif found[digest] != wanted[digest]:
            yield Broken(place=place, what="it is not as its event says")
