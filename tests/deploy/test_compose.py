"""The compose file: sound in itself, and its services of ours do their work with its settings on real servers."""

import asyncio
import os
import re
import sys
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import yaml

from kapelle.settings import Settings
from tests.architecture.repository import ROOT
from tests.deploy.accounts import PASSWORDS, ask, connected
from tests.memory import DIGEST_KEY, PAYLOAD_KEYS
from workers import readiness
from workers.stack.servers import Addresses

TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
EXAMPLE = (ROOT / "deploy" / "compose.env.example").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
VARIABLE = re.compile(r"\$\{([A-Z_]+):\?\}")
GIVEN = {
    **{name: f"word{index:024}" for index, name in enumerate(re.findall(r"^([A-Z_]+)=$", EXAMPLE, re.MULTILINE))},
    **{name.removeprefix("KAPELLE_"): password for name, password in PASSWORDS.items()},
    "PAYLOAD_KEYS": PAYLOAD_KEYS,
    "DIGEST_KEY": DIGEST_KEY,
}
SECONDS = 60


def environment(service: str) -> dict[str, str]:
    """The variables of a service, filled in as compose does."""
    return {
        name: VARIABLE.sub(lambda match: GIVEN[match[1]], value)
        for name, value in SERVICES[service]["environment"].items()
    }


def test_the_example_names_what_the_file_needs_and_no_more() -> None:
    assert set(re.findall(r"^([A-Z_]+)=$", EXAMPLE, re.MULTILINE)) == set(VARIABLE.findall(TEXT))


def test_every_variable_must_be_given() -> None:
    assert re.findall(r"(?<!\$)\$\{[^}]*\}", TEXT) == [match.group() for match in VARIABLE.finditer(TEXT)]


def test_every_image_names_its_version() -> None:
    images = [service["image"] for service in SERVICES.values()]
    images += re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)

    assert [image for image in images if not re.search(r":[^:/]*\d+\.\d+", image)] == []


def test_nothing_listens_beyond_this_machine() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]

    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_who_waits_waits_for_something_that_says_so() -> None:
    waits = [
        (name, needed, condition["condition"])
        for name, service in SERVICES.items()
        for needed, condition in service.get("depends_on", {}).items()
    ]

    assert {"worker", "commands", "migrations"} <= {name for name, _, _ in waits}
    for name, needed, condition in waits:
        ready = "healthcheck" in SERVICES[needed] if condition == "service_healthy" else needed == "migrations"
        assert ready, (name, needed)


def test_volumes_and_files_are_there() -> None:
    mounts = [mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", [])]
    named = {mount for mount in mounts if not mount.startswith("./")}

    assert named == COMPOSE["volumes"].keys()
    assert [mount for mount in mounts if mount.startswith("./") and not (ROOT / mount).is_file()] == []


def test_ours_run_without_privileges() -> None:
    assert re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE) == ["10001"]
    assert all(service["read_only"] and service["cap_drop"] == ["ALL"] for service in OURS.values())


def test_the_image_holds_every_folder_that_it_copies() -> None:
    copied = [words.split() for words in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE)]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()

    assert copied
    for source, *_ in copied:
        assert (ROOT / source).exists()
        assert f"!{source}" in ignored


def test_the_product_knows_the_settings_of_its_services() -> None:
    for name in OURS.keys() - {"migrations"}:
        settings = Settings.from_env(environment(name))
        assert settings.nats_agents_account == "AGENTS"
        assert {part for part in environment(name) if part.startswith("KAPELLE_")} <= {
            f"KAPELLE_{field.upper()}" for field in Settings.__dataclass_fields__
        }


async def test_two_workers_and_two_adapters_serve_the_accounts_on_a_migrated_database(
    servers: Addresses, port: int
) -> None:
    async with empty_database(servers) as database:
        here = Here(servers, database, port)
        for _ in range(2):
            # As it is started with every `up`.
            process = await start("migrations", here.mapped("migrations"))
            assert await asyncio.wait_for(process.wait(), SECONDS) == 0
        async with (
            ready("worker", here.mapped("worker")),
            ready("worker", here.mapped("worker")),
            ready("commands", here.mapped("commands")),
            ready("commands", here.mapped("commands")) as second,
            connected(port, "agents") as agents,
            connected(port, "gateway") as gateway,
        ):
            words = ("propose", "gotcha", "Webhook test is flaky", "It needs the clock fixture.", "")
            assert await ask(agents, *words, source="agent:demo/coder") == "Entry 1 proposed."
            second.terminate()
            await asyncio.wait_for(second.wait(), SECONDS)
            assert await ask(gateway, "accept", "1", user="admin") == "Entry 1 accepted."


class Here:
    """Puts the addresses of this test in the place of those between containers."""

    def __init__(self, servers: Addresses, database: str, port: int) -> None:
        postgres = urlsplit(servers.owner_dsn)
        owner = f"{postgres.username}:{postgres.password}"
        role = urlsplit(servers.product_dsn)
        self._places = {
            f"postgres:{GIVEN['POSTGRES_OWNER_PASSWORD']}": owner,
            f"kapelle:{GIVEN['POSTGRES_PRODUCT_PASSWORD']}": f"{role.username}:{role.password}",
            "@postgres:5432/kapelle": f"@127.0.0.1:{postgres.port}/{database}",
            "@nats:4222": f"@127.0.0.1:{port}",
            "temporal:7233": servers.temporal_address,
        }
        self._queue = f"compose-{uuid.uuid4().hex}"

    def mapped(self, service: str) -> dict[str, str]:
        variables = environment(service)
        for there, here in self._places.items():
            variables = {name: value.replace(there, here) for name, value in variables.items()}
        # The proxy needs a provider, so that this test goes without; other tests share the Temporal server.
        return variables | {"KAPELLE_EMBED_ALIAS": "", "KAPELLE_TASK_QUEUE": self._queue}


@asynccontextmanager
async def empty_database(servers: Addresses) -> AsyncIterator[str]:
    """A database as the container makes it: without a schema."""
    name = f"compose_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(servers.owner_dsn)
    try:
        await connection.execute(f'create database "{name}"')
        yield name
        await connection.execute(f'drop database "{name}" with (force)')
    finally:
        await connection.close()


async def start(service: str, variables: Mapping[str, str], **options: Any) -> asyncio.subprocess.Process:
    """Start a service's command as the image does."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", *SERVICES[service]["command"]),
        cwd=ROOT,
        env={"PATH": os.defpath, **variables},
        stderr=asyncio.subprocess.DEVNULL,
        **options,
    )


@asynccontextmanager
async def ready(service: str, variables: Mapping[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a service, wait until it says that it serves, and see it stop in good order."""
    reader, writer = os.pipe()
    process = await start(service, dict(variables) | {readiness.VARIABLE: str(writer)}, pass_fds=(writer,))
    os.close(writer)
    try:
        assert await asyncio.wait_for(asyncio.to_thread(os.read, reader, 1), SECONDS) == b"."
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        assert await asyncio.wait_for(process.wait(), SECONDS) == 0
        # Not before: a process takes a closed pipe for the end of whoever started it.
        os.close(reader)
