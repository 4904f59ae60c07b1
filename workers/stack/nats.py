"""NATS with JetStream from its wheel, on the loopback address, open to one random user."""

import functools
import os

from workers.stack import probes
from workers.stack.home import Home, write_json
from workers.stack.part import Part
from workers.stack.ports import LOOPBACK
from workers.stack.programs import program
from workers.stack.secrets import Secrets


def part(home: Home, port: int, secrets: Secrets) -> Part:
    """Describe the server; its password stands in a file, since everybody can read a command line."""
    configuration = home.file("nats.json")
    write_json(
        configuration,
        {
            "listen": f"{LOOPBACK}:{port}",
            "server_name": "kapelle",
            "jetstream": {"store_dir": str(home.file("nats"))},
            "authorization": {"user": secrets.nats_user, "password": secrets.nats_password},
        },
    )
    return Part(
        name="nats",
        title="NATS",
        argv=(program("nats-server"), "-c", str(configuration)),
        environment={"PATH": os.defpath},
        check=functools.partial(probes.nats, port, secrets.nats_user, secrets.nats_password),
    )


def url(port: int, secrets: Secrets) -> str:
    """Return the address with user and password in it."""
    return f"nats://{secrets.nats_user}:{secrets.nats_password}@{LOOPBACK}:{port}"
