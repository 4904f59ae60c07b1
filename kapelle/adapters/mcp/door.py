"""The HTTP door: a bearer token is asked for before anything is answered."""

from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from kapelle.adapters.mcp.server import NO_AGENT, create
from kapelle.adapters.mcp.service import Agent, RefusedByService, Service

PATH = "/mcp"
_AGENT = "kapelle.agent"
_SCHEME = "bearer "


def app(service: Service, host: str) -> ASGIApp:
    """Return the application. It keeps no sessions, so that any process answers any request."""
    server = create(service, _identified)
    # A name that others may call this host by is not known; without its bearer token no request gets this far.
    loopback = host in {"127.0.0.1", "localhost", "::1"}
    security = None if loopback else TransportSecuritySettings(enable_dns_rebinding_protection=False)
    inner = server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, host=host, transport_security=security
    )
    return _Door(inner, service)


async def _identified(context: object) -> Agent | None:
    """Return whom the door let in with this request."""
    request = getattr(context, "request", None)
    agent = None if request is None else request.scope.get(_AGENT)
    return agent if isinstance(agent, Agent) else None


class _Door:
    """Lets in requests whose token stands for an agent, and notes the agent for the server behind it."""

    def __init__(self, inner: ASGIApp, service: Service) -> None:
        self._inner = inner
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        try:
            agent = await self._agent(Headers(scope=scope).get("authorization", ""))
        except RefusedByService as refusal:
            await JSONResponse({"error": refusal.message}, status_code=503)(scope, receive, send)
            return
        if agent is None:
            refused = JSONResponse({"error": NO_AGENT}, status_code=401, headers={"WWW-Authenticate": "Bearer"})
            await refused(scope, receive, send)
            return
        await self._inner({**scope, _AGENT: agent}, receive, send)

    async def _agent(self, authorization: str) -> Agent | None:
        if not authorization.lower().startswith(_SCHEME):
            return None
        return await self._service.agent(authorization[len(_SCHEME) :].strip())
