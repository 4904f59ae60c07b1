"""`.env.example` names every setting, and no other."""

import dataclasses
import re
from pathlib import Path

from kapelle.settings import PREFIX, Settings

EXAMPLE = Path(__file__).parents[2] / ".env.example"
# Read by `up` and by Temporal's own library, so not among the product's settings.
OTHERS = {
    *("KAPELLE_DATABASE_OWNER_URL", "KAPELLE_ADMIN_TOKEN", "KAPELLE_AGENT_TOKEN"),
    *("TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE"),
}
REQUIRED = {
    "KAPELLE_DATABASE_URL": "postgresql://kapelle@localhost/kapelle",
    "KAPELLE_NATS_URL": "nats://localhost",
    "KAPELLE_PAYLOAD_KEYS": "k1:" + "A" * 43 + "=",
    "KAPELLE_DIGEST_KEY": "0" * 32,
}


def example() -> dict[str, str]:
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))


def test_it_names_exactly_the_settings_that_there_are() -> None:
    settings = {PREFIX + field.name.upper() for field in dataclasses.fields(Settings)}
    assert set(example()) == settings | OTHERS


def test_its_values_are_the_defaults() -> None:
    assert Settings.from_env({**example(), **REQUIRED}) == Settings.from_env(REQUIRED)
