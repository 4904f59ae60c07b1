"""Whether two entries say the same, and what a person should look at.

Likeness alone decides nothing: two texts are the same only if every difference between them can be explained.
"""

from kapelle.domain.dedup import (
    Candidate,
    ConflictKind,
    Differs,
    Reason,
    Relation,
    Same,
    Statement,
    Thresholds,
    Unrelated,
    Validity,
)
from kapelle.domain.rules import dedup_guards as guards
from kapelle.domain.rules.dedup_statement import statement

__all__ = ["THRESHOLDS", "compare", "conflict", "follows", "may_be_related", "statement", "thresholds"]

# From `python -m benchmarks.dedup`; a model that was not measured there gets the cautious ones.
THRESHOLDS = {"kapelle-local/all-minilm-l6-v2-int8:384": Thresholds(same=0.75, related=0.60)}
UNMEASURED = Thresholds(same=0.85, related=0.70)
# The share of common words, where there is no embedder.
WITHOUT_MODEL = Thresholds(same=0.50, related=0.40)


def thresholds(model: str | None) -> Thresholds:
    """Return what counts as alike for an embedding model; None stands for no embedder."""
    return WITHOUT_MODEL if model is None else THRESHOLDS.get(model, UNMEASURED)


def may_be_related(similarity: float | None, model: str | None) -> bool:
    """Tell whether a pair is alike enough to be compared at all, so that a caller need not read the other text."""
    return similarity is None or similarity >= thresholds(model).related


def compare(a: Statement, b: Statement, similarity: float | None, model: str | None) -> Relation:
    """Tell whether two texts state one fact; the similarity is the cosine of their vectors of this model, or None.

    Without vectors the share of common words takes its place. Time is linear in the texts.
    """
    limits = thresholds(model if similarity is not None else None)
    alike = similarity if similarity is not None else guards.overlap(a, b)
    if a.digest == b.digest:
        return Same(similarity=1.0)
    if alike < limits.related:
        return Unrelated()
    reasons = guards.reasons(a, b)
    if reasons:
        return Differs(similarity=alike, reasons=reasons)
    return Same(similarity=alike) if alike >= limits.same else Differs(similarity=alike, reasons=(Reason.WORDING,))


def conflict(
    a: Statement, b: Statement, similarity: float | None, model: str | None, *, historical: bool = False
) -> Candidate | None:
    """Return what a person should decide about two entries, or None; `historical` if one is no longer current."""
    relation = compare(a, b, similarity, model)
    match relation:
        case Unrelated():
            return None
        case Same(similarity=alike):
            return Candidate(kind=ConflictKind.NEAR_DUPLICATE, score=_bounded(alike), reasons=())
        case Differs(similarity=alike, reasons=reasons):
            return _judged(a, b, alike, reasons, historical=historical)


def _judged(
    a: Statement, b: Statement, alike: float, reasons: tuple[Reason, ...], *, historical: bool
) -> Candidate | None:
    if guards.elsewhere(a, b):
        return None
    if historical or Reason.TENSE in reasons or guards.superseding(a) != guards.superseding(b):
        kind = ConflictKind.OUTDATED
    elif guards.opposed(a, b, reasons):
        kind = ConflictKind.CONTRADICTION
    else:
        kind = ConflictKind.NEAR_DUPLICATE
    return Candidate(kind=kind, score=_bounded(alike), reasons=reasons)


def _bounded(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 4)


def follows(a: Validity, b: Validity) -> bool:
    """Tell whether b is valid from the very moment at which a ends: then b supersedes a, and nobody need be asked."""
    return a.end is not None and a.end == b.start and (b.end is None or b.end > a.end)
