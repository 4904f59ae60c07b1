"""Which port each part listens on: the given one, or last time's, or a free one."""

import random
import socket
from collections.abc import Iterable, Mapping

from workers.stack.home import Home, read_json, write_json

LOOPBACK = "127.0.0.1"
# Below the range from which systems take the ports of outgoing connections, so that none of them sits on a port of
# ours while the part behind it restarts.
_RANGE = range(20_000, 30_000)
_TRIES = 200


class PortTakenError(Exception):
    """A port that was asked for is in use."""


def choose(home: Home, names: Iterable[str], given: Mapping[str, int]) -> dict[str, int]:
    """Return a port for each name and remember them in the home.

    Raises:
        PortTakenError: when a given port is in use, naming it and its part.
    """
    remembered = read_json(home.file("ports.json"))
    chosen: dict[str, int] = {}
    wanted = tuple(names)
    others = {port for name, port in remembered.items() if name not in wanted}
    for name in wanted:
        if name in given:
            chosen[name] = _claimed(name, given[name], chosen)
            continue
        spoken_for = {*chosen.values(), *given.values(), *others}
        last = remembered.get(name)
        if isinstance(last, int) and last not in spoken_for and is_free(last):
            chosen[name] = last
        else:
            chosen[name] = _any_free(spoken_for)
    write_json(home.file("ports.json"), {**remembered, **chosen})
    return chosen


def is_free(port: int) -> bool:
    """Say whether something could listen on the port of the loopback address now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the servers themselves do, so that the remains of closed connections do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except (OSError, OverflowError):
            return False
    return True


def _claimed(name: str, port: int, chosen: Mapping[str, int]) -> int:
    if port in chosen.values() or not is_free(port):
        raise PortTakenError(f"Port {port} for {name} is taken.")
    return port


def _any_free(excluded: set[int]) -> int:
    for port in random.SystemRandom().sample(_RANGE, _TRIES):
        if port not in excluded and is_free(port):
            return port
    raise PortTakenError(f"No free port between {_RANGE.start} and {_RANGE.stop - 1}.")
