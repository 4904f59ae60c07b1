"""Vectors and the ways in which getting one fails."""

import math
from collections.abc import Sequence
from typing import TypeAlias

from kapelle.domain.errors import Fault

Vector: TypeAlias = tuple[float, ...]

# The most that a row of vectors can hold on its page.
LARGEST = 3900


class EmbeddingFailed(Fault):
    """No vector. `permanent` if trying again cannot help; `retry_after` is the pause asked for, in seconds."""

    code = "embedding_failed"

    def __init__(self, message: str, *, permanent: bool, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.retry_after = retry_after


def checked(vectors: Sequence[Sequence[float]], *, count: int, dimensions: int | None) -> tuple[Vector, ...]:
    """Return what a provider answered to `count` texts as unit vectors, if it can be trusted.

    Raises:
        EmbeddingFailed: on another number of vectors, a wrong length, or a vector that is not finite or all zeros.
    """
    if len(vectors) != count:
        raise _wrong(f"{len(vectors)} vectors for {count} texts")
    expected = dimensions or (len(vectors[0]) if vectors else 0)
    for vector in vectors:
        if len(vector) != expected:
            raise _wrong(f"a vector of {len(vector)} dimensions instead of {expected}")
        if not all(map(math.isfinite, vector)):
            raise _wrong("a vector that is not finite")
        if not any(vector):
            raise _wrong("a vector of zeros")
    if expected > LARGEST:
        raise _wrong(f"vectors of {expected} dimensions; at most {LARGEST} can be stored, set `dimensions`")
    return tuple(_unit(vector) for vector in vectors)


def _unit(vector: Sequence[float]) -> Vector:
    """Return `vector` at length 1: cosines stay, and no component is beyond a half precision number."""
    length = math.hypot(*vector)
    return tuple(component / length for component in vector)


def _wrong(what: str) -> EmbeddingFailed:
    return EmbeddingFailed(f"the embedder answered {what}", permanent=True)
