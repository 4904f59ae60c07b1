"""Keeps a door's verdict for the workflow that scans the same draft a moment later in the same process."""

from collections import OrderedDict
from dataclasses import dataclass, field

from kapelle.domain.entries import Draft
from kapelle.domain.rules.scan import gate
from kapelle.domain.scan import Policy, Verdict

# Drafts that are on their way at once; a verdict that was not asked for by then is found again by scanning.
MOST = 512


@dataclass(slots=True)
class Verdicts:
    """Scans are pure, so that the second one of the same draft under the same policy need not run."""

    _kept: "OrderedDict[tuple[Draft, Policy], Verdict]" = field(default_factory=OrderedDict)

    def give(self, draft: Draft, policy: Policy) -> Verdict:
        """Scan a draft, and keep the verdict if the draft may go on as it is."""
        verdict = gate.scan(draft, policy)
        if not verdict.refused and verdict.draft == draft:
            self._kept[draft, policy] = verdict
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return verdict

    def take(self, draft: Draft, policy: Policy) -> Verdict:
        """Return the verdict on a draft, which is not kept any longer."""
        return self._kept.pop((draft, policy), None) or gate.scan(draft, policy)
