"""Decides what becomes of each write of a batch, from what the store holds. Reads nothing and writes nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from activities.resemblance import MOST_DOUBTS, Vocabulary, cosine, doubt_about, gist, may_say_the_same, vector_of
from kapelle.contracts.write import Doubt, Prepared, Resemblance, Vectors, Write
from kapelle.domain.callers import is_person
from kapelle.domain.dedup import Same, Statement
from kapelle.domain.entries import Draft, Entry, Status
from kapelle.domain.ledger import Event, text_digest
from kapelle.domain.outcomes import Code, Outcome, missing, refused
from kapelle.domain.rules import dedup
from kapelle.providers.embeddings import Vector
from kapelle.store.conflicts import NewConflict
from kapelle.store.entries import NewEntry, Standing
from kapelle.store.operations import Begun, Recorded
from kapelle.store.tombstones import Tombstone

REUSED = "this request id was used for another request; choose a new one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One write with what was worked out beforehand."""

    write: Write
    refusal: str
    quarantine: str
    resemblance: Resemblance
    text_hash: bytes
    # What the text would have where it is to be stored: of the team, or of the agent whose own it is to become.
    tombstone: bytes
    # What keeps it out: what a team does not want back is not an agent's own either.
    barring: tuple[bytes, ...]
    vectors: Vectors
    vector: Vector | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert:
    """An entry to store, with the case that asked for it."""

    new: NewEntry
    case: Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """An entry that came after the drafts were compared with what is near them, or that the batch itself stores."""

    entry_id: int
    team_id: int
    text: Draft | Entry
    gist: frozenset[str]
    vector: Vector | None = None


@dataclass(slots=True, kw_only=True)
class Known:
    """What the store holds under the teams' locks. Planning a write changes it for the next one of the batch."""

    now: Mapping[int, datetime]
    recorded: Mapping[str, Recorded]
    live: dict[tuple[int, bytes], tuple[int, Status]]
    # Entries that hold the same text and are valid no more; what says it anew takes their place.
    expired: dict[tuple[int, bytes], int]
    # The texts that agents have as their own: by agent and hash, the entry.
    own: dict[tuple[int, bytes], int]
    # Entries that edits replace, and the successors of those, as they were before the batch.
    standings: Mapping[int, Standing]
    # What the batch itself superseded: by replaced entry, the successor and its text hash.
    superseded: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    tombstones: dict[bytes, Tombstone]
    # The entries that drafts resemble, those of them that are still current.
    current: Mapping[int, Status]
    recent: list[Recent]
    model: str
    # What was read of recent entries, so that no text is read for each comparison anew.
    statements: dict[int, Statement] = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    # The words of recent entries, by their ids.
    masks: dict[int, int] = field(default_factory=dict)
    ids: Iterator[int]
    salts: Iterator[bytes]


@dataclass(slots=True, kw_only=True)
class Plan:
    """What to change, and the answers. `outcomes` is in the order of the cases."""

    outcomes: list[Outcome] = field(default_factory=list)
    finished: list[tuple[Begun, Outcome]] = field(default_factory=list)
    inserts: list[Insert] = field(default_factory=list)
    # The write, the accepted entry, and the time.
    accepts: list[tuple[Write, int, datetime]] = field(default_factory=list)
    # The write, the successor, and the entry that it replaces.
    supersedes: list[tuple[Write, int, int]] = field(default_factory=list)
    # The write, the new entry, and the one that it was made from.
    derivations: list[tuple[Write, int, int]] = field(default_factory=list)
    conflicts: list[NewConflict] = field(default_factory=list)
    lifts: list[tuple[int, bytes]] = field(default_factory=list)
    events: list[tuple[int, Event]] = field(default_factory=list)


def begun(write: Write, tombstone: bytes | None = None) -> Begun:
    return Begun(
        operation_id=write.operation_id,
        team_id=write.team_id,
        source=write.source,
        name=write.intent,
        digest=bytes.fromhex(write.request_digest),
        tombstone=tombstone,
    )


def cases(
    prepared: Prepared,
    hashes: tuple[bytes, ...],
    tombstones: tuple[bytes, ...],
    barring: tuple[tuple[bytes, ...], ...],
) -> tuple[Case, ...]:
    """Pair each write with its refusal, resemblance, digests and vectors."""
    embedded = prepared.embedded
    vectors = embedded.vectors or (Vectors(),) * len(prepared.batch.writes)
    return tuple(
        Case(
            write=write,
            refusal=prepared.refusals[position],
            quarantine=prepared.quarantines[position],
            resemblance=prepared.resembles[position],
            text_hash=hashes[position],
            tombstone=tombstones[position],
            barring=barring[position],
            vectors=vectors[position],
            vector=vector_of(embedded, position),
        )
        for position, write in enumerate(prepared.batch.writes)
    )


def plan(batch: tuple[Case, ...], known: Known) -> Plan:
    """Decide all writes in their order, each seeing what the ones before it will have changed."""
    planned = Plan()
    for case in batch:
        outcome = repeated(begun(case.write), known.recorded)
        if outcome is None:
            outcome = _decide(case, known, planned)
            # A team that is gone took its operations with it.
            if case.write.team_id in known.now:
                planned.finished.append((begun(case.write, case.tombstone), outcome))
        planned.outcomes.append(outcome)
    return planned


def repeated(request: Begun, recorded: Mapping[str, Recorded]) -> Outcome | None:
    """Return the answer to a request that was made before, None if this one is to be decided."""
    row = recorded.get(request.operation_id)
    if row is None:
        return None
    if row.digest != request.digest:
        return refused(REUSED)
    return row.outcome if row.outcome is not None and row.outcome.stands else None


def _decide(case: Case, known: Known, planned: Plan) -> Outcome:
    if barred := _barred(case, known):
        return barred
    if case.write.agent_id is not None:
        return _keep_own(case, case.write.agent_id, known, planned)
    if existing := _existing(case, known, planned):
        return existing
    likenesses = _likenesses(case, known)
    if same := _same(case, likenesses, known):
        return Outcome(code=Code.DUPLICATE, entry_id=same, reason="in other words")
    return _store(case, likenesses, known, planned)


def _barred(case: Case, known: Known) -> Outcome | None:
    """Return why the write may not be stored at all, or the answer to an edit that was made already."""
    write = case.write
    if case.refusal:
        return refused(case.refusal)
    if write.team_id not in known.now:
        return refused("the team does not exist any more")
    if write.replaces is not None and (blocked := _replaceable(case, write.replaces, known)):
        return blocked
    return _buried(case, known)


def _buried(case: Case, known: Known) -> Outcome | None:
    """Return why a text that went may not come back: unasked, or by a write that began before it went."""
    write = case.write
    tombstone = next((known.tombstones[digest] for digest in case.barring if digest in known.tombstones), None)
    if tombstone is None:
        return None
    if write.restored or not is_person(write.source):
        return refused(f"this text was {tombstone.cause} in this team; only a person can add it again")
    if write.ledger_seq is not None and write.ledger_seq < tombstone.seq:
        return refused(
            f"this text was {tombstone.cause} in this team while it was being written; add it again if it is wanted"
        )
    return None


def _replaceable(case: Case, entry_id: int, known: Known) -> Outcome | None:
    """Return why the entry cannot be superseded, or the answer if this very edit was made already."""
    standing = known.standings.get(entry_id)
    if standing is None or standing.team_id != case.write.team_id:
        return missing(f"there is no entry {entry_id} in this team")
    successor = _successor(standing, known)
    if successor is None:
        return None if standing.current else refused(f"entry {entry_id} is not current any more")
    successor_id, text_hash = successor
    if text_hash == case.text_hash:
        return Outcome(code=Code.SUPERSEDED, entry_id=successor_id, other_id=entry_id)
    return refused(f"entry {entry_id} was superseded by entry {successor_id}; edit that one")


def _successor(standing: Standing, known: Known) -> tuple[int, bytes] | None:
    """Return the id and text hash of what superseded an entry, before the batch or in it."""
    if standing.entry.id in known.superseded:
        return known.superseded[standing.entry.id]
    stored = known.standings.get(standing.successor) if standing.successor else None
    return (stored.entry.id, stored.text_hash) if stored else None


def _existing(case: Case, known: Known, planned: Plan) -> Outcome | None:
    """Return the answer for a text that is there already."""
    write = case.write
    entry_id, status = known.live.get((write.team_id, case.text_hash), (None, None))
    if entry_id is not None and entry_id == write.replaces:
        own = known.standings[entry_id].entry
        same = Draft(kind=own.kind, title=own.title, body=own.body, tags=own.tags) == write.draft
        if same and status is Status.CURATED:
            return Outcome(code=Code.DUPLICATE, entry_id=entry_id)
        return None
    if entry_id is None:
        return None
    if write.intent == "add" and status is Status.PROPOSED:
        known.live[write.team_id, case.text_hash] = (entry_id, Status.CURATED)
        planned.accepts.append((write, entry_id, known.now[write.team_id]))
        planned.events.append((write.team_id, _event(write, known, entry_id, "accepted")))
        return Outcome(code=Code.ACCEPTED, entry_id=entry_id)
    return Outcome(code=Code.DUPLICATE, entry_id=entry_id)


def _keep_own(case: Case, agent_id: int, known: Known, planned: Plan) -> Outcome:
    """Store an agent's own entry, which is compared with that agent's own ones alone, word for word."""
    if (entry_id := known.own.get((agent_id, case.text_hash))) is not None:
        return Outcome(code=Code.DUPLICATE, entry_id=entry_id)
    if case.quarantine:
        return refused(f"not stored: a person would have to look at it ({case.quarantine}); propose it to the team")
    new = _new(case, Status.ACTIVE, known)
    known.own[agent_id, case.text_hash] = new.id
    planned.inserts.append(Insert(new=new, case=case))
    _note_new(case, new, "added", known, planned)
    return Outcome(code=Code.ADDED, entry_id=new.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Likeness:
    entry_id: int
    same: bool
    doubt: Doubt | None


def _likenesses(case: Case, known: Known) -> tuple[_Likeness, ...]:
    """Compare a draft with what came after it was compared with the store."""
    draft = case.write.draft
    words = known.vocabulary.mask(gist(draft)) if known.recent else 0
    own: Statement | None = None
    found: list[_Likeness] = []
    for rival in known.recent:
        if not _is_rival(case, rival, known):
            continue
        similarity = cosine(case.vector, rival.vector)
        if may_say_the_same(words, _mask(rival, known), similarity, known.model):
            own = own or dedup.statement(draft.title, draft.body)
            found.append(_likeness(own, rival, similarity, known))
    return tuple(found)


def _mask(rival: Recent, known: Known) -> int:
    mask = known.masks.get(rival.entry_id)
    if mask is None:
        mask = known.masks[rival.entry_id] = known.vocabulary.mask(rival.gist)
    return mask


def _is_rival(case: Case, rival: Recent, known: Known) -> bool:
    replaced = rival.entry_id == case.write.replaces or rival.entry_id in known.superseded
    return rival.team_id == case.write.team_id and not replaced


def _likeness(own: Statement, rival: Recent, similarity: float | None, known: Known) -> _Likeness:
    if rival.entry_id not in known.statements:
        known.statements[rival.entry_id] = dedup.statement(rival.text.title, rival.text.body)
    other, model = known.statements[rival.entry_id], known.model or None
    same = isinstance(dedup.compare(own, other, similarity, model), Same)
    candidate = None if same else dedup.conflict(own, other, similarity, model)
    doubt = doubt_about(rival.entry_id, candidate) if candidate else None
    return _Likeness(entry_id=rival.entry_id, same=same, doubt=doubt)


def _same(case: Case, likenesses: tuple[_Likeness, ...], known: Known) -> int | None:
    """Return the current entry that says the same in other words. An edit and a forced write are not held up by one."""
    if case.write.force or case.write.intent == "edit" or not _current(case):
        return None
    same_as = case.resemblance.same_as
    if same_as in known.current and same_as not in known.superseded:
        return same_as
    return next((likeness.entry_id for likeness in likenesses if likeness.same), None)


def _store(case: Case, likenesses: tuple[_Likeness, ...], known: Known, planned: Plan) -> Outcome:
    write, draft = case.write, case.write.draft
    status = _status(case)
    new = _new(case, status, known)
    planned.inserts.append(Insert(new=new, case=case))
    if write.origin is not None:
        planned.derivations.append((write, new.id, write.origin))
    if _current(case):
        known.live[write.team_id, case.text_hash] = (new.id, status)
        planned.conflicts += _conflicts(case, new.id, likenesses)
        known.recent.append(
            Recent(entry_id=new.id, team_id=write.team_id, text=draft, gist=gist(draft), vector=case.vector)
        )
    _note_new(case, new, _name(write), known, planned)
    _lift(case, new, known, planned)
    _renew(case, new, known, planned)
    if case.quarantine:
        return Outcome(code=Code.QUARANTINED, entry_id=new.id, reason=case.quarantine)
    if write.replaces is None:
        return Outcome(code=Code.PROPOSED if write.intent == "propose" else Code.ADDED, entry_id=new.id)
    return _supersede(case, new, write.replaces, known, planned)


def _new(case: Case, status: Status, known: Known) -> NewEntry:
    write = case.write
    return NewEntry(
        id=next(known.ids),
        team_id=write.team_id,
        draft=write.draft,
        status=status,
        source=(write.restored and write.restored.source) or write.source,
        operation_id=write.operation_id,
        salt=next(known.salts),
        findings=write.findings,
        created_at=(write.restored and write.restored.created_at) or known.now[write.team_id],
        restored=write.restored,
        agent_id=write.agent_id,
    )


def _note_new(case: Case, new: NewEntry, event: str, known: Known, planned: Plan) -> None:
    write = case.write
    other_id = write.replaces if write.replaces is not None else write.origin
    event_of_new = _event(write, known, new.id, event, other_id)
    planned.events.append((write.team_id, replace(event_of_new, text_digest=text_digest(new.salt, new.stored()))))


def _name(write: Write) -> str:
    """Return what the ledger calls the coming of an entry."""
    if write.restored:
        return "imported"
    return "proposed" if write.intent == "propose" else "added"


def _current(case: Case) -> bool:
    return case.write.restored is None or case.write.restored.current


def _lift(case: Case, new: NewEntry, known: Known, planned: Plan) -> None:
    """Let a text back in that a person says again."""
    tombstone = known.tombstones.pop(case.tombstone, None)
    if tombstone is None:
        return
    planned.lifts.append((new.team_id, case.tombstone))
    event = _event(case.write, known, new.id, "lifted", tombstone.memory_id)
    planned.events.append((new.team_id, replace(event, text_digest=case.tombstone)))


def _renew(case: Case, new: NewEntry, known: Known, planned: Plan) -> None:
    """Let a text take the place of an entry that said the same and has expired."""
    expired = known.expired.pop((new.team_id, case.text_hash), None)
    if expired is None or expired in known.superseded or expired == case.write.replaces:
        return
    known.superseded[expired] = (new.id, case.text_hash)
    planned.supersedes.append((case.write, new.id, expired))
    planned.events.append((new.team_id, _event(case.write, known, expired, "superseded", new.id)))


def _status(case: Case) -> Status:
    if case.quarantine:
        return Status.QUARANTINED
    if case.write.restored and case.write.restored.status:
        return case.write.restored.status
    return Status.PROPOSED if case.write.intent == "propose" else Status.CURATED


def _conflicts(case: Case, entry_id: int, likenesses: tuple[_Likeness, ...]) -> Iterator[NewConflict]:
    """Yield what a person should decide between a new entry and those near it."""
    doubts = [*case.resemblance.doubts, *(likeness.doubt for likeness in likenesses if likeness.doubt)]
    for doubt in sorted(doubts, key=lambda doubt: -doubt.score)[:MOST_DOUBTS]:
        yield NewConflict(
            team_id=case.write.team_id,
            entry_id=entry_id,
            other_id=doubt.entry_id,
            kind=doubt.kind,
            score=doubt.score,
            reasons=doubt.reasons,
        )


def _supersede(case: Case, new: NewEntry, replaced: int, known: Known, planned: Plan) -> Outcome:
    write = case.write
    old = known.standings[replaced]
    known.superseded[replaced] = (new.id, case.text_hash)
    if old.text_hash != case.text_hash:
        known.live.pop((write.team_id, old.text_hash), None)
    planned.supersedes.append((write, new.id, replaced))
    planned.events.append((write.team_id, _event(write, known, replaced, "superseded", new.id)))
    return Outcome(code=Code.SUPERSEDED, entry_id=new.id, other_id=replaced)


def _event(write: Write, known: Known, entry_id: int, event: str, other_id: int | None = None) -> Event:
    return Event(
        memory_id=entry_id,
        event=event,
        other_id=other_id,
        actor=write.source,
        operation_id=write.operation_id,
        happened_at=known.now[write.team_id],
    )
