"""Access tokens: random, shown once, stored hashed."""

import hashlib
import secrets
from collections.abc import Sequence

from kapelle.store.pool import Connection

INSERT_FOR_AGENT = """
insert into ibex_core.access_tokens (org_id, token_hash, agent_id, scopes) values ($1, $2, $3, $4)
"""


def new_token() -> str:
    return f"kap_{secrets.token_urlsafe(32)}"


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


async def add_for_agent(conn: Connection, *, org_id: str, agent_id: int, token: str, scopes: Sequence[str]) -> None:
    await conn.execute(INSERT_FOR_AGENT, org_id, token_hash(token), agent_id, list(scopes))
