"""Every statement of the store, found by its constant."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import kapelle.store

_IS_STATEMENT = re.compile(r"\s*(select|insert|update|delete|with)\s", re.IGNORECASE)
_RUNS_SQL = frozenset({"execute", "executemany", "fetch", "fetchrow", "fetchval", "prepare", "cursor", "copy_to_table"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement and the constant that holds it, as `entries.GET`."""

    name: str
    text: str


def module_names() -> list[str]:
    return [found.name for found in pkgutil.walk_packages(kapelle.store.__path__, "kapelle.store.")]


def statements() -> list[Statement]:
    """Return the upper-case constants of `kapelle.store` that hold SQL."""
    return [
        Statement(name=f"{name.removeprefix('kapelle.store.')}.{constant}", text=text)
        for name in module_names()
        for constant, text in vars(importlib.import_module(name)).items()
        if constant.isupper() and isinstance(text, str) and _IS_STATEMENT.match(text)
        if _is_defined_in(name, constant)
    ]


def tree(module: str) -> ast.Module:
    file = importlib.import_module(module).__file__
    assert file is not None
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def _is_defined_in(module: str, constant: str) -> bool:
    targets = [
        target
        for node in tree(module).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return any(isinstance(target, ast.Name) and target.id == constant for target in targets)


def queries(module: str) -> Iterator[ast.expr]:
    """Yield what each call that runs SQL is given as its statement."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _RUNS_SQL:
            yield node.args[0]
