"""The application: one record an operation, and the one way in for every door."""

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields, replace
from datetime import datetime

from kapelle.domain import validation
from kapelle.domain.callers import Claim, Role
from kapelle.domain.errors import InvalidRequest, NotAllowed
from kapelle.operations import (
    access,
    add,
    edit,
    embeddings,
    export,
    exporting,
    hold,
    hot,
    importing,
    maintain,
    names,
    operating,
    propose,
    prove,
    purge,
    read,
    repeat,
    review,
    scan,
    search,
    team,
    team_export,
    team_tokens,
    tokens,
)
from kapelle.operations.operation import Operation
from kapelle.operations.results import Result
from kapelle.services import Services

MEMORY = (
    Operation(command="memory", name="search", request=search.Search, run=search.run, reads=True),
    Operation(command="memory", name="get", request=read.Get, run=read.get, reads=True),
    Operation(command="memory", name="hot", request=hot.Hot, run=hot.run, reads=True),
    Operation(command="memory", name="list", request=read.List, run=read.listing, reads=True),
    Operation(command="memory", name="propose", request=propose.Propose, run=propose.run),
    Operation(command="memory", name="add", request=add.Add, run=add.run),
    Operation(command="memory", name="accept", request=review.Accept, run=review.accept),
    Operation(command="memory", name="reject", request=review.Reject, run=review.reject),
    Operation(command="memory", name="edit", request=edit.Edit, run=edit.run),
    Operation(command="memory", name="forget", request=review.Forget, run=review.forget),
    Operation(command="memory", name="export", request=export.Export, run=export.export, reads=True),
    Operation(command="memory", name="history", request=read.ShowHistory, run=read.history, reads=True),
    Operation(
        command="memory",
        name="quarantined",
        request=review.Quarantined,
        run=review.quarantined,
        reads=True,
        needs=Role.MAINTAINER,
    ),
    Operation(command="memory", name="conflicts", request=review.Conflicts, run=review.conflicts, reads=True),
    Operation(command="memory", name="resolve", request=review.Resolve, run=review.resolve),
    Operation(command="memory", name="feedback", request=review.Feedback, run=review.rate),
    Operation(command="memory", name="receipt", request=review.Receipt, run=review.receipt, reads=True),
    Operation(command="memory", name="verify", request=prove.Verify, run=prove.verify, reads=True),
    Operation(command="memory", name="purge", request=purge.Purge, run=purge.run, needs=Role.ADMIN),
    Operation(command="memory", name="hold", request=hold.Place, run=hold.place, needs=Role.ADMIN),
    Operation(command="memory", name="holds", request=hold.Show, run=hold.show, reads=True, needs=Role.ADMIN),
    Operation(command="memory", name="lift-hold", request=hold.Lift, run=hold.lift, needs=Role.ADMIN),
    Operation(command="memory", name="operation", request=operating.ShowOperation, run=operating.show, reads=True),
    Operation(command="memory", name="operations", request=operating.Stuck, run=operating.stuck, reads=True),
    Operation(command="memory", name="cancel", request=operating.Cancel, run=operating.cancel),
    Operation(command="memory", name="scan", request=scan.Scan, run=scan.run, reads=True),
    Operation(command="memory", name="backfill", request=maintain.Backfill, run=maintain.backfill),
    Operation(command="memory", name="export-lines", request=exporting.ExportLines, run=exporting.run, reads=True),
    Operation(command="memory", name="import-lines", request=importing.ImportLines, run=importing.run),
    Operation(command="memory", name="import-report", request=importing.ShowImport, run=importing.show, reads=True),
)
TEAM = (
    Operation(command="team", name="create", request=team.Create, run=team.create),
    Operation(command="team", name="list", request=team.List, run=team.listing, reads=True),
    Operation(command="team", name="show", request=team.Show, run=team.show, reads=True),
    Operation(command="team", name="link-repo", request=team.LinkRepo, run=team.link_repo),
    Operation(
        command="team", name="export-schedule", request=team_export.ScheduleExports, run=team_export.schedule_exports
    ),
    Operation(command="team", name="add-member", request=team.AddMember, run=team.add_member),
    Operation(command="team", name="remove-member", request=team.RemoveMember, run=team.remove_member),
    Operation(command="team", name="add-agent", request=team.AddAgent, run=team.add_agent),
    Operation(command="team", name="remove-agent", request=team.RemoveAgent, run=team.remove_agent),
    Operation(command="team", name="create-token", request=team_tokens.CreateToken, run=team_tokens.create),
    Operation(command="team", name="list-tokens", request=team_tokens.ListTokens, run=team_tokens.listing, reads=True),
    Operation(command="team", name="revoke-token", request=team_tokens.RevokeToken, run=team_tokens.revoke),
    Operation(command="team", name="allow-host", request=team.AllowHost, run=team.allow_host),
    Operation(command="team", name="disallow-host", request=team.DisallowHost, run=team.disallow_host),
    Operation(command="team", name="language", request=team.SetLanguage, run=team.set_language),
    Operation(command="team", name="personal-data", request=team.SetPersonalData, run=team.set_personal_data),
)
EMBEDDINGS = (
    Operation(command="embeddings", name="status", request=embeddings.Status, run=embeddings.status, reads=True),
    Operation(command="embeddings", name="backfill", request=embeddings.Backfill, run=embeddings.backfill),
    Operation(command="embeddings", name="switch", request=embeddings.Switch, run=embeddings.switch),
    Operation(command="embeddings", name="drop", request=embeddings.Drop, run=embeddings.drop),
)
TOKENS = (Operation(command="tokens", name="show", request=tokens.Show, run=tokens.show, reads=True),)
_COMMANDS = (("memory", MEMORY), ("team", TEAM), ("embeddings", EMBEDDINGS), ("tokens", TOKENS))
OPERATIONS = {command: {one.name: one for one in many} for command, many in _COMMANDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to one operation, as a door read it."""

    operation: Operation
    arguments: tuple[str, ...]
    claim: Claim
    # Set for the memory command; a team command names its team among the arguments.
    team: str | None = None
    request_id: str | None = None
    # Seconds until the caller should hear something.
    patience: float
    # Stores a text although an entry says the same in other words; for people.
    force: bool = False
    # Asks for the entries' ids, or their versions, beside the rendered entries.
    wants_ids: bool = False
    # Asks for what an operation that is still running has done so far.
    wants_steps: bool = False
    wants_versions: bool = False
    # Asks which hits of a search clearly have to do with the question.
    wants_clear: bool = False
    # Asks for the open conflicts of the entry that is shown.
    wants_conflicts: bool = False
    # The past moment that a read is about, and the interval in which a written text holds.
    as_of: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None


def find(command: str, name: str) -> Operation:
    """Return an operation by its command and name.

    Raises:
        InvalidRequest: naming what there is.
    """
    if command not in OPERATIONS:
        raise InvalidRequest(f"unknown command; expected one of ({', '.join(OPERATIONS)})")
    if name not in OPERATIONS[command]:
        raise InvalidRequest(f"unknown {command} operation; expected one of ({', '.join(OPERATIONS[command])})")
    return OPERATIONS[command][name]


async def perform(call: Call, services: Services) -> Result:
    """Authorize the caller and run the operation.

    Raises:
        Fault: everything that is refused or cannot be done, with a sentence for the caller.
    """
    request = _request(call.operation, call.arguments)
    names.require_no_secret(**names.of_claim(call.claim), team=call.team)
    if call.operation.command == "team":
        names.require_no_secret(**names.of_request(request))
        return await repeat.once(call.operation, request, call.claim, call.request_id, services)
    if call.operation.command == "embeddings":
        names.require_no_secret(**names.of_request(request))
        visit = embeddings.Visit(claim=call.claim, request_id=call.request_id, patience=call.patience)
        return await call.operation.run(request, visit, services)
    if call.operation.command == "tokens":
        return await call.operation.run(request, call.claim, services)
    if call.team is None:
        raise InvalidRequest("the request names no team")
    operation = call.operation
    caller = await access.caller(
        services, call.claim, call.team, needs=operation.needs, request_id=call.request_id, patience=call.patience
    )
    if call.force and not caller.is_person:
        raise NotAllowed("only a person can force a write")
    validation.interval(call.valid_from, call.valid_until)
    caller = replace(
        caller, force=call.force, as_of=call.as_of, valid_from=call.valid_from, valid_until=call.valid_until
    )
    return await operation.run(request, caller, services)


def _request(operation: Operation, arguments: Sequence[str]) -> object:
    names = [field.name for field in fields(operation.request)]
    needed = sum(field.default is MISSING for field in fields(operation.request))
    if not needed <= len(arguments) <= len(names):
        usage = operation.usage()
        optional = ", where ? marks what may be left out" if "?" in usage else ""
        raise InvalidRequest(f"'{operation.name}' got {len(arguments)} arguments; it takes {usage}{optional}")
    read = {
        name: validation.storable(name.replace("_", " "), text) for name, text in zip(names, arguments, strict=False)
    }
    return operation.request(**read)
