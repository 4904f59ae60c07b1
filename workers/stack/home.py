"""The home folder: one lock, the state files, the logs."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOG_BYTES = 10 * 1024 * 1024


class HomeTakenError(Exception):
    """Another process runs on this home."""


class HomeUnusableError(Exception):
    """The home, or a file in it that cannot be made anew, is not usable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Paths below one home folder. Whoever holds one from `locked` may write to it."""

    path: Path

    @property
    def endpoints(self) -> Path:
        return self.path / "endpoints.json"

    def file(self, name: str) -> Path:
        return self.path / name

    def log(self, name: str) -> Path:
        return self.path / "logs" / f"{name}.log"


@contextmanager
def locked(path: Path) -> Iterator[Home]:
    """Make the home if need be and hold its lock.

    Raises:
        HomeTakenError: when another process holds it.
        HomeUnusableError: when the folder cannot be made or written to.
    """
    home = Home(path=path.resolve())
    try:
        _make(home)
        descriptor = os.open(home.file("lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise HomeUnusableError(f"{home.path} cannot be used: {error.strerror}.") from error
    try:
        _take(descriptor, home)
        yield home
    finally:
        os.close(descriptor)


def _make(home: Home) -> None:
    home.path.mkdir(parents=True, exist_ok=True)
    # PostgreSQL runs under another user when we are root; it has to pass through, and sees nothing else.
    home.path.chmod(0o711 if os.geteuid() == 0 else 0o700)
    home.path.joinpath("logs").mkdir(exist_ok=True, mode=0o700)


def _take(descriptor: int, home: Home) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
        raise HomeTakenError(f"{home.path} is already up (process {holder or 'unknown'}).") from error
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode("ascii"), 0)


def write_json(path: Path, value: object) -> None:
    """Replace the file in one step, readable by its owner alone, on disk before the name points to it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(json.dumps(value, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in the file, or an empty one when it is missing, cut short or something else."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def open_log(path: Path) -> int:
    """Open a log to append to, putting a big one aside first, and return the descriptor."""
    if path.exists() and path.stat().st_size > LOG_BYTES:
        path.replace(path.with_suffix(".old.log"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def log_tail(path: Path, lines: int = 8) -> str:
    """Return the last lines of a log, for whoever has to find out why a part did not start."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
