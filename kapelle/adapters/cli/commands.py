"""The shape of a sub-command: how it reads on the command line, what it asks, how its reply is shown."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.outcomes import UsageFault
from kapelle.adapters.cli.talk import Conversation


class View(StrEnum):
    """What a successful reply holds, and so how a person wants to see it."""

    SENTENCE = "sentence"
    ENTRY = "entry"
    ENTRIES = "entries"
    EVENTS = "events"
    LINES = "lines"


def one_question(_: Namespace) -> Conversation | None:
    """Ask once, as most sub-commands do."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subcommand:
    """One operation as a person types it."""

    name: str
    summary: str
    examples: tuple[str, ...]
    declare: Callable[[ArgumentParser], None]
    # The positional arguments of the request, the operation's name not among them.
    arguments: Callable[[Namespace, Bodies], tuple[str, ...]]
    # Carries a request id, by which the service recognises the same request when it is made again.
    repeatable: bool = False
    # May outlast the service's reply limit by far: the client shows how far it is, and waits.
    follows: bool = False
    # Shows what a long run does as it happens.
    stepwise: bool = False
    view: View = View.SENTENCE
    # The number of the entry whose body an editor starts with.
    starts_from: Callable[[Namespace], str] | None = None
    # Takes the run over where it asks more than one question; None where it does not.
    conversation: Callable[[Namespace], Conversation | None] = one_question
    description: str = ""
    # The operation that it asks for, if that has another name.
    operation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The sub-commands that share one `command` of the service."""

    name: str
    summary: str
    description: str
    subcommands: tuple[Subcommand, ...]
    # The service's command, if that has another name.
    command: str = ""


def nothing(_: ArgumentParser) -> None:
    """Declare no argument."""


def no_arguments(_: Namespace, __: Bodies) -> tuple[str, ...]:
    """Ask without arguments."""
    return ()


def number(text: str, what: str = "entry id") -> str:
    """Return an id as the service takes it; `#12` is `12`.

    Raises:
        UsageFault: the text is no number.
    """
    digits = text.removeprefix("#")
    if not (digits.isascii() and digits.isdigit()):
        raise UsageFault(f"{text!r} is not an {what}; those are numbers, such as 12")
    return digits
