"""kapelle.settings, docs/settings.md and .env.example name the same variables with the same defaults."""

import dataclasses
import re

import pytest

from kapelle.settings import PREFIX, Secret, Settings, SettingsError, check
from tests.architecture.repository import ROOT
from tests.memory import DIGEST_KEY, PAYLOAD_KEYS

PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([A-Z_]+)` \| .+ \| (.+) \|$", re.MULTILINE)
ASSIGNMENT = re.compile(r"^([A-Z_]+)=(.*)$", re.MULTILINE)
REQUIRED = {
    "KAPELLE_DATABASE_URL": "postgresql://kapelle@db/kapelle",
    "KAPELLE_NATS_URL": "nats://nats",
    "KAPELLE_PAYLOAD_KEYS": PAYLOAD_KEYS,
    "KAPELLE_DIGEST_KEY": DIGEST_KEY,
}


def documented(heading: str) -> dict[str, str]:
    """Return the variables of one section with their defaults."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return dict(ROW.findall(section))


SERVICE, TEMPORAL, UP, CLIENT = map(documented, ("The service", "Temporal", "`up` alone", "The command line client"))


def test_the_page_names_every_setting_of_the_service_and_no_other() -> None:
    assert SERVICE.keys() == {PREFIX + field.name.upper() for field in dataclasses.fields(Settings)}


def test_the_page_tells_the_defaults() -> None:
    defaults = {PREFIX + field.name.upper(): _shown(field) for field in dataclasses.fields(Settings)}

    assert defaults == SERVICE


def test_the_example_names_every_variable_of_the_processes() -> None:
    assert dict(ASSIGNMENT.findall(EXAMPLE)).keys() == SERVICE.keys() | TEMPORAL.keys() | UP.keys()


def test_the_example_holds_the_defaults() -> None:
    example = dict(ASSIGNMENT.findall(EXAMPLE))
    stated = {name: default.strip("`") for name, default in SERVICE.items()}

    assert {name: value or "none" for name, value in example.items() if name in SERVICE} == {
        name: "none" if default == "required" else default for name, default in stated.items()
    }


def test_every_variable_that_the_code_names_is_on_the_page() -> None:
    used = {
        name
        for folder in ("kapelle", "workers")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r"\bKAPELLE_[A-Z_]*[A-Z]\b", path.read_text(encoding="utf-8"))
    }
    # A process's own way to tell the one that started it that it is ready; nobody sets it by hand.
    assert used - {"KAPELLE_READY_FD"} <= SERVICE.keys() | UP.keys() | CLIENT.keys()


def test_the_example_with_the_required_ones_filled_in_is_the_defaults() -> None:
    filled = dict(ASSIGNMENT.findall(EXAMPLE)) | REQUIRED

    assert Settings.from_env(filled) == Settings.from_env(REQUIRED)


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"KAPELLE_BATCHES": "0", "KAPELLE_SANDBOX": "yes", "KAPELLE_DIGEST_KEY": "short"})

    for variable in (*REQUIRED, "KAPELLE_BATCHES", "KAPELLE_SANDBOX"):
        assert variable in str(caught.value)


def test_what_is_malformed_is_told_before_anything_starts_and_what_is_missing_is_not() -> None:
    check({})
    with pytest.raises(SettingsError) as caught:
        check({"KAPELLE_ORG": "Acme Inc", "KAPELLE_LINK_HOSTS": "*", "KAPELLE_DIGEST_KEY": "short"})

    for variable in ("KAPELLE_ORG", "KAPELLE_LINK_HOSTS", "KAPELLE_DIGEST_KEY"):
        assert f"{variable} must" in str(caught.value)
    assert "missing" not in str(caught.value)


def test_no_secret_is_shown_by_printing_settings() -> None:
    shown = repr(Settings.from_env(REQUIRED | {"KAPELLE_LITELLM_KEY": "sk-very-secret"}))

    for secret in (*REQUIRED.values(), "sk-very-secret"):
        assert secret not in shown


def test_a_malformed_secret_is_not_quoted() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env(REQUIRED | {"KAPELLE_PAYLOAD_KEYS": "test:c2hvcnQ=", "KAPELLE_DIGEST_KEY": "too-short"})

    assert "c2hvcnQ=" not in str(caught.value)
    assert "too-short" not in str(caught.value)


def _shown(field: "dataclasses.Field[object]") -> str:
    match field.default:
        case dataclasses._MISSING_TYPE():
            return "required"
        case "" | Secret(""):
            return "none"
        case bool() as switch:
            return "`on`" if switch else "`off`"
        case frozenset() as names:
            return f"`{','.join(sorted(map(str, names)))}`"
        case float() as seconds:
            return f"`{seconds:g}`"
        case value:
            return f"`{value}`"
