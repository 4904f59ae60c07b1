"""Everything that one tenant can ask for what another one has: by every door, operation and kind of id."""

from collections.abc import Iterator

from tests.isolation.tenants import (
    NOBODYS_ID,
    NOBODYS_OPERATION,
    OUR_TEAM,
    THEIR_ADMIN,
    THEIR_AGENT,
    Attempt,
    Secrets,
    over_http,
    over_nats,
)
from tests.web import Web, a_memory

TOKENS = {"admin": THEIR_ADMIN, "agent": THEIR_AGENT}
CALLERS = {"person": {"user": "ada"}, "agent": {"source": "agent:demo/coder"}, "gateway": {"source": "gateway"}}
REPLACEMENT = a_memory(title="Taken over", body="It was taken over.")
ENTRY_ROUTES = (
    ("GET", "", None),
    ("GET", "/history", None),
    ("POST", "/feedback", {"vote": "helpful"}),
    ("POST", "/propose", None),
    ("POST", "/forget", None),
    ("POST", "/accept", None),
    ("POST", "/supersede", REPLACEMENT),
)
ENTRY_COMMANDS = (
    ("get", "{}"),
    ("history", "{}"),
    ("feedback", "{}", "unhelpful"),
    ("accept", "{}"),
    ("forget", "{}"),
    ("edit", "{}", "fact", "Taken over", "It was taken over."),
)
TEAM_COMMANDS = (
    ("show", "{}"),
    ("list-tokens", "{}"),
    ("link-repo", "{}", "https://github.com/acme/taken"),
    ("add-member", "{}", "ada", "maintainer"),
    ("remove-member", "{}", "ada"),
    ("add-agent", "{}", "spy"),
    ("remove-agent", "{}", "coder"),
    ("allow-host", "{}", "evil.example.com"),
    ("personal-data", "{}", "off"),
    ("create-token", "{}", "agent:coder"),
)


def by_id(web: Web, secrets: Secrets) -> Iterator[Attempt]:
    """Yield every way to name something by its id."""
    yield from _entries(web, secrets)
    yield from _operations(web, secrets)
    yield from _conflicts(web, secrets)
    yield from _teams(web, secrets)


def _entries(web: Web, secrets: Secrets) -> Iterator[Attempt]:
    for what, entry_id in secrets.entries.items():
        for who, token in TOKENS.items():
            for method, path, body in ENTRY_ROUTES:
                send = over_http(web, method, f"/v1/memories/{{}}{path}", body, token)
                way = f"http {who} {method} entry {path or 'show'}"
                yield Attempt(way=way, what=what, secret=str(entry_id), nobodys=str(NOBODYS_ID), send=send)
        for who, caller in CALLERS.items():
            for args in ENTRY_COMMANDS:
                send = over_nats(web, "memory", args, **caller)
                way = f"nats {who} {args[0]}"
                yield Attempt(way=way, what=what, secret=str(entry_id), nobodys=str(NOBODYS_ID), send=send)


def _operations(web: Web, secrets: Secrets) -> Iterator[Attempt]:
    for number, operation_id in enumerate(secrets.operations):
        for who, token in TOKENS.items():
            for method, path in (("GET", ""), ("POST", "/cancel")):
                send = over_http(web, method, f"/v1/operations/{{}}{path}", None, token)
                way = f"http {who} {method} operation {path}"
                yield Attempt(way=way, what=number, secret=operation_id, nobodys=NOBODYS_OPERATION, send=send)
        for name in ("operation", "cancel"):
            send = over_nats(web, "memory", (name, "{}"), user="ada")
            yield Attempt(way=f"nats {name}", what=number, secret=operation_id, nobodys=NOBODYS_OPERATION, send=send)


def _conflicts(web: Web, secrets: Secrets) -> Iterator[Attempt]:
    for conflict_id in secrets.conflicts:
        for decision in ("keep-both", "keep-first", "keep-second"):
            send = over_http(web, "POST", "/v1/conflicts/{}/resolve", {"decision": decision}, THEIR_ADMIN)
            yield Attempt(
                way=f"http {decision}", what=conflict_id, secret=str(conflict_id), nobodys=str(NOBODYS_ID), send=send
            )
            send = over_nats(web, "memory", ("resolve", "{}", decision), user="ada")
            yield Attempt(
                way=f"nats {decision}", what=conflict_id, secret=str(conflict_id), nobodys=str(NOBODYS_ID), send=send
            )


def _teams(web: Web, secrets: Secrets) -> Iterator[Attempt]:
    nobodys = "nobodys-team"
    for args in TEAM_COMMANDS:
        send = over_nats(web, "team", args, user="ada")
        yield Attempt(way=f"nats team {args[0]}", what=OUR_TEAM, secret=OUR_TEAM, nobodys=nobodys, send=send)
    for token_id in secrets.tokens:
        send = over_nats(web, "team", ("revoke-token", "demo", "{}"), user="ada")
        yield Attempt(
            way="nats team revoke-token", what=token_id, secret=str(token_id), nobodys=str(NOBODYS_ID), send=send
        )
    for who, token in TOKENS.items():
        for path in ("/v1/memories?team={}", "/v1/conflicts?team={}", "/v1/operations?team={}"):
            send = over_http(web, "GET", path, None, token)
            yield Attempt(way=f"http {who} {path}", what=OUR_TEAM, secret=OUR_TEAM, nobodys=nobodys, send=send)
        for claim in ("org_id", "agent_id", "team"):
            send = over_http(web, "POST", "/v1/memories", {**REPLACEMENT, claim: "{}"}, token)
            yield Attempt(
                way=f"http {who} body names {claim}", what="default", secret="default", nobodys="nowhere", send=send
            )
