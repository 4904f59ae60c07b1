"""Scores of retrieval: recall, reciprocal rank and nDCG at 10, and what came back that should not have."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.retrieval_sets import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one question brought: ids of notes, best first."""

    question: Question
    found: tuple[str, ...]
    # Whether one of them clearly has to do with the question, as the search itself says.
    clear: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Means over the questions that have an answer, in per cent.

    `forbidden` counts hits that must not be. `silent` is the share of the questions without an answer that brought
    nothing, `unclear` of those that brought nothing above the cut for a clear hit, both in per cent, and None if there
    is no such question.
    """

    recall_5: float
    recall_10: float
    mrr: float
    ndcg: float
    questions: int
    forbidden: int
    silent: float | None
    unclear: float | None

    def __str__(self) -> str:
        """Return the line of the report."""
        line = f"R@5 {self.recall_5:5.1f}  R@10 {self.recall_10:5.1f}  MRR {self.mrr:5.1f}  nDCG {self.ndcg:5.1f}"
        silent = "" if self.silent is None else f"  left empty {self.silent:.0f} %, no clear hit {self.unclear:.0f} %"
        return f"{line if self.questions else '-':50}  n={self.questions:<5} forbidden {self.forbidden}{silent}"


def score(answers: Iterable[Answer]) -> Scores:
    """Score answers; a note is relevant or it is not."""
    asked = tuple(answers)
    answerable = [(answer.question.relevant, answer.found[:10]) for answer in asked if answer.question.relevant]
    unanswerable = [answer for answer in asked if not answer.question.relevant]
    return Scores(
        recall_5=_mean([len(relevant & set(found[:5])) / len(relevant) for relevant, found in answerable]),
        recall_10=_mean([len(relevant & set(found)) / len(relevant) for relevant, found in answerable]),
        mrr=_mean([_reciprocal(relevant, found) for relevant, found in answerable]),
        ndcg=_mean([gain(relevant, found) for relevant, found in answerable]),
        questions=len(answerable),
        forbidden=sum(len(answer.question.forbidden & set(answer.found)) for answer in asked),
        silent=_mean([not answer.found for answer in unanswerable]) if unanswerable else None,
        unclear=_mean([not answer.clear for answer in unanswerable]) if unanswerable else None,
    )


def gain(relevant: frozenset[str], found: Sequence[str]) -> float:
    """Return nDCG at 10, in 0..1."""
    gained = sum(1 / math.log2(place + 1) for place, note in enumerate(found[:10], start=1) if note in relevant)
    return gained / sum(1 / math.log2(place + 1) for place in range(1, min(10, len(relevant)) + 1))


def _reciprocal(relevant: frozenset[str], found: Sequence[str]) -> float:
    return next((1 / place for place, note in enumerate(found, start=1) if note in relevant), 0.0)


def _mean(values: Sequence[float]) -> float:
    return 100 * sum(values) / len(values) if values else 0.0
