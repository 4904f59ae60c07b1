"""A floor under each class of the gate's evaluation: how much is found, and how little else."""

import pytest

from benchmarks.gate import Tally, tallies

# The least recall and the most false alarms.
FLOORS = {
    "credentials: token": (0.99, 0.0),
    "credentials: block": (1.0, 0.0),
    "credentials: disguised": (0.98, 0.0),
    "credentials: assignment": (0.97, 0.0),
    "credentials: command": (0.97, 0.0),
    "credentials: address": (0.97, 0.0),
    "credentials: header": (0.95, 0.0),
    "credentials: prose": (0.93, 0.0),
    "credentials: note": (0.96, 0.0),
    "credentials: note without a secret": (1.0, 0.0),
    "credentials: not a credential": (1.0, 0.0),
    "credentials: password talk": (1.0, 0.02),
    "links": (1.0, 0.005),
    "personal data": (0.98, 0.005),
    "personal data, redacted twice": (1.0, 0.0),
    "hidden text": (1.0, 0.0),
    "aimed at models": (0.95, 0.0),
    "duplicates, with vectors": (0.75, 0.0),
    "duplicates, without vectors": (0.75, 0.0),
    "conflicts": (0.95, 0.005),
}


@pytest.fixture(scope="module")
def measured() -> dict[str, Tally]:
    return tallies()


def test_every_class_has_a_floor(measured: dict[str, Tally]) -> None:
    assert measured.keys() == FLOORS.keys()


@pytest.mark.parametrize("name", FLOORS)
def test_a_class_reaches_its_floor(name: str, measured: dict[str, Tally]) -> None:
    recall, alarms = FLOORS[name]
    tally = measured[name]

    assert (tally.recall >= recall, tally.alarm_rate <= alarms) == (True, True), tally.wrong


def test_there_are_enough_cases(measured: dict[str, Tally]) -> None:
    harmful = sum(tally.harmful for name, tally in measured.items() if name.startswith("credentials"))
    assert harmful >= 3_000
    assert measured["duplicates, with vectors"].harmful + measured["duplicates, with vectors"].harmless >= 100
