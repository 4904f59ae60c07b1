"""When the service is down, silent or out of reach, the client says what happened and what did not."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import nats
import pytest
from nats.aio.msg import Msg

from kapelle.adapters.cli.wire import ERROR_HEADER, SUBJECT
from tests.adapters.cli.running import ROOT, SECONDS, kapelle, start
from tests.memory import Memory

WHO = ("--team", "demo", "--user", "ada")
# Nothing listens on the port of the multiplexer service, which no system has had for decades.
NOBODY = "nats://somebody:a-password@127.0.0.1:1"


@dataclass(slots=True)
class Silence:
    """Takes requests and never answers them."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, _: Msg) -> None:
        self.asked.set()


@pytest.fixture
async def silence(nats_url: str) -> AsyncIterator[Silence]:
    taker = Silence()
    client = await nats.connect(nats_url)
    await client.subscribe(SUBJECT, cb=taker.take)
    # The first ping can overtake the subscription, which a task of the client writes; the second cannot.
    await client.flush()
    await client.flush()
    yield taker
    await client.close()


async def test_without_a_service_behind_the_server_nothing_happened(nats_url: str) -> None:
    ended = await kapelle("memory", "list", "--nats-url", nats_url, *WHO)

    assert ended.code == 3
    assert re.fullmatch(r"kapelle: nothing happened: 127\.0\.0\.1:\d+ is there, .* is down\n", ended.stderr)


async def test_without_a_server_nothing_was_sent_and_no_password_is_shown() -> None:
    ended = await kapelle("memory", "list", "--nats-url", NOBODY, *WHO)

    assert (ended.code, ended.stderr) == (3, "kapelle: nothing was sent: 127.0.0.1:1 does not answer\n")


async def test_a_wrong_password_is_called_that(nats_url: str) -> None:
    scheme, _, rest = nats_url.partition("://")
    wrong = f"{scheme}://somebody:else@{rest.rpartition('@')[2]}"

    ended = await kapelle("memory", "list", "--nats-url", wrong, *WHO)

    assert ended.code == 3
    assert ended.stderr.endswith("refused the user or the password\n")


@pytest.mark.usefixtures("silence")
async def test_a_silent_service_leaves_a_write_unknown_and_names_its_request_id(nats_url: str) -> None:
    line = ("memory", "propose", "fact", "T", "B", "--timeout", "0.5", "--nats-url", nats_url, *WHO)

    generated = await kapelle(*line)
    named = await kapelle(*line, "--request-id", "mine")

    assert (generated.code, named.code) == (4, 4)
    assert re.search(r"unknown whether it was stored\. .* --request-id [0-9a-f]{32},", generated.stderr)
    assert "--request-id mine," in named.stderr


@pytest.mark.usefixtures("silence")
async def test_a_silent_service_leaves_a_read_without_an_answer(nats_url: str) -> None:
    ended = await kapelle("memory", "list", "--timeout", "0.5", "--nats-url", nats_url, *WHO)

    assert ended.code == 4
    assert "request-id" not in ended.stderr


async def test_a_part_that_does_not_answer_is_told_from_a_refusal(nats_url: str) -> None:
    async def say_unavailable(message: Msg) -> None:
        await client.publish(message.reply, b'{"ok": false, "error": "busy"}', headers={ERROR_HEADER: "unavailable"})

    client = await nats.connect(nats_url)
    await client.subscribe(SUBJECT, cb=say_unavailable)
    await client.flush()
    await client.flush()

    ended = await kapelle("memory", "list", "--nats-url", nats_url, *WHO)
    await client.close()

    assert (ended.code, ended.stderr) == (4, "kapelle: busy\n")


async def test_ctrl_c_ends_the_wait_of_a_write_with_what_to_do_now(nats_url: str, silence: Silence) -> None:
    line = (
        "memory",
        "propose",
        "fact",
        "T",
        "B",
        "--timeout",
        "60",
        "--request-id",
        "mine",
        "--nats-url",
        nats_url,
        *WHO,
    )
    process = await start(*line)
    await asyncio.wait_for(silence.asked.wait(), SECONDS)
    process.send_signal(signal.SIGINT)

    _, stderr = await asyncio.wait_for(process.communicate(), SECONDS)

    assert process.returncode == 130
    assert b"interrupted; it is unknown whether it was stored. Ask again with --request-id mine," in stderr


async def test_ctrl_c_ends_the_wait_of_a_read_without_a_word(nats_url: str, silence: Silence) -> None:
    process = await start("memory", "list", "--timeout", "60", "--nats-url", nats_url, *WHO)
    await asyncio.wait_for(silence.asked.wait(), SECONDS)
    process.send_signal(signal.SIGINT)

    stdout, stderr = await asyncio.wait_for(process.communicate(), SECONDS)

    assert (process.returncode, stdout, stderr) == (130, b"", b"")


async def test_more_than_the_server_takes_is_not_sent(nats_url: str) -> None:
    body = b"x" * (1 << 20)

    ended = await kapelle("memory", "add", "fact", "T", "-", "--nats-url", nats_url, *WHO, stdin=body)

    assert ended.code == 1
    assert "nothing was sent" in ended.stderr


async def test_a_reader_that_has_seen_enough_is_no_failure(memory: Memory, nats_url: str) -> None:
    await memory.ask("add", "fact", "T", "B")
    reading, writing = os.pipe()
    os.close(reading)

    process = await start("memory", "list", "--nats-url", nats_url, *WHO, stdout=writing)
    os.close(writing)
    _, stderr = await asyncio.wait_for(process.communicate(), SECONDS)

    assert process.returncode == 0
    assert b"Traceback" not in stderr


async def test_settings_that_are_missing_are_wrong_usage() -> None:
    ended = await kapelle("memory", "list")

    assert ended.code == 2
    assert "--nats-url" in ended.stderr


async def test_a_group_alone_shows_its_help_as_wrong_usage() -> None:
    ended = await kapelle("memory")

    assert (ended.code, ended.stdout) == (2, "")
    assert "propose an entry for a person to review" in ended.stderr


@pytest.mark.parametrize("args", [("--help",), ("memory", "propose", "--help"), ("--version",)])
async def test_help_comes_without_the_libraries_that_are_slow_to_import(args: tuple[str, ...]) -> None:
    slow = {"nats", "asyncio", "rich", "temporalio", "litellm", "asyncpg", "uvloop"}
    script = (
        "import sys; from kapelle.adapters.cli.main import main\n"
        f"try: main({list(args)!r})\n"
        f"finally: print('imported:', sorted({slow!r} & set(sys.modules)), file=sys.stderr)"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script), cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )

    stdout, stderr = await asyncio.wait_for(process.communicate(), SECONDS)

    assert stdout
    assert stderr == b"imported: []\n"
