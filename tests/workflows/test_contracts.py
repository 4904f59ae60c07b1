"""Stubs and implementations agree in what crosses the wire: names, parameters and results."""

import importlib
import inspect
import pkgutil
import typing
from abc import ABC
from collections.abc import Callable
from typing import Any

import pytest
from temporalio import activity, workflow

import kapelle.contracts
from tests.workflows.fakes import (
    FakeBackfillActivities,
    FakeCurateActivities,
    FakeExportActivities,
    FakeImportActivities,
    FakeWriteActivities,
)
from workers.memory_worker import WORKFLOWS

CONTRACTS = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(kapelle.contracts.__path__, "kapelle.contracts.")
]
CLASSES: list[type] = [
    each
    for module in CONTRACTS
    for _, each in inspect.getmembers(module, inspect.isclass)
    if each.__module__ == module.__name__
]
STUBS = {str(found.name): found for each in CLASSES if (found := workflow._Definition.from_class(each)) is not None}
IMPLEMENTED = {str(found.name): found for found in map(workflow._Definition.must_from_class, WORKFLOWS)}
# The worker imports all implementations; the fakes are subclasses like them, and no less held to their contract.
FAKES = (
    FakeWriteActivities,
    FakeCurateActivities,
    FakeBackfillActivities,
    FakeImportActivities,
    FakeExportActivities,
)
STEPS = [each for each in CLASSES if issubclass(each, ABC)]
ACTIVITIES = [(contract, implementation) for contract in STEPS for implementation in contract.__subclasses__()]


def signature(function: Callable[..., Any]) -> dict[str, Any]:
    """Return parameters and result with their types resolved, the names included."""
    hints = typing.get_type_hints(function)
    names = list(inspect.signature(function).parameters)[1:]
    return {name: hints[name] for name in names} | {"return": hints["return"]}


def test_every_stub_is_implemented_and_registered_under_its_name() -> None:
    assert IMPLEMENTED.keys() == STUBS.keys()


@pytest.mark.parametrize("name", sorted(STUBS))
def test_a_workflow_takes_and_answers_what_its_stub_says(name: str) -> None:
    stub, implementation = STUBS[name], IMPLEMENTED[name]

    assert signature(implementation.run_fn) == signature(stub.run_fn)
    assert implementation.arg_types == stub.arg_types
    assert implementation.ret_type == stub.ret_type
    assert issubclass(implementation.cls, stub.cls)


@pytest.mark.parametrize(
    ("contract", "implementation"), ACTIVITIES, ids=lambda each: f"{each.__module__}.{each.__name__}"
)
def test_activities_take_and_answer_what_their_contract_says(contract: type, implementation: type) -> None:
    promised = _definitions(contract)

    assert promised
    assert _definitions(implementation) == promised


def _definitions(owner: type) -> dict[str, tuple[str, dict[str, Any]]]:
    return {
        str(found.name): (method, signature(function))
        for method, function in inspect.getmembers(owner, inspect.isfunction)
        if (found := activity._Definition.from_callable(function)) is not None
    }


@pytest.mark.parametrize("contract", STEPS, ids=lambda each: f"{each.__module__}.{each.__name__}")
def test_every_contract_of_activities_is_implemented_once(contract: type) -> None:
    implementations: list[type] = contract.__subclasses__()
    homes = [each.__module__.partition(".")[0] for each in implementations]

    assert homes.count("activities") == 1


@pytest.mark.parametrize("fake", FAKES)
def test_a_fake_is_among_those_that_are_compared(fake: type) -> None:
    assert fake in [implementation for _, implementation in ACTIVITIES]


def test_activity_names_are_unique() -> None:
    names = [name for contract in STEPS for name in _definitions(contract)]

    assert len(names) == len(set(names))
