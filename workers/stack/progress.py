"""A line for each step with the time that it took."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[str], None]


@contextmanager
def timed(report: Report, step: str) -> Iterator[None]:
    """Report the step and its seconds once it is done; a step that fails reports nothing."""
    began = time.monotonic()
    yield
    report(f"  {step:<28} {time.monotonic() - began:5.1f} s")
