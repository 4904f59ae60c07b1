"""Sizes and names: what keeps the repository readable, held by a test because reviews forget."""

import ast
import re

from tests.architecture.repository import files, name_of, parsed, python_files

FILE_LINES = 500
FUNCTION_LINES = 60
# Generated, and read by programs only.
GENERATED = re.compile(r"\.lock$|^migrations/schema\.sql$|^tests/workflows/histories/|\.(?:png|svg|jsonl?|csv|gz|npz)$")
SAYS_NOTHING = re.compile(r"utils?$|helpers?$|managers?$", re.IGNORECASE)


def test_no_file_is_longer_than_500_lines() -> None:
    long = {
        name_of(path): lines
        for path in files()
        if not GENERATED.search(name_of(path))
        and (lines := len(path.read_text(encoding="utf-8", errors="replace").splitlines())) > FILE_LINES
    }

    assert long == {}


def test_no_function_is_longer_than_60_lines() -> None:
    long = {
        f"{name_of(path)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path in python_files()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > FUNCTION_LINES
    }

    assert long == {}


def test_no_module_or_class_has_a_name_that_says_nothing() -> None:
    modules = [name_of(path) for path in python_files() if any(map(SAYS_NOTHING.search, (path.stem, path.parent.name)))]
    classes = [
        f"{name_of(path)}: {node.name}"
        for path in python_files()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef) and SAYS_NOTHING.search(node.name)
    ]

    assert (modules, classes) == ([], [])


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        name_of(path)
        for path in python_files()
        if path.read_text(encoding="utf-8").strip() and ast.get_docstring(parsed(path)) is None
    ]

    assert silent == []


def test_names_that_say_nothing_would_be_found() -> None:
    assert all(map(SAYS_NOTHING.search, ("utils", "string_utils", "ConnectionManager", "helpers", "TestHelper")))
    assert not any(map(SAYS_NOTHING.search, ("manages", "utilisation", "write")))
