"""The HTTP door of a running memory service, as an outsider sees it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from kapelle.adapters.http.app import create_app
from kapelle.services import Tenants
from tests.memory import BEGINNING, Memory
from workers.http import serving

ADMIN, AGENT = BEGINNING.admin_token, BEGINNING.agent_token
SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """The door, and the service behind it."""

    memory: Memory
    client: httpx.AsyncClient

    async def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = ADMIN,
        key: str | None = None,
        **headers: str,
    ) -> httpx.Response:
        """Send one request; `body` is sent as JSON."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        if key is not None:
            sent["Idempotency-Key"] = key
        return await self.client.request(method, path, json=body, headers=sent)

    async def post(self, path: str, body: object = None, **more: Any) -> httpx.Response:
        return await self.call("POST", path, body, **more)

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self.call("GET", path, **more)

    async def stored(self, **fields: Any) -> dict[str, Any]:
        """Store an entry, and return the answer."""
        token = fields.pop("token", AGENT)
        answer = await self.post("/v1/memories", a_memory(**fields), token=token)
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found


def a_memory(**fields: Any) -> dict[str, Any]:
    """Return the body of a request to store an entry."""
    return {"kind": "gotcha", "title": "Webhook retries", "body": "The webhook retries 3 times.", **fields}


def code_of(answer: httpx.Response) -> str:
    """Return the code of an error, whose shape is checked."""
    error = answer.json()["error"]
    assert {"code", "message", "request_id"} <= error.keys()
    assert error["request_id"] == answer.headers["X-Request-Id"]
    return str(error["code"])


@asynccontextmanager
async def running_web(memory: Memory) -> AsyncIterator[Web]:
    """Serve HTTP on a free port beside a running memory service."""
    tenants = Tenants(memory.services)
    async with (
        serving(create_app(tenants), "127.0.0.1", 0) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS, trust_env=False) as client,
    ):
        yield Web(memory=memory, client=client)
        await tenants.drain(5)
