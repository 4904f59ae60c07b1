"""How a process that `up` started says that it serves, and goes on saying so."""

import asyncio
import os
import signal

VARIABLE = "KAPELLE_READY_FD"
BEAT_SECONDS = 1.0


def announce() -> None:
    """Say once that this process serves, then beat every second; do nothing when nobody asked for it.

    The beats come from the running event loop, so a loop that hangs falls silent. When nobody reads them any more, the
    supervisor is gone, and the process asks itself to stop as SIGTERM would.
    """
    descriptor = os.environ.pop(VARIABLE, "")
    if not descriptor:
        return
    pipe = int(descriptor)
    os.set_blocking(pipe, False)
    os.set_inheritable(pipe, False)  # noqa: FBT003 - positional only
    _beat(pipe, asyncio.get_running_loop())


def _beat(pipe: int, loop: asyncio.AbstractEventLoop) -> None:
    try:
        os.write(pipe, b".")
    except BlockingIOError:
        # The reader is slow and the pipe is full of older beats: those will do.
        pass
    except BrokenPipeError:
        os.kill(os.getpid(), signal.SIGTERM)
        return
    loop.call_later(BEAT_SECONDS, _beat, pipe, loop)
