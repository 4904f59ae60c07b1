"""What a class of scan cases is: a seeded generator of labelled texts, and what the scan says of one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled text."""

    # The class that is scored, such as "prose" or "obfuscated".
    group: str
    # What the case is made of, for the list of misses: a kind or a template, never a value.
    name: str
    body: str
    # Must be found; a case that is not harmful must be left alone.
    harmful: bool
    title: str = "Notes"
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One job of the scan with its cases and the function that asks the scan about one."""

    name: str
    cases: Callable[[Random], Iterable[Case]]
    found: Callable[[Case], bool]
