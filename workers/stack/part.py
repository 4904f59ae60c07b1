"""A part of the stack: how to start it, how to know that it is well, how to end it."""

import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An unprivileged user of the system."""

    uid: int
    gid: int


def _nothing() -> None:
    """Prepare nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One child process."""

    name: str
    title: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    # Raises when the part is not well. A part without one announces itself (`workers.readiness`).
    check: Callable[[], Awaitable[None]] | None = None
    check_seconds: float = 2.0
    # Runs before each start, the restarts included.
    prepare: Callable[[], None] = _nothing
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 15.0
    # What the part gets when the supervisor is killed.
    orphan_signal: signal.Signals = signal.SIGKILL
