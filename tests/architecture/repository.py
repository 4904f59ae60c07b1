"""The repository's own files, as git would list them."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = ("kapelle", "workflows", "activities", "workers", "tests", "benchmarks", "scripts")


@cache
def files() -> tuple[Path, ...]:
    """Return every file that is tracked, or new and not ignored; without git, every file of the code folders."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        found = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        found = [path for folder in CODE for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    return tuple(sorted(path for path in found if path.is_file()))


def python_files() -> list[Path]:
    return [path for path in files() if path.suffix == ".py"]


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
