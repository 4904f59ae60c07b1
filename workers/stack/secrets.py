"""Passwords, keys and tokens of one home: made once, kept in a file that only its owner can read."""

import base64
import secrets
from dataclasses import asdict, dataclass, fields

from workers.stack.home import Home, HomeUnusableError, read_json, write_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """What a home must keep to itself."""

    postgres_owner: str
    postgres_product: str
    nats_user: str
    nats_password: str
    payload_keys: str
    digest_key: str
    admin_token: str
    agent_token: str

    def __repr__(self) -> str:
        return "Secrets('***')"


def keep(home: Home) -> Secrets:
    """Read the home's secrets, making them at the first start.

    Raises:
        HomeUnusableError: when the file is there and cannot be read: new ones would not open the old data.
    """
    path = home.file("secrets.json")
    if not path.exists():
        write_json(path, asdict(_fresh()))
    values = read_json(path)
    names = {field.name for field in fields(Secrets)}
    if set(values) != names or not all(isinstance(value, str) and value for value in values.values()):
        raise HomeUnusableError(
            f"{path} is damaged, and the data of this home cannot be opened without it. "
            "Put it back from a copy, or start on a new home."
        )
    return Secrets(**values)


def _fresh() -> Secrets:
    def word() -> str:
        return secrets.token_urlsafe(24)

    key = base64.b64encode(secrets.token_bytes(32)).decode("ascii")
    return Secrets(
        postgres_owner=word(),
        postgres_product=word(),
        nats_user=f"kapelle-{secrets.token_hex(4)}",
        nats_password=word(),
        payload_keys=f"k1:{key}",
        digest_key=secrets.token_urlsafe(32),
        admin_token=f"kap_{secrets.token_urlsafe(32)}",
        agent_token=f"kap_{secrets.token_urlsafe(32)}",
    )
