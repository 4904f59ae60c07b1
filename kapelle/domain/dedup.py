"""What a comparison of two entries says: the same, different and why, or unrelated; and what a person should decide."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal


class Reason(StrEnum):
    """The name of a rule that saw a difference; safe to store, log and show, since it never holds text."""

    NUMBER = "number"
    DATE = "date"
    IDENTIFIER = "identifier"
    NAME = "name"
    ENVIRONMENT = "environment"
    NEGATION = "negation"
    MODAL = "modal"
    ANTONYM = "antonym"
    QUANTIFIER = "quantifier"
    TENSE = "tense"
    OPERATOR = "operator"
    ORDER = "order"
    WORD = "word"
    # No rule saw a difference, and yet the texts are not alike enough.
    WORDING = "wording"


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """No rule saw a difference, and the texts are alike enough: one fact, said twice."""

    similarity: float
    kind: Literal["same"] = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Differs:
    """The texts are about the same thing, but the named rules saw that they do not say the same."""

    similarity: float
    reasons: tuple[Reason, ...]
    kind: Literal["differs"] = "differs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrelated:
    """Too little in common for either to repeat or contradict the other."""

    kind: Literal["unrelated"] = "unrelated"


Relation = Same | Differs | Unrelated


class ConflictKind(StrEnum):
    """What a person is asked to decide about two entries."""

    NEAR_DUPLICATE = "near_duplicate"
    CONTRADICTION = "contradiction"
    OUTDATED = "outdated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Two entries that may repeat or contradict each other; score in 0..1, higher is more urgent."""

    kind: ConflictKind
    score: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The half-open interval `[start, end)` in which an entry is true; None is open. Both need an offset."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """How alike two texts must be, as a cosine or as the share of common words: to be one fact, to be looked at."""

    same: float
    related: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What the rules read from one entry's text; made once by `rules.dedup.statement`, compared with many.

    A key is what must agree, such as `num:30` or `word:gateway`, with its category before the colon.
    """

    digest: bytes
    keys: frozenset[str]
    names: frozenset[str]
    # Keys that tell two things of one sort apart, such as "auth" and "billing" before "service".
    twins: frozenset[str]
    # Keys of the words inside code spans and identifiers.
    inner: frozenset[str]
    # Two neighbouring words: the key of both written together, and their own keys.
    joined: tuple[tuple[str, str, str], ...]
    # Every word as it stands, for near-identical wording; and the text as one line, to look identifiers up in.
    surface: frozenset[str]
    plain: str
    # Keys in the order of their first use, passive clauses turned to active ones, and the place of each in it.
    order: tuple[str, ...]
    place: Mapping[str, int]
    # Each passive verb, with who does it.
    agents: frozenset[tuple[str, str]]
    # "The key of the tenant": what is owned, and by what.
    genitives: frozenset[tuple[str, str]]
    # Words that open a clause in their base form, as imperatives do.
    openers: frozenset[str]
    # The clause of each key that occurs in one clause only.
    clause_of: Mapping[str, int]
    several_clauses: bool
    # What each marker such as "not" or "from" governs: the keys that follow it at once, and all in its reach.
    scopes: tuple[tuple[str, frozenset[str], frozenset[str]], ...]
    # Numbers, each with the word that it counts.
    counted: tuple[tuple[str, str], ...]
    # Whether words such as "then" make the order of the text the order of events.
    sequence: bool
    imperative: bool
    past: bool
    present: bool
