"""A place in a view where a finder saw personal data, and the checks on what stands around it."""

from dataclasses import dataclass

from kapelle.domain.rules.scan.hits import Confidence, Personal


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open span of a view's text, with what it is."""

    kind: Personal
    start: int
    end: int
    confidence: Confidence = Confidence.HIGH


def stands_alone(text: str, start: int, end: int) -> bool:
    """Tell whether a number is no part of a longer token: of a version, a path, an identifier, a decimal."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if before.isalnum() or before in "_.$#\\" or after.isalnum() or after == "_":
        return False
    if before in "-/" and start > 1 and text[start - 2].isalnum():
        return False
    follows = text[end + 1] if end + 1 < len(text) else " "
    return not (after in "-./:" and follows.isalnum())
