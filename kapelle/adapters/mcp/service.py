"""The memory service as the MCP server sees it: one request over NATS, one reply, and faults by their codes."""

import hashlib
import json
from dataclasses import dataclass

from nats import errors
from nats.aio.client import Client

from kapelle.adapters.nats.server import SUBJECT
from kapelle.adapters.nats.wire import ERROR_HEADER, TIMEOUT_HEADER
from kapelle.domain.errors import NotFound, Unavailable

SOURCE = "service:mcp"
# A write is answered within the service's own limit, 4 seconds by default; the rest is for the way.
ANSWER_SECONDS = 10.0
READ, PROPOSE = "read", "propose"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Who is calling, as its token says."""

    source: str
    scopes: frozenset[str]

    @property
    def team(self) -> str:
        return self.source.removeprefix("agent:").partition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the service answered: ids of the entries and whether they clearly match, where that was asked for."""

    text: str
    entries: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    clear: tuple[bool, ...] = ()


class RefusedByService(Exception):
    """The service refused; `code` is a fault's, the message one sentence for the caller."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class Service:
    """Asks the command contract over one connection."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def agent(self, token: str) -> Agent | None:
        """Return the agent that a token stands for now; None if there is none.

        Raises:
            RefusedByService: when the service cannot say, which is not the token's fault.
        """
        digest = hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
        try:
            reply = await self._ask({"command": "tokens", "args": ["show", digest], "source": SOURCE})
        except RefusedByService as refusal:
            if refusal.code == NotFound.code:
                return None
            raise
        return Agent(source=reply.text, scopes=frozenset(reply.entries))

    async def memory(self, agent: Agent, *arguments: str) -> Reply:
        """Ask the memory command as an agent, in its own team.

        Raises:
            RefusedByService: with the service's sentence.
        """
        return await self._ask(
            {
                "command": "memory",
                "team": agent.team,
                "source": agent.source,
                "args": arguments,
                "ids": True,
                "clear": True,
            }
        )

    async def _ask(self, request: dict[str, object]) -> Reply:
        data = json.dumps(request, ensure_ascii=False).encode("utf-8", "surrogatepass")
        headers = {TIMEOUT_HEADER: str(int(ANSWER_SECONDS * 1000))}
        try:
            message = await self._client.request(SUBJECT, data, timeout=ANSWER_SECONDS, headers=headers)
        except errors.NoRespondersError:
            raise RefusedByService("the memory service is down; nothing was done", Unavailable.code) from None
        except errors.MaxPayloadError:
            raise RefusedByService(f"{len(data)} bytes are more than the server takes", "invalid_request") from None
        except (errors.Error, OSError):
            raise RefusedByService(f"no answer came within {ANSWER_SECONDS:g} s", Unavailable.code) from None
        reply = json.loads(message.data)
        if reply["ok"] is not True:
            raise RefusedByService(reply["error"], (message.headers or {}).get(ERROR_HEADER, ""))
        return Reply(
            text=reply["text"],
            entries=tuple(reply.get("entries", ())),
            ids=tuple(reply.get("ids", ())),
            clear=tuple(reply.get("clear", ())),
        )
