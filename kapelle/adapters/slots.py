"""The bound on work at once that every door keeps."""

from kapelle.domain.errors import Unavailable

BUSY = "the memory service is busy; nothing was done, try again in a moment"


class Slots:
    """A bound on work at once that refuses instead of queueing: a queue would hide overload until callers give up."""

    def __init__(self, limit: int) -> None:
        self._free = limit

    def __enter__(self) -> None:
        if self._free == 0:
            raise Unavailable(BUSY)
        self._free -= 1

    def __exit__(self, *_: object) -> None:
        self._free += 1
