"""A planted secret and a planted address, through everything that takes text, are nowhere afterwards.

On the whole stack with its own processes and files. A harmless word that went the same ways is found by the same
search.
"""

import json
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.aio.client import Client as Nats
from temporalio.client import Client

from benchmarks.scan_data import values
from tests.traces import files, found, histories, tables, workflow_ids
from tests.workers.running import Up, up

RANDOM = values.seeded("canary")
TOKEN = values.checked(RANDOM, "ghp_")
TYPED = "Schwalbe7?nest"
ADDRESS = "ottilie.brunnengraf" + "@" + "posteo.net"
# Parts that would give the whole away, so that a piece of it is found as well.
PLANTED = (TOKEN, TOKEN[4:24], TYPED, ADDRESS, "brunnengraf")
CONTROL = "lampenfieber"
AGENT = "agent:demo/coder"


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kapelle-canary-", ignore_cleanup_errors=True) as folder:
        # As root, PostgreSQL's user has to pass through; otherwise its data would lie elsewhere.
        Path(folder).chmod(0o711)
        yield Path(folder) / "home"


async def test_what_was_planted_is_in_no_table_log_history_file_or_reply_and_the_control_is(home: Path) -> None:
    async with up(home) as stack:
        replies = await _everything_is_asked(stack)
        dsn = stack.endpoints["postgres_dsn"]
        rows = await tables(dsn)
        client = await Client.connect(stack.endpoints["temporal_address"])
        temporal = await histories(client, await workflow_ids(dsn), _payload_keys(home))
        said = stack.lines
        assert await stack.end(signal.SIGTERM) == 0

    places = {f"file {name}": content for name, content in files(home.parent).items()}
    places |= {f"table {name}": text.encode() for name, text in rows.items()}
    places |= {
        "history": temporal.raw.encode(),
        "history, decrypted": temporal.readable.encode(),
        "replies": json.dumps(replies, ensure_ascii=False).encode(),
        "terminal": "\n".join(said).encode(),
    }
    assert [(marker, place) for marker in PLANTED for place, content in places.items() if found(marker, content)] == []

    has_control = {place.split()[0] for place, content in places.items() if found(CONTROL, content)}
    assert has_control == {"file", "table", "history,", "replies"}
    assert found(CONTROL, places["table ibex_core.memories"])
    assert found("[EMAIL]", places["table ibex_core.memories"])
    assert any(name.startswith("file") and name.endswith(".log") and content for name, content in places.items())


async def _everything_is_asked(stack: Up) -> list[dict[str, Any]]:
    """Bring the planted texts to every operation that takes text, and look at what it stored in every way there is."""
    client = await nats.connect(stack.endpoints["nats_url"])
    replies = []
    try:
        for request in _requests(stack.endpoints["person"]):
            reply = await _ask(client, request)
            # What is refused says so; what is asked of entries that are there is answered.
            assert reply["ok"] != request.pop("refused", False), (request["args"][0], reply)
            replies.append(reply)
    finally:
        await client.close()
    return replies


def _requests(person: str) -> Iterator[dict[str, Any]]:
    def memory(*args: str, **fields: Any) -> dict[str, Any]:
        return {"command": "memory", "team": "demo", "args": list(args), "user": person, **fields}

    def team(*args: str, **fields: Any) -> dict[str, Any]:
        return {"command": "team", "args": list(args), "user": person, **fields}

    note = f"{CONTROL} is known to {ADDRESS}."
    yield memory("propose", "fact", f"Who knows, {ADDRESS}", note, "stage", source=AGENT)
    yield memory("add", "decision", "Rehearsal", f"Ask {ADDRESS} about {CONTROL} before rehearsal.", request_id=TOKEN)
    for secret in (f"the token is {TOKEN}", f"the password is {TYPED}", f"curl -u ops:{TYPED} https://github.com/a/b"):
        yield memory("propose", "fact", "Access", secret, source=AGENT, refused=True)
        yield memory("add", "fact", "Access", f"{CONTROL}: {secret}", force=True, refused=True)
        yield memory("edit", "1", "fact", "Access", secret, refused=True)
        yield memory("scan", "Access", secret)
        yield memory("search", secret)
    yield memory("add", "fact", TOKEN, "Body", refused=True)
    yield memory("add", "fact", "Title", "Body", f"infra,{TOKEN}", refused=True)
    yield memory("add", "fact", "Title", "Body", f"infra,{ADDRESS}", refused=True)
    yield memory("add", TOKEN, "Title", "Body", refused=True)
    yield memory("get", TOKEN, refused=True)
    yield memory("operation", TOKEN, refused=True)
    yield memory("feedback", "1", TOKEN, refused=True)
    yield memory(TOKEN, refused=True)
    yield memory("list", team=TOKEN, refused=True)
    yield memory("list", source=f"agent:demo/{TOKEN}", refused=True)
    yield memory("list", user=TOKEN, refused=True)
    yield team("create", "stage", TOKEN, refused=True)
    yield team("create", TOKEN, refused=True)
    yield team("add-agent", "demo", TOKEN.lower(), refused=True)
    yield team("add-member", "demo", TOKEN, "viewer", refused=True)
    yield team("link-repo", "demo", f"https://github.com/{TOKEN}/payments", refused=True)
    yield memory("edit", "2", "decision", "Rehearsal", f"{CONTROL}, says {ADDRESS}, is over after rehearsal.")
    yield memory("accept", "1")
    for looks in (("list",), ("get", "1"), ("history", "1"), ("conflicts",), ("export",), ("search", CONTROL)):
        yield memory(*looks)
    yield memory("feedback", "1", "helpful")


async def _ask(client: Nats, request: dict[str, Any]) -> dict[str, Any]:
    data = json.dumps({key: value for key, value in request.items() if key != "refused"}).encode()
    reply: dict[str, Any] = json.loads((await client.request("kapelle.controller.command", data, 20)).data)
    return reply


def _payload_keys(home: Path) -> str:
    kept: dict[str, Any] = json.loads(home.joinpath("secrets.json").read_text(encoding="utf-8"))
    return str(kept["payload_keys"])
