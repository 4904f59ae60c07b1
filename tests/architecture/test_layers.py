"""The direction of imports, and what is published."""

import importlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kapelle.adapters.errors import HTTP_STATUS
from kapelle.domain.errors import Fault
from tests.architecture.repository import ROOT, python_files

DEFINES_FAULT = re.compile(
    r"^class \w+\((?:Fault|InvalidRequest|NotAllowed|NotFound|Refused|Conflict|NotYet|Unavailable)\):", re.MULTILINE
)


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
def _homes_of_faults() -> None:
    """Import every module that defines a fault, so that all are among the subclasses, and no other: some are slow."""
    for path in python_files():
        if path.is_relative_to(ROOT / "kapelle") and DEFINES_FAULT.search(path.read_text(encoding="utf-8")):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def _subclasses(fault: type[Fault]) -> list[type[Fault]]:
    return [each for own in fault.__subclasses__() for each in (own, *_subclasses(own))]
