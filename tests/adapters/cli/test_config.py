"""Settings come from the first place that has them: flags, environment, the home's endpoints."""

import json
from pathlib import Path

import pytest

from kapelle.adapters.cli import config
from kapelle.adapters.cli.config import Config, Flags
from kapelle.adapters.cli.outcomes import UsageFault

ENDPOINTS = {"nats_url": "nats://u:p@127.0.0.1:4000", "team": "demo", "person": "admin", "tokens": {"admin": "x"}}


def a_home(folder: Path, content: str = "") -> Path:
    home = folder / ".kapelle"
    home.mkdir(parents=True)
    (home / "endpoints.json").write_text(content or json.dumps(ENDPOINTS))
    return home


def a_config(**changes: str) -> Config:
    values = {"nats_url": "nats://u:p@127.0.0.1:4000", "team": "demo", "user": "admin", "source": ""} | changes
    return Config(**values, timeout=10.0)


def test_a_home_in_a_folder_above_gives_everything(tmp_path: Path) -> None:
    a_home(tmp_path)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)

    assert config.resolve(Flags(), {}, below) == a_config()


def test_the_nearest_home_counts(tmp_path: Path) -> None:
    a_home(tmp_path)
    a_home(tmp_path / "near", json.dumps(ENDPOINTS | {"team": "near"}))

    assert config.resolve(Flags(), {}, tmp_path / "near") == a_config(team="near")


def test_a_home_without_endpoints_is_passed_over(tmp_path: Path) -> None:
    a_home(tmp_path)
    (tmp_path / "near" / ".kapelle").mkdir(parents=True)

    assert config.resolve(Flags(), {}, tmp_path / "near") == a_config()


def test_the_environment_comes_before_the_home(tmp_path: Path) -> None:
    a_home(tmp_path)
    env = {"KAPELLE_NATS_URL": "nats://other:1", "KAPELLE_TEAM": "payments", "KAPELLE_USER": "ada"}

    assert config.resolve(Flags(), env, tmp_path) == a_config(nats_url="nats://other:1", team="payments", user="ada")


def test_flags_come_before_the_environment(tmp_path: Path) -> None:
    env = {"KAPELLE_NATS_URL": "nats://other:1", "KAPELLE_TEAM": "payments", "KAPELLE_USER": "ada"}
    flags = Flags(nats_url="nats://flag:2", team="ops", user="bob", timeout=2.5)

    assert config.resolve(flags, env, tmp_path) == Config(
        nats_url="nats://flag:2", team="ops", user="bob", source="", timeout=2.5
    )


def test_the_home_in_the_environment_comes_before_one_nearby(tmp_path: Path) -> None:
    a_home(tmp_path)
    other = a_home(tmp_path / "other", json.dumps(ENDPOINTS | {"team": "other"}))

    assert config.resolve(Flags(), {"KAPELLE_HOME": str(other)}, tmp_path) == a_config(team="other")


def test_a_home_named_by_a_flag_is_taken_from_the_current_folder(tmp_path: Path) -> None:
    a_home(tmp_path / "other")

    assert config.resolve(Flags(home="other/.kapelle"), {}, tmp_path) == a_config()


@pytest.mark.parametrize(
    ("flags", "env", "caller"),
    [
        (Flags(source="agent:demo/coder"), {"KAPELLE_USER": "ada"}, ("", "agent:demo/coder")),
        (Flags(user="bob"), {"KAPELLE_SOURCE": "agent:demo/coder"}, ("bob", "")),
        (Flags(), {"KAPELLE_SOURCE": "agent:demo/coder", "KAPELLE_USER": "ada"}, ("", "agent:demo/coder")),
        (Flags(), {"KAPELLE_USER": "ada"}, ("ada", "")),
        (Flags(), {}, ("admin", "")),
    ],
)
def test_the_most_specific_place_that_names_a_caller_decides_alone(
    tmp_path: Path, flags: Flags, env: dict[str, str], caller: tuple[str, str]
) -> None:
    a_home(tmp_path)

    settled = config.resolve(flags, env, tmp_path)

    assert (settled.user, settled.source) == caller


def test_without_any_server_the_ways_to_name_one_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=r"make up.*--nats-url.*KAPELLE_NATS_URL"):
        config.resolve(Flags(user="ada"), {}, tmp_path)


def test_without_any_caller_the_ways_to_name_one_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=r"--user.*KAPELLE_SOURCE"):
        config.resolve(Flags(nats_url="nats://h:1"), {}, tmp_path)


def test_a_named_home_without_endpoints_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=r"endpoints\.json does not exist"):
        config.resolve(Flags(home="nowhere"), {}, tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", '"text"', "\x00"])
def test_damaged_endpoints_are_wrong_usage(tmp_path: Path, content: str) -> None:
    a_home(tmp_path, content)

    with pytest.raises(UsageFault, match=r"endpoints\.json"):
        config.resolve(Flags(), {}, tmp_path)


def test_endpoints_of_other_types_count_as_absent(tmp_path: Path) -> None:
    a_home(tmp_path, json.dumps(ENDPOINTS | {"team": None}))

    assert config.resolve(Flags(), {}, tmp_path) == a_config(team="")


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("nats://user:secret@host:4222", "host:4222"),
        ("user:se@cret@host:4222", "host:4222"),
        ("nats://a:b@one:1, tls://c:d@two:2", "one:1, two:2"),
        ("nats://host", "host"),
    ],
)
def test_the_place_in_messages_holds_no_password(url: str, place: str) -> None:
    assert a_config(nats_url=url).place == place


@pytest.mark.parametrize(
    ("env", "colour"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colour_is_given_up_where_it_is_not_wanted(env: dict[str, str], colour: bool) -> None:  # noqa: FBT001
    assert config.wants_colour(env) is colour
