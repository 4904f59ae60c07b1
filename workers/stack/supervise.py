"""Keeps parts running: starts them, asks after them, restarts what dies or hangs, stops them in reverse order."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence

from workers.stack.home import Home, log_tail
from workers.stack.part import Part
from workers.stack.processes import Child, spawn
from workers.stack.progress import Report

# A machine under load may miss a check or two; three in a row are a part that hangs.
MISSES = 3
BACKOFF_SECONDS = (0.1, 0.3, 1.0, 3.0, 10.0)
# A part that ran this long has recovered: its next restart is immediate again.
STEADY_SECONDS = 30.0
SILENCE_SECONDS = 30.0
_POLL_SECONDS = 0.02
_FIRST_TRIES = 3
_IMPATIENT_SECONDS = 5.0


class PartFailedError(Exception):
    """A part did not start."""


class Keeper:
    """One part and the process that presently runs it."""

    def __init__(self, part: Part, home: Home, report: Report) -> None:
        self.part = part
        self._home = home
        self._report = report
        self._child: Child | None = None
        self._beat: float | None = None
        self._complaint = "it never answered"

    @property
    def pid(self) -> int | None:
        return self._child.process.pid if self._child else None

    async def start(self, seconds: float) -> None:
        """Start the part and wait until it is well, trying again when it ends at once.

        Raises:
            PartFailedError: when it ends each time, or is not well within `seconds`; its process is gone then.
        """
        for wait in BACKOFF_SECONDS[:_FIRST_TRIES]:
            if await self._well_after_spawn(seconds):
                return
            hangs = self._child is not None and self._child.process.returncode is None
            await self._ended(self.part.orphan_signal, _IMPATIENT_SECONDS)
            if hangs:
                break
            await asyncio.sleep(wait)
        log = self._home.log(self.part.name)
        reason = f"{self.part.title} did not start ({self._complaint})."
        raise PartFailedError(f"{reason} The end of {log}:\n{log_tail(log)}")

    async def keep(self) -> None:
        """Restart the part whenever it dies or stays unwell, waiting longer each time; runs until cancelled."""
        failures = 0
        while True:
            began = asyncio.get_running_loop().time()
            reason = await self._until_unwell()
            if asyncio.get_running_loop().time() - began > STEADY_SECONDS:
                failures = 0
            self._report(f"{self.part.title} {reason}; starting it again.")
            await self._ended(self.part.orphan_signal, _IMPATIENT_SECONDS)
            await asyncio.sleep(BACKOFF_SECONDS[min(failures, len(BACKOFF_SECONDS) - 1)])
            failures += 1
            if await self._well_after_spawn(SILENCE_SECONDS):
                self._report(f"{self.part.title} is back.")

    async def stop(self) -> None:
        """Ask the part to stop, and end it when it does not in time."""
        await self._ended(self.part.stop_signal, self.part.stop_seconds)

    async def _well_after_spawn(self, seconds: float) -> bool:
        try:
            self._child = child = await spawn(self.part, self._home)
        except OSError as error:
            self._report(f"{self.part.title} cannot be started: {error}.")
            return False
        self._listen(child)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while child.process.returncode is None:
                    if await self._is_well():
                        return True
                    await asyncio.sleep(_POLL_SECONDS)
        return False

    async def _until_unwell(self) -> str:
        """Return what happened to the part, as words that follow its name."""
        misses = 0
        while misses < MISSES:
            if self._child is None or await self._exits_within(self.part.check_seconds):
                return f"ended unexpectedly ({self._how_it_ended()})"
            misses = 0 if await self._is_well() else misses + 1
        return "does not answer"

    async def _exits_within(self, seconds: float) -> bool:
        if self._child is None:
            return True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._child.process.wait(), seconds)
            return True
        return False

    async def _is_well(self) -> bool:
        if self.part.check is None:
            now = asyncio.get_running_loop().time()
            return self._beat is not None and now - self._beat < SILENCE_SECONDS
        try:
            await self.part.check()
        except Exception as error:  # noqa: BLE001 - whatever the probe met, the part is not well
            self._complaint = f"{type(error).__name__}: {error}"
            return False
        return True

    def _how_it_ended(self) -> str:
        code = self._child.process.returncode if self._child else None
        if code is None:
            return "it never started"
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    async def _ended(self, wish: signal.Signals, seconds: float) -> None:
        child = self._child
        if child is None:
            return
        with contextlib.suppress(ProcessLookupError):
            child.process.send_signal(wish)
        try:
            await asyncio.wait_for(child.process.wait(), seconds)
        except TimeoutError:
            child.process.kill()
            await child.process.wait()
        self._unlisten(child)
        self._child = None

    def _listen(self, child: Child) -> None:
        self._beat = None
        if child.pipe is not None:
            os.set_blocking(child.pipe, False)
            asyncio.get_running_loop().add_reader(child.pipe, self._hear, child.pipe)

    def _hear(self, pipe: int) -> None:
        if os.read(pipe, 4096):
            self._beat = asyncio.get_running_loop().time()
        else:
            asyncio.get_running_loop().remove_reader(pipe)

    def _unlisten(self, child: Child) -> None:
        if child.pipe is not None:
            asyncio.get_running_loop().remove_reader(child.pipe)
            os.close(child.pipe)


async def stop_all(keepers: Sequence[Keeper]) -> None:
    """Stop the parts one after the other, the last started first."""
    for keeper in reversed(keepers):
        await keeper.stop()
