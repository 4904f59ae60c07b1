"""A token that stands for no agent sees nothing, from one moment to the next."""

import asyncpg
import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from tests.mcp.doors import Door, listening
from tests.memory import Memory

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
END = {
    "revoked": "update ibex_core.access_tokens set revoked_at = now() where agent_id is not null",
    "expired": "update ibex_core.access_tokens set expires_at = now() where agent_id is not null",
}


async def change(memory: Memory, statement: str) -> None:
    connection = await asyncpg.connect(memory.database.owner_dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def test_a_token_that_is_revoked_in_the_middle_sees_nothing_from_then_on(door: Door, memory: Memory) -> None:
    async with door("kap_agent") as client:
        await client.list_tools()
        await change(memory, END["revoked"])
        with pytest.raises(MCPError):
            await client.call_tool("memory_search", {"query": "x"})


async def test_over_http_no_token_but_an_agents_own_is_let_in(memory: Memory) -> None:
    async with listening(memory.services.settings.nats_url.value) as url, httpx2.AsyncClient() as http:
        headers = [(b"authorization", f"Bearer {token}".encode()) for token in ("kap_unknown", "kap_admin", "é")]
        for given in ([], *([header] for header in headers)):
            answer = await http.post(url, json=LIST, headers=given)
            assert (answer.status_code, "tools" in answer.text) == (401, False)
        for statement in END.values():
            await change(memory, "update ibex_core.access_tokens set revoked_at = null, expires_at = null")
            await change(memory, statement)
            answer = await http.post(url, json=LIST, headers={"Authorization": "Bearer kap_agent"})
            assert (answer.status_code, "tools" in answer.text) == (401, False)
