"""The HTTP application: every route on the operations that all doors share."""

from fastapi import FastAPI

from kapelle.adapters.http import bulk, faults, health, memories, operations, reviews
from kapelle.adapters.http.frame import Frame
from kapelle.adapters.http.visitors import Doorway
from kapelle.adapters.slots import Slots
from kapelle.services import Tenants

_DESCRIPTION = """
The memory that a team and its coding agents share. Who asks is said by the access token alone: its org, its agent or
person, and what it may do. Every answer has `X-Request-Id`; every error has the shape of `ErrorAnswer`.
"""


def create_app(tenants: Tenants) -> FastAPI:
    """Build the application on open services."""
    settings = tenants.own.settings
    app = FastAPI(
        title="Kapelle memory",
        version="1",
        description=_DESCRIPTION.strip(),
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.doorway = Doorway(tenants=tenants, reads=Slots(settings.read_limit), writes=Slots(settings.write_limit))
    faults.install(app)
    # Before the routes with an id, which would take the word `bulk` for one.
    for router in (bulk.router, memories.router, reviews.router, operations.router, health.router):
        app.include_router(router)
    app.add_middleware(Frame)
    return app
