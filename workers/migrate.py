"""`python -m workers migrate`: brings the schema up to date, lets the product's role in, and begins the org."""

from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

import asyncpg

from kapelle.settings import SettingsError
from kapelle.store import bootstrap
from workers.stack import database, endpoints

_NEEDED = ("KAPELLE_DATABASE_OWNER_URL", "KAPELLE_DATABASE_URL")
_TOKENS = ("KAPELLE_ADMIN_TOKEN", "KAPELLE_AGENT_TOKEN")


async def run(env: Mapping[str, str]) -> None:
    """Do what is missing and end; running it again changes nothing. Without tokens, no org is begun.

    Raises:
        SettingsError: when an address is missing.
        MigrationError: with what dbmate said.
    """
    missing = [name for name in _NEEDED if not env.get(name)]
    if missing:
        raise SettingsError("; ".join(f"{name} is missing" for name in missing))
    owner, product = (env[name] for name in _NEEDED)
    await database.migrate(owner)
    role = urlsplit(product)
    await database.admit(owner, unquote(role.username or ""), unquote(role.password or ""))
    if all(env.get(name) for name in _TOKENS):
        await _begin(product, env)


async def _begin(product: str, env: Mapping[str, str]) -> None:
    admin_token, agent_token = (env[name] for name in _TOKENS)
    beginning = bootstrap.Beginning(
        org=env.get("KAPELLE_ORG") or "default",
        team=endpoints.TEAM,
        person=endpoints.PERSON,
        agent=endpoints.AGENT,
        admin_token=admin_token,
        agent_token=agent_token,
    )
    connection = await asyncpg.connect(product)
    try:
        await bootstrap.begin(connection, beginning)
    finally:
        await connection.close()
