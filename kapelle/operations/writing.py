"""What every write shares: the operation's id, the scan at the door, the answer to a repeated request."""

import logging
import uuid
from dataclasses import dataclass, replace

from kapelle import metrics
from kapelle.contracts.curate import Change
from kapelle.contracts.purge import Purge
from kapelle.contracts.resolve import Decision, Resolution
from kapelle.contracts.write import Intent, Write
from kapelle.domain import digests
from kapelle.domain.callers import Caller
from kapelle.domain.entries import PLAIN, Draft
from kapelle.domain.errors import Conflict, Fault, NotFound, Refused, ScanFailed, StillRunning, Unavailable
from kapelle.domain.outcomes import Code, Outcome
from kapelle.domain.scan import Verdict, describe
from kapelle.operations.operating import state_of
from kapelle.operations.results import Running, Written
from kapelle.services import Services
from kapelle.store import operations
from kapelle.store.operations import Recorded
from kapelle.store.pool import Connection, tenant

log = logging.getLogger(__name__)

# A caller that lost a reply asks again within this time. Later the same request is taken for a new one.
RETRY_SECONDS = 600.0

STILL_RUNNING = "the same request is under way; ask again in a moment"
# What a caller meets whose write was not done.
_FAULTS: dict[Code, type[Fault]] = {
    Code.REFUSED: Refused,
    Code.MISSING: NotFound,
    Code.CONFLICT: Conflict,
    Code.CANCELLED: Conflict,
    Code.FAILED: Unavailable,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a draft belongs, beside the team's memory itself."""

    # The entry that an edit supersedes.
    replaces: int | None = None
    # The entry that it was made from.
    origin: int | None = None
    # It becomes the calling agent's own.
    own: bool = False


async def write(
    services: Services, caller: Caller, intent: Intent, draft: Draft, place: Place = Place()
) -> Written | Running:
    """Scan a draft and store it durably.

    Raises:
        StillRunning: the same request is under way, and the caller does not wait for it.
        Refused: the scan or the store refuses it; the message names rule and place, never the text.
        Conflict: the request id was used for another request.
        Unavailable: nothing was stored.
    """
    operation_id = _operation_id(services, caller)
    draft = replace(draft, valid_from=caller.valid_from, valid_until=caller.valid_until)
    digest = _digest(services, intent, _described(caller, draft, place))
    if answer := await _answered(services, caller, operation_id, digest) or await _retried(services, caller, digest):
        return _result(operation_id, answer)
    verdict = scanned(services, caller, draft)
    single = Write(
        operation_id=operation_id,
        team_id=caller.team_id,
        source=caller.source,
        intent=intent,
        draft=verdict.draft,
        policy=caller.policy,
        findings=verdict.redacted,
        request_digest=digest.hex(),
        replaces=place.replaces,
        force=caller.force,
        ledger_seq=caller.ledger_seq,
        agent_id=caller.agent_id if place.own else None,
        origin=place.origin,
    )
    _require_idle(services, caller, operation_id)
    outcome = await services.writer.write(single, patience=caller.patience)
    return _result(operation_id, outcome)


def _described(caller: Caller, draft: Draft, place: Place) -> list[object]:
    """Return what makes a write the same request as another one."""
    plain: list[object] = [caller.team_id, str(draft.kind), draft.title, draft.body, list(draft.tags), place.replaces]
    validity = [moment and moment.isoformat() for moment in (draft.valid_from, draft.valid_until)]
    more: list[object] = [place.origin, caller.agent_id if place.own else None, repr(draft.details)]
    # Left out where nothing is said, so that requests of before mean what they meant.
    return [
        *plain,
        caller.force,
        *(validity if any(validity) else ()),
        *(more if more != [None, None, repr(PLAIN)] else ()),
    ]


def _require_idle(services: Services, caller: Caller, operation_id: str) -> None:
    """Refuse to begin what is under way, if the caller does not want to wait for it."""
    if not caller.joins and services.writer.is_under_way(operation_id):
        raise StillRunning(STILL_RUNNING)


def scanned(services: Services, caller: Caller, draft: Draft) -> Verdict:
    """Scan a draft before it reaches any history or queue, and return what the scan says of it.

    Raises:
        Refused: naming the rule and the place; and whatever goes wrong in the scan.
    """
    try:
        verdict = services.verdicts.give(draft, caller.policy)
    except ScanFailed as failed:
        log.error("scan failed", extra={"where": failed.where})  # noqa: TRY400 - a traceback may quote the text.
        metrics.count_failed_scan()
        metrics.count_write(Code.REFUSED)
        raise
    metrics.count_verdict(verdict)
    if verdict.refused:
        metrics.count_write(Code.REFUSED)
        raise Refused(f"not stored: {describe(verdict.refused)}")
    return verdict


async def accept(services: Services, caller: Caller, entry_id: int, *, seen: str = "") -> Written | Running:
    """Accept an entry durably, if it is still as the caller saw it. Raises as `write` does."""
    change, answer = await _change(services, caller, "accept", entry_id, seen=seen)
    outcome = answer or await services.writer.accept(change, patience=caller.patience)
    return _result(change.operation_id, outcome)


async def reject(
    services: Services, caller: Caller, entry_id: int, *, reason: str = "", seen: str = ""
) -> Written | Running:
    """Reject an entry durably, for a reason that was scanned. Raises as `write` does."""
    change, answer = await _change(services, caller, "reject", entry_id, seen=seen, reason=reason)
    outcome = answer or await services.writer.reject(change, patience=caller.patience)
    return _result(change.operation_id, outcome)


async def forget(services: Services, caller: Caller, entry_id: int) -> Written | Running:
    """Forget an entry durably. Raises as `write` does."""
    change, answer = await _change(services, caller, "forget", entry_id)
    outcome = answer or await services.writer.forget(change, patience=caller.patience)
    return _result(change.operation_id, outcome)


async def resolve(
    services: Services, caller: Caller, conflict_id: int, decision: Decision, *, seen: str = ""
) -> Written | Running:
    """Settle a conflict durably, if its entries are still as the caller saw them. Raises as `write` does."""
    operation_id = _operation_id(services, caller)
    digest = _digest(services, "resolve", [caller.team_id, conflict_id, decision, *filter(None, [seen])])
    answer = await _answered(services, caller, operation_id, digest)
    _require_idle(services, caller, operation_id)
    resolution = Resolution(
        org_id=services.org_id,
        team_id=caller.team_id,
        conflict_id=conflict_id,
        decision=decision,
        seen=seen,
        source=caller.source,
        operation_id=operation_id,
        request_digest=digest.hex(),
    )
    outcome = answer or await services.writer.resolve(resolution, patience=caller.patience)
    return _result(operation_id, outcome)


async def purge(
    services: Services, caller: Caller, *, team_id: int | None, source: str | None, on: str
) -> Written | Running:
    """Forget all of a team or of the org (None), or what one source wrote, durably. Raises as `write` does."""
    operation_id = _operation_id(services, caller)
    digest = _digest(services, "purge", [caller.team_id, team_id, source])
    answer = await _answered(services, caller, operation_id, digest)
    what = Purge(
        org_id=services.org_id,
        asked_in=caller.team_id,
        team_id=team_id,
        written_by=source,
        on=on,
        source=caller.source,
        operation_id=operation_id,
        request_digest=digest.hex(),
    )
    return _result(operation_id, answer or await services.writer.purge(what, patience=caller.patience))


async def _change(
    services: Services, caller: Caller, name: str, entry_id: int, *, seen: str = "", reason: str = ""
) -> tuple[Change, Outcome | None]:
    operation_id = _operation_id(services, caller)
    digest = _digest(services, name, [caller.team_id, entry_id, *filter(None, [seen, reason])])
    change = Change(
        org_id=services.org_id,
        team_id=caller.team_id,
        entry_id=entry_id,
        source=caller.source,
        operation_id=operation_id,
        request_digest=digest.hex(),
        seen=seen,
        reason=reason,
        maintains=caller.maintains,
        agent_id=caller.agent_id,
    )
    answer = await _answered(services, caller, operation_id, digest)
    _require_idle(services, caller, operation_id)
    return change, answer


def _operation_id(services: Services, caller: Caller) -> str:
    if caller.request_id is None:
        return str(uuid.uuid4())
    return digests.operation_id(services.org_id, caller.team, caller.source, caller.request_id)


def _digest(services: Services, name: str, arguments: list[object]) -> bytes:
    return digests.request_digest(services.settings.digest_key.value, name, arguments)


async def _answered(services: Services, caller: Caller, operation_id: str, digest: bytes) -> Outcome | None:
    """Return the answer that a request with this id got before. Requests without an id are new."""
    if caller.request_id is None:
        return None
    async with tenant(services.pool, services.org_id) as conn:
        row = await _recorded(conn, services, operation_id, digest)
    if row is None:
        return None
    if not caller.joins and await state_of(row, services) in {"queued", "running"}:
        raise StillRunning(STILL_RUNNING)
    return _standing(row)


async def _retried(services: Services, caller: Caller, digest: bytes) -> Outcome | None:
    """Return the answer to a request without an id that a program made a moment ago and makes again."""
    if caller.request_id is not None or caller.is_person:
        return None
    async with tenant(services.pool, services.org_id) as conn:
        row = await operations.repeated(
            conn,
            org_id=services.org_id,
            team_id=caller.team_id,
            source=caller.source,
            digest=digest,
            seconds=RETRY_SECONDS,
        )
    return row.outcome if row else None


def _standing(row: Recorded) -> Outcome | None:
    return row.outcome if row.outcome is not None and row.outcome.stands else None


async def _recorded(conn: Connection, services: Services, operation_id: str, digest: bytes) -> Recorded | None:
    """Return the record of a request. Raises `Conflict` if its id was used for another one."""
    found = await operations.recorded(conn, org_id=services.org_id, operation_ids=[operation_id])
    row = found.get(operation_id)
    if row is not None and row.digest != digest:
        raise Conflict("this request id was used for another request; choose a new one")
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """A change that is one transaction of its own, and is made once for a request id."""

    services: Services
    caller: Caller
    name: str
    arguments: list[object]

    @property
    def operation_id(self) -> str:
        """Return the operation that the request id stands for; empty if the request has none."""
        return _operation_id(self.services, self.caller) if self.caller.request_id is not None else ""

    async def answer(self, conn: Connection) -> Outcome | None:
        """Return the answer that this request got before.

        Raises:
            Conflict: the request id was used for another request.
        """
        if self.caller.request_id is None:
            return None
        row = await _recorded(conn, self.services, _operation_id(self.services, self.caller), self._digest())
        return None if row is None else _standing(row)

    async def run(self, conn: Connection) -> str:
        """Return the run that this request began and that had no end then; empty if there is none."""
        if self.caller.request_id is None:
            return ""
        operation_id = _operation_id(self.services, self.caller)
        found = await operations.recorded(conn, org_id=self.services.org_id, operation_ids=[operation_id])
        row = found.get(operation_id)
        return row.workflow_id if row and row.outcome is None else ""

    async def begin(self, conn: Connection, run_id: str) -> None:
        """Keep which run this request waits for, so that the same request again waits for the same."""
        if self.caller.request_id is not None:
            await operations.begin(conn, org_id=self.services.org_id, begun=[self._begun()], workflow_id=run_id)

    async def record(self, conn: Connection, outcome: Outcome) -> None:
        """Keep the answer, in the transaction of the change."""
        if self.caller.request_id is None:
            return
        finished = [(self._begun(), outcome)]
        await operations.finish(conn, org_id=self.services.org_id, finished=finished, workflow_id="")

    def _begun(self) -> operations.Begun:
        return operations.Begun(
            operation_id=_operation_id(self.services, self.caller),
            team_id=self.caller.team_id,
            source=self.caller.source,
            name=self.name,
            digest=self._digest(),
        )

    def _digest(self) -> bytes:
        return _digest(self.services, self.name, [self.caller.team_id, *self.arguments])


def _result(operation_id: str, outcome: Outcome | None) -> Written | Running:
    metrics.count_write("running" if outcome is None else outcome.code)
    if outcome is None:
        return Running(operation_id=operation_id)
    if not outcome.ok:
        raise _FAULTS[outcome.code](outcome.describe())
    return Written(outcome=outcome, operation_id=operation_id)
