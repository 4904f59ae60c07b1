"""The direction of imports, and what is published."""

import importlib
import pkgutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import kapelle
from kapelle.adapters.errors import HTTP_STATUS
from kapelle.domain.errors import Fault
from tests.architecture.repository import ROOT


def test_the_import_contracts_hold() -> None:
    # In a process of its own: the linter configures logging, and disables the loggers that are there.
    lint = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", lint, "--no-cache"], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_brings_one_top_level_name(tmp_path: Path) -> None:
    names = {name.partition("/")[0] for name in _wheel(tmp_path).namelist()}

    assert {name for name in names if not name.endswith(".dist-info")} == {"kapelle"}


def test_the_command_is_installed_under_its_name(tmp_path: Path) -> None:
    content = _wheel(tmp_path)
    (points,) = [name for name in content.namelist() if name.endswith("entry_points.txt")]

    assert content.read(points).decode().split() == [
        "[console_scripts]",
        "kapelle",
        "=",
        "kapelle.adapters.cli.main:main",
    ]


def _wheel(folder: Path) -> zipfile.ZipFile:
    """Build the wheel in a process of its own, since the build back end works where it stands."""
    build = f"import hatchling.build; hatchling.build.build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=ROOT, check=True, capture_output=True, text=True)
    (wheel,) = folder.glob("*.whl")
    return zipfile.ZipFile(wheel)


def test_every_fault_has_a_row_in_the_adapters_table() -> None:
    missing = {fault.__qualname__ for fault in _subclasses(Fault) if fault.code not in HTTP_STATUS}

    assert missing == set()


def test_every_fault_has_a_code_of_its_own() -> None:
    codes = [Fault.code, *(fault.code for fault in _subclasses(Fault))]

    assert len(codes) == len(set(codes))


@pytest.fixture(autouse=True, scope="module")
def _all_modules() -> None:
    """Import the whole package, so that every fault is among the subclasses."""
    for found in pkgutil.walk_packages(kapelle.__path__, "kapelle."):
        # LiteLLM takes seconds to import and asks the network for a price list.
        if not found.name.endswith(("__main__", "embed_litellm")):
            importlib.import_module(found.name)


def _subclasses(fault: type[Fault]) -> list[type[Fault]]:
    return [each for own in fault.__subclasses__() for each in (own, *_subclasses(own))]
