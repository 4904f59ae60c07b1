"""Binds what a request may claim to the NATS account that it came through, as the server stamps it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from kapelle.domain.errors import NotAllowed
from kapelle.operations import Call

# Set by the server on requests through a service import that shares its caller; whatever a client puts there under
# this very name is replaced, and a name in other letters is another header.
INFO_HEADER = "Nats-Request-Info"
# What agents may do; people decide on everything else.
AGENT_OPERATIONS = frozenset({"search", "get", "list", "propose", "feedback"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """The accounts of callers by what they may claim; when all are empty, claims are bound to none."""

    people: str = ""
    agents: str = ""
    # Of doors that establish their callers themselves, by token, and may claim any.
    doors: str = ""

    def admit(self, call: Call, headers: Mapping[str, str] | None) -> None:
        """Let a request through if its account may claim its caller.

        Raises:
            NotAllowed: otherwise, also for a request without the server's stamp.
        """
        if not (self.people or self.agents or self.doors):
            return
        account = _account(headers or {})
        if not account or account not in {self.people, self.agents, self.doors}:
            raise NotAllowed("this connection's account may not send commands")
        if account == self.people:
            _require_person(call)
        elif account == self.agents:
            _require_agent(call)


def _account(headers: Mapping[str, str]) -> str:
    try:
        info = json.loads(headers.get(INFO_HEADER, ""))
    except ValueError:
        return ""
    account = info.get("acc") if isinstance(info, dict) else None
    return account if isinstance(account, str) else ""


def _require_person(call: Call) -> None:
    if call.claim.source is not None:
        raise NotAllowed("this connection's account speaks for people; name a user and no source")


def _require_agent(call: Call) -> None:
    source = call.claim.source
    if source is None or not source.startswith("agent:"):
        raise NotAllowed("this connection's account speaks for agents; name a source such as agent:payments/coder")
    if call.operation.command != "memory" or call.operation.name not in AGENT_OPERATIONS:
        raise NotAllowed(f"agents may only {', '.join(sorted(AGENT_OPERATIONS))}; ask a person for the rest")
