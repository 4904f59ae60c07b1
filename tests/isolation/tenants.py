"""Two tenants on one database with the same names: one has a secret of every kind, the other asks for all of them."""

import json
import re
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from kapelle.store import bootstrap
from tests.memory import BEGINNING, Memory, running_memory
from tests.stack import Database, Temporal
from tests.web import Web, a_memory, running_web
from workers.stack.servers import Addresses

OURS, THEIRS = "default", "zeta"
# The other tenant: the same team, person and agent by name, with tokens of its own.
BEGINNING_OF_THEIRS = bootstrap.Beginning(
    org=THEIRS, team="demo", person="ada", agent="coder", admin_token="kap_their_admin", agent_token="kap_their_agent"
)
THEIR_ADMIN, THEIR_AGENT = BEGINNING_OF_THEIRS.admin_token, BEGINNING_OF_THEIRS.agent_token
# In every text that is ours; no answer to them may hold it.
SENTINEL = "xylozone"
NOBODYS_ID = 987_654_321
NOBODYS_OPERATION = "6b1f8f5e-4d0e-4c39-9a63-1d0f6a2d7c11"
OUR_TEAM = f"{SENTINEL}-team"


# Takes what stands for the secret's id, and returns the whole answer.
Send = Callable[[str], Coroutine[Any, Any, str]]


@dataclass(kw_only=True)
class Secrets:
    """What the first tenant has, by the ids under which it could be asked for."""

    # By what it is: proposed, curated, superseded, quarantined, own, forgotten.
    entries: dict[str, int] = field(default_factory=dict)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    operations: list[str] = field(default_factory=list)
    conflicts: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    keys: dict[str, dict[str, Any]] = field(default_factory=dict)
    cursors: dict[str, str] = field(default_factory=dict)


@asynccontextmanager
async def serving(servers: Addresses, database: Database, org: str, **changes: Any) -> AsyncIterator[Web]:
    """Run a service whose NATS adapter serves one org; its HTTP door serves whomever a token names."""
    queue = f"test-{uuid.uuid4().hex}"
    temporal = Temporal(address=servers.temporal_address, namespace="default", task_queue=queue)
    async with (
        running_memory(database, servers.nats_url, temporal, org=org, **changes) as memory,
        running_web(memory) as web,
    ):
        async with memory.services.pool.acquire() as connection:
            await bootstrap.begin(connection, BEGINNING_OF_THEIRS)
        yield web


async def fill(web: Web) -> Secrets:
    """Let the first tenant have something of every kind."""
    secrets = Secrets()
    for number, name in enumerate(("proposed", "curated", "superseded", "quarantined", "own", "forgotten")):
        body = _body(name, number)
        if name == "own":
            body["visibility"] = "agent"
        if name == "quarantined":
            await web.memory.team("personal-data", "demo", "quarantine")
            body["body"] += f" Ask {SENTINEL}@navy.mil about it."
        answer = await web.post("/v1/memories", body, token=BEGINNING.agent_token, key=f"{SENTINEL}-{name}")
        if name == "quarantined":
            await web.memory.team("personal-data", "demo", "default")
        assert answer.status_code in {201, 202}, answer.text
        secrets.entries[name] = answer.json()["id"]
        secrets.operations.append(answer.json()["operation_id"])
        secrets.bodies[name], secrets.keys[f"{SENTINEL}-{name}"] = body, body
    await _decide(web, secrets)
    await _connect(web, secrets)
    return secrets


def _body(name: str, number: int) -> dict[str, Any]:
    return a_memory(
        title=f"{SENTINEL} {name}",
        body=f"The {SENTINEL} of {name} runs {number + 3} times a day.",
        tags=[SENTINEL],
        metadata={SENTINEL: number},
        source_span={"source": f"{SENTINEL}.md", "start": 1, "end": 2},
    )


async def _decide(web: Web, secrets: Secrets) -> None:
    entries = secrets.entries
    decided = [
        await web.post(f"/v1/memories/{entries['curated']}/accept"),
        await web.post(
            f"/v1/memories/{entries['superseded']}/supersede",
            a_memory(title=f"{SENTINEL} successor", body=f"The {SENTINEL} rests by night."),
        ),
        await web.post(f"/v1/memories/{entries['forgotten']}/forget"),
    ]
    assert [answer.status_code for answer in decided] == [200, 201, 200], [answer.text for answer in decided]
    secrets.operations += [answer.json()["operation_id"] for answer in decided]
    entries["successor"] = decided[1].json()["id"]
    await web.post(f"/v1/memories/{entries['curated']}/feedback", {"vote": "helpful"})


async def _connect(web: Web, secrets: Secrets) -> None:
    """Add a conflict, a team and tokens, and take cursors of lists."""
    await web.stored(title=f"{SENTINEL} curated", body=f"The {SENTINEL} of curated runs 9 times a day.")
    secrets.conflicts = [one["id"] for one in (await web.get("/v1/conflicts")).json()["conflicts"]]
    await web.memory.team("create", OUR_TEAM)
    await web.memory.team("link-repo", OUR_TEAM, f"https://github.com/{SENTINEL}/repository")
    listed = (await web.memory.team("list-tokens", "demo"))["entries"]
    secrets.tokens = [int(line.partition(" ")[0]) for line in listed]
    for address in ("/v1/memories?limit=1", f"/v1/memories?limit=1&tag={SENTINEL}"):
        secrets.cursors[address] = (await web.get(address)).json()["next_cursor"]
    assert secrets.conflicts
    assert secrets.tokens
    assert all(secrets.cursors.values())


async def rows_of(memory: Memory, org: str) -> dict[str, list[str]]:
    """Return every row of an org in every table, as text that can be compared."""
    tables = await memory.rows(
        "select c.relname::text as name from pg_class as c join pg_namespace as n on n.oid = c.relnamespace "
        "where n.nspname = 'ibex_core' and c.relkind = 'r' order by 1"
    )
    return {
        table["name"]: [
            row["text"]
            for row in await memory.rows(
                f"select t::text as text from ibex_core.{table['name']} as t where org_id = $1 order by 1", org
            )
        ]
        for table in tables
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One thing that somebody asks for."""

    # The way of asking, which differs for two secrets of one kind by their ids alone.
    way: str
    what: object
    secret: str
    nobodys: str
    send: Send

    @property
    def name(self) -> str:
        return f"{self.way}: {self.what}"

    def leak(self, answer: str, nobodys_answer: str, forbidden: tuple[str, ...]) -> str | None:
        """Return what an answer gives away beside what is answered for an id that never was; None for nothing."""
        told, untold = without(self.secret, answer), without(self.nobodys, nobodys_answer)
        words = [word for word in forbidden if word in told]
        if words or told != untold:
            return f"{self.name}: {words or ''} {answer} differs from {nobodys_answer}"
        return None


def without(secret: str, answer: str) -> str:
    """Return an answer with the id that was asked for blotted out, where it stands as a word of its own."""
    return re.sub(rf"(?<![\w-]){re.escape(secret)}(?![\w-])", "…", answer)


def over_http(web: Web, method: str, path: str, body: Any, token: str) -> Send:
    """Return what asks over HTTP; `{}` in the path stands for the id."""

    async def send(secret: str) -> str:
        sent = json.loads(json.dumps(body).replace("{}", secret))
        answer = await web.call(method, path.replace("{}", secret), sent, token=token, X_Request_Id="same")
        return f"{answer.status_code} {answer.text}"

    return send


def over_nats(web: Web, command: str, args: tuple[str, ...], **caller: str) -> Send:
    """Return what asks over NATS; `{}` in an argument stands for the id."""

    async def send(secret: str) -> str:
        filled = [argument.replace("{}", secret) for argument in args]
        return json.dumps(await web.memory.ask(*filled, command=command, **caller))

    return send
