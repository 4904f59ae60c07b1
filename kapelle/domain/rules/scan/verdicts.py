"""The way to the gate: it fails closed, within a budget, and keeps a door's verdict for the workflow that asks next."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from kapelle.domain.entries import Draft
from kapelle.domain.errors import ScanFailed
from kapelle.domain.rules.scan import gate
from kapelle.domain.rules.scan.gate import Checkpoint
from kapelle.domain.scan import Policy, Verdict

# Drafts that are on their way at once; a verdict that was not asked for by then is found again by scanning.
MOST: Final = 512
# Ten times what the worst text of the largest size was measured to need.
SECONDS: Final = 2.5

BROKE: Final = (
    "not stored: the scan for credentials and personal data failed on this text, so nobody can tell what is in it; "
    "shorten or reword it, and tell an operator if that does not help"
)
TOO_LONG: Final = (
    "not stored: the scan for credentials and personal data did not finish in time, so nobody can tell what is in "
    "this text; shorten it or split it up"
)


class _BudgetSpent(Exception):
    """The scan took longer than it may."""


def _no_clock() -> float:
    return 0.0


@dataclass(slots=True, kw_only=True)
class Verdicts:
    """Scans are pure, so that the second one of the same draft under the same policy need not run.

    `clock` counts seconds of work and is read between rules; without one, a scan has no budget.
    """

    clock: Callable[[], float] = _no_clock
    seconds: float = SECONDS
    scan: Callable[[Draft, Policy, Checkpoint], Verdict] = gate.scan
    _kept: "OrderedDict[tuple[Draft, Policy], Verdict]" = field(default_factory=OrderedDict)

    def give(self, draft: Draft, policy: Policy) -> Verdict:
        """Scan a draft, and keep the verdict on what may go on.

        Raises:
            ScanFailed: a rule broke, or the budget was spent; no part of the text is in it.
        """
        verdict = self.look(draft, policy)
        if not verdict.refused and verdict.draft == draft:
            self._kept[draft, policy] = verdict
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return verdict

    def take(self, draft: Draft, policy: Policy) -> Verdict:
        """Return the verdict on a draft, which is not kept any longer. Raises as `give` does."""
        return self._kept.pop((draft, policy), None) or self.look(draft, policy)

    def look(self, draft: Draft, policy: Policy) -> Verdict:
        """Scan a draft and keep nothing. Raises as `give` does."""
        try:
            return self.scan(draft, policy, self._checkpoint())
        except _BudgetSpent as spent:
            raise ScanFailed(TOO_LONG, where=_where(spent)) from None
        except Exception as broken:  # noqa: BLE001 - whatever a rule trips over, its text must not be stored.
            raise ScanFailed(BROKE, where=_where(broken)) from None

    def _checkpoint(self) -> Checkpoint:
        end = self.clock() + self.seconds

        def check() -> None:
            if self.clock() > end:
                raise _BudgetSpent

        return check


def _where(error: Exception) -> str:
    """Name what happened by type and place: a message may quote the text that it failed on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    return f"{type(error).__name__} in {trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
