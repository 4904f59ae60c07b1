"""The locks: in step with pyproject.toml, hashed, and naming no host."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-setup.lock")
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)")


def pins(lock: str) -> dict[str, set[str]]:
    """Return the versions of each package in a lock; there are several where platforms differ."""
    found: dict[str, set[str]] = {}
    for line in ROOT.joinpath(lock).read_text(encoding="utf-8").splitlines():
        if match := _PIN.match(line):
            found.setdefault(canonicalize_name(match[1]), set()).add(match[2])
    return found


def wanted(lock: str) -> list[Requirement]:
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = {
        "requirements.lock": project["dependencies"],
        "requirements-dev.lock": project["dependencies"] + project["optional-dependencies"]["dev"],
        "requirements-setup.lock": ROOT.joinpath("requirements-setup.in").read_text(encoding="utf-8").split(),
    }
    return [Requirement(line) for line in lines[lock]]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_dependency_is_pinned_to_a_version_that_it_allows(lock: str) -> None:
    pinned = pins(lock)
    stale = [
        str(requirement)
        for requirement in wanted(lock)
        if not (versions := pinned.get(canonicalize_name(requirement.name)))
        or not all(requirement.specifier.contains(version, prereleases=True) for version in versions)
    ]
    assert stale == [], "run `make lock`"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes_and_no_line_names_a_host(lock: str) -> None:
    text = ROOT.joinpath(lock).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[A-Za-z0-9])", text)
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert re.findall(r"(?:https?|file)://\S*|--index\S*|--find-links\S*|^-\S+", text, re.MULTILINE) == []


def test_what_is_installed_for_users_is_what_is_tested() -> None:
    tested = pins("requirements-dev.lock")
    assert {
        name: versions for name, versions in pins("requirements.lock").items() if tested.get(name) != versions
    } == {}


def test_the_build_back_end_is_the_locked_one() -> None:
    build = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    locked = pins("requirements-setup.lock")
    for requirement in map(Requirement, build):
        assert {f"=={version}" for version in locked[requirement.name]} == {str(requirement.specifier)}
