"""Bring entries into a team's memory by the line, and tell what became of each line."""

import asyncio
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from kapelle.contracts.imports import Import, Progress, Staged
from kapelle.contracts.write import Write
from kapelle.domain import digests, portable, validation
from kapelle.domain.callers import Caller, Role
from kapelle.domain.entries import Draft, Kind, Restored, Status
from kapelle.domain.errors import Fault, InvalidRequest, NotFound, Refused
from kapelle.domain.portable import Record
from kapelle.domain.scan import Verdict, describe
from kapelle.domain.text import text_hash
from kapelle.operations import names
from kapelle.operations.results import Told
from kapelle.operations.writing import scanned
from kapelle.services import Services
from kapelle.store import entries, imports, tombstones
from kapelle.store.imports import Ended, NewLine
from kapelle.store.pool import Connection, tenant

LINES_A_REQUEST = 1000
LINES_A_REPORT = 1000
MOST_LINES = 1_000_000
# Scans of one request give way to other requests after so many lines.
_TURN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportLines:
    """Take lines of a file, each an entry in JSON: the number of the first, how many the whole file has, the lines.

    With dry-run, only say what would become of each.
    """

    import_id: str
    first: str
    total: str
    lines: str
    mode: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowImport:
    """Show how far an import has come; with a number, what became of the lines after it."""

    import_id: str
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """A line that was read and scanned, or why it is refused."""

    number: int
    digest: bytes
    record: Record | None = None
    verdict: Verdict | None = None
    reason: str = ""


async def run(request: ImportLines, caller: Caller, services: Services) -> Told:
    import_id, first = _import_id(services, caller, request.import_id), validation.number("first", request.first)
    lines, total = request.lines.split("\n"), validation.number("total", request.total)
    _require_place(first, len(lines), total)
    if request.mode not in {"", "dry-run"}:
        raise InvalidRequest("import takes lines, or lines and 'dry-run'")
    judged = [await _judge(services, caller, number, line) for number, line in enumerate(lines, start=first)]
    if request.mode:
        return await _foreseen(services, caller, import_id, judged)
    progress = await _stage(services, caller, import_id, total, judged)
    if progress.waiting:
        await services.importer.go_on(Import(org_id=services.org_id, team_id=caller.team_id, import_id=import_id))
    return Told(text=_summary(progress))


async def show(request: ShowImport, caller: Caller, services: Services) -> Told:
    import_id = _import_id(services, caller, request.import_id)
    async with tenant(services.pool, services.org_id) as conn:
        progress = await _progress(conn, services, caller, import_id)
        if progress is None:
            raise NotFound("this import has not begun in this team")
        if not request.after:
            return Told(text=_summary(progress), lines=_counts(progress))
        after = 0 if request.after == "0" else validation.number("after", request.after)
        found = await imports.report(
            conn,
            org_id=services.org_id,
            team_id=caller.team_id,
            import_id=import_id,
            after=after,
            limit=LINES_A_REPORT,
        )
    return Told(text=_summary(progress), lines=tuple(map(_line, found)))


def _import_id(services: Services, caller: Caller, name: str) -> str:
    """Return the import that a caller's name for it stands for: each caller's names are their own."""
    if not name or len(name) > validation.REQUEST_ID_CHARACTERS:
        raise InvalidRequest(f"the import id has 1 to {validation.REQUEST_ID_CHARACTERS} characters")
    return digests.operation_id(services.org_id, caller.team, caller.source, f"import/{name}")


def _require_place(first: int, lines: int, total: int) -> None:
    if total > MOST_LINES:
        raise InvalidRequest(f"an import has at most {MOST_LINES} lines; split the file")
    if lines > LINES_A_REQUEST:
        raise InvalidRequest(f"the request holds {lines} lines; the limit is {LINES_A_REQUEST}")
    if first + lines - 1 > total:
        raise InvalidRequest("the lines go beyond the total that the request names")


async def _judge(services: Services, caller: Caller, number: int, line: str) -> _Judged:
    """Read and scan one line. What is refused is kept as its digest and the reason alone."""
    if number % _TURN == 0:
        await asyncio.sleep(0)
    digest = digests.request_digest(services.settings.digest_key.value, "import", [line])
    try:
        record = _allowed(portable.read(line), caller)
        _require_no_secret(record)
        verdict = scanned(services, caller, record.draft)
        record = replace(record, restored=_scanned_metadata(services, caller, record.restored))
    except Fault as fault:
        return _Judged(number=number, digest=digest, reason=fault.message)
    return _Judged(number=number, digest=digest, record=record, verdict=verdict)


def _require_no_secret(record: Record) -> None:
    """Refuse a record whose names hold a credential. A number, as most names of lines are, holds none."""
    named = [record.name, *(link.to for link in record.links), record.restored.source, record.restored.accepted_by]
    for name in named:
        if name and not name.isdecimal():
            names.require_no_secret(name=name)


def _allowed(record: Record, caller: Caller) -> Record:
    """Return what this caller may bring back of a record: only people who are maintainers restore a review.

    Raises:
        Refused: for a superseded entry from anyone else, who has no history to restore.
    """
    restored = record.restored
    if caller.is_person and caller.role is not None and caller.role >= Role.MAINTAINER:
        return replace(record, restored=replace(restored, status=restored.status or Status.PROPOSED))
    if not restored.current:
        raise Refused("this entry was superseded; only a maintainer of the team can bring history back")
    proposed = Restored(
        status=Status.PROPOSED,
        valid_from=restored.valid_from,
        valid_until=restored.valid_until,
        labels=restored.labels,
        metadata=restored.metadata,
    )
    return replace(record, restored=proposed, links=())


def _scanned_metadata(services: Services, caller: Caller, restored: Restored) -> Restored:
    """Scan every text of the metadata as a body.

    Raises:
        Refused: for what may not be stored, and for personal data, which could not be cut from it safely.
    """
    found = "\n".join(portable.texts(json.loads(restored.metadata)))
    if not found:
        return restored
    draft = Draft(kind=Kind.FACT, title="Metadata", body=found)
    verdict = services.verdicts.take(draft, caller.policy)
    if findings := (*verdict.refused, *verdict.redacted, *verdict.quarantined):
        raise Refused(f"not stored: in the metadata, {describe(findings)}")
    return restored


async def _stage(services: Services, caller: Caller, import_id: str, total: int, judged: Sequence[_Judged]) -> Progress:
    """Let the lines wait in the store; with that they are durable."""
    org_id, team_id = services.org_id, caller.team_id
    async with tenant(services.pool, org_id) as conn:
        await imports.begin(
            conn, org_id=org_id, team_id=team_id, import_id=import_id, source=caller.source, lines=total
        )
        seen = await _known(conn, services, caller, import_id, judged)
        lines = [_new_line(caller, import_id, one, seen.get(one.digest)) for one in judged]
        await imports.stage(conn, org_id=org_id, team_id=team_id, import_id=import_id, lines=lines)
        progress = await _progress(conn, services, caller, import_id)
    if progress is None or progress.lines != total:
        raise InvalidRequest("the import began with another total; a changed file is another import")
    return progress


def _new_line(caller: Caller, import_id: str, one: _Judged, known: int | None) -> NewLine:
    if one.record is None or one.verdict is None:
        return NewLine(line=one.number, digest=one.digest, name="", links=(), state="refused", reason=one.reason)
    named = NewLine(line=one.number, digest=one.digest, name=one.record.name, links=one.record.links, state="waiting")
    if known is not None:
        return replace(named, state="duplicate", entry_id=known, reason="imported before")
    staged = Staged(
        write=_write(caller, import_id, one, one.record, one.verdict),
        quarantine=describe(one.verdict.quarantined) if one.verdict.quarantined else "",
    )
    return replace(named, staged=msgspec.json.encode(staged))


def _write(caller: Caller, import_id: str, one: _Judged, record: Record, verdict: Verdict) -> Write:
    restored = record.restored
    accepts = restored.current and restored.status is Status.CURATED
    return Write(
        operation_id=str(uuid.uuid5(uuid.UUID(import_id), f"{one.number}/{one.digest.hex()}")),
        team_id=caller.team_id,
        source=caller.source,
        intent="add" if accepts else "propose",
        draft=verdict.draft,
        policy=caller.policy,
        findings=(*verdict.redacted, *verdict.quarantined, *verdict.flags),
        request_digest=one.digest.hex(),
        # What a maintainer restores was judged before; only what is word for word the same is left out.
        force=restored.source is not None,
        restored=restored,
    )


async def _foreseen(services: Services, caller: Caller, import_id: str, judged: Sequence[_Judged]) -> Told:
    """Say what would become of each line, as far as texts compare word for word."""
    hashes = {one.number: _hash(one) for one in judged if one.verdict is not None}
    tombs = {
        number: digests.tombstone(services.settings.digest_key.value, services.org_id, caller.team_id, found)
        for number, found in hashes.items()
    }
    async with tenant(services.pool, services.org_id) as conn:
        seen = await _known(conn, services, caller, import_id, judged)
        live, _ = await entries.live_texts(
            conn, org_id=services.org_id, team_ids=[caller.team_id], text_hashes=hashes.values()
        )
        buried = await tombstones.present(
            conn, org_id=services.org_id, team_ids=[caller.team_id], digests=tombs.values()
        )
    told: list[Ended] = []
    for one in judged:
        there = seen.get(one.digest) or live.get((caller.team_id, hashes.get(one.number, b"")), (None,))[0]
        told.append(_fate(one, there, forgotten=tombs.get(one.number) in buried))
    return Told(text=_count(told), lines=tuple(map(_line, told)))


async def _known(
    conn: Connection, services: Services, caller: Caller, import_id: str, judged: Sequence[_Judged]
) -> dict[bytes, int]:
    return await imports.known(
        conn,
        org_id=services.org_id,
        team_id=caller.team_id,
        import_id=import_id,
        digests=[one.digest for one in judged],
    )


def _hash(one: _Judged) -> bytes:
    draft = one.verdict.draft if one.verdict else Draft(kind=Kind.FACT, title="", body="")
    return text_hash(draft.title, draft.body)


def _fate(one: _Judged, there: int | None, *, forgotten: bool) -> Ended:
    if one.reason:
        return Ended(line=one.number, state="refused", reason=one.reason)
    if there is not None:
        return Ended(line=one.number, state="duplicate", entry_id=there)
    if forgotten:
        return Ended(line=one.number, state="refused", reason="this text was forgotten in this team")
    return Ended(line=one.number, state="created")


def _count(told: Sequence[Ended]) -> str:
    states = [one.state for one in told]
    counts = ", ".join(f"{states.count(state)} {state}" for state in ("created", "duplicate", "refused"))
    return f"{'1 line' if len(told) == 1 else f'{len(told)} lines'} would be: {counts}"


async def _progress(conn: Connection, services: Services, caller: Caller, import_id: str) -> Progress | None:
    found = await imports.counts(conn, org_id=services.org_id, team_id=caller.team_id, import_id=import_id)
    return None if found is None else Progress(lines=found.lines, **found.by_state)


def _summary(progress: Progress) -> str:
    lines = "1 line" if progress.lines == 1 else f"{progress.lines} lines"
    return f"{lines} imported" if progress.finished else f"{progress.done} of {lines} imported so far"


def _counts(progress: Progress) -> tuple[str, ...]:
    names = ("lines", "waiting", "created", "duplicate", "refused", "failed")
    return tuple(f"{name}: {getattr(progress, name)}" for name in names)


def _line(ended: Ended) -> str:
    """Return what became of one line, as `17 created: entry 12 (reason)`."""
    entry = f"entry {ended.entry_id}" if ended.entry_id else ""
    detail = f"{entry} ({ended.reason})" if entry and ended.reason else entry or ended.reason
    return f"{ended.line} {ended.state}: {detail}" if detail else f"{ended.line} {ended.state}"
