"""The guards: each names a difference that keeps two texts apart, however close their vectors are."""

from collections.abc import Iterator, Set as AbstractSet
from itertools import pairwise

from kapelle.domain.dedup import Reason, Statement
from kapelle.domain.rules import dedup_words as words

_REASONS = {
    "num": Reason.NUMBER,
    "date": Reason.DATE,
    "day": Reason.DATE,
    "frq": Reason.DATE,
    "time": Reason.DATE,
    "zone": Reason.DATE,
    "id": Reason.IDENTIFIER,
    "env": Reason.ENVIRONMENT,
    "neg": Reason.NEGATION,
    "mod": Reason.MODAL,
    "pole": Reason.ANTONYM,
    "qua": Reason.QUANTIFIER,
    "tense": Reason.TENSE,
    "op": Reason.OPERATOR,
    "word": Reason.WORD,
}
_IMPLIED_BY_IMPERATIVE = frozenset({"mod:must", "mod:should"})
_MAY_BE_LEFT_OUT = 2
_BOUND = ("num:", "pole:", "mod:", "env:", "date:", "time:", "id:", "neg:", "qua:", "day:")
_SUPERSEDING = frozenset({"word:anymore", "word:longer", "word:now", "word:deprec", "word:mov", "word:formerly", "word:obsolet"})


def overlap(a: Statement, b: Statement) -> float:
    """Return the share of their keys that two texts have in common, 0..1."""
    common = len(a.keys & b.keys)
    return common / (len(a.keys) + len(b.keys) - common or 1)


def reasons(a: Statement, b: Statement) -> tuple[Reason, ...]:
    """Return the names of the rules that see a difference, in a fixed order; none means that nothing unexplained is left."""
    left, right = _unexplained(a, b), _unexplained(b, a)
    if _only_left_out(left, right) or _only_left_out(right, left):
        left = right = frozenset()
    found = {_reason(key, one, other) for one, other, keys in ((a, b, left), (b, a, right)) for key in keys}
    if a.past != b.past and (a.present != b.present):
        found.add(Reason.TENSE)
    if a.negations != b.negations and _scope(a, "not") != _scope(b, "not"):
        found.add(Reason.NEGATION)
    if not found:
        found.update(_structure(a, b))
    return tuple(sorted(found))


def _unexplained(one: Statement, other: Statement) -> frozenset[str]:
    """Return the keys of one text that the other has neither as such nor in another spelling."""
    missing = one.keys - other.keys
    if not missing:
        return missing
    if other.imperative and not any(key.startswith("mod:") for key in other.keys):
        missing -= _IMPLIED_BY_IMPERATIVE
    return frozenset(key for key in missing if not _explained(key, one, other))


def _only_left_out(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether one text merely has a word or two more that carry no fact."""
    return not other and 0 < len(one) <= _MAY_BE_LEFT_OUT and one <= words.WEAK_KEYS


def _explained(key: str, one: Statement, other: Statement) -> bool:
    if key.startswith("id:"):
        return f" {key[3:].lower()} " in other.plain
    if not key.startswith("word:"):
        return key in other.inner and key.startswith(("num:", "pole:"))
    if key in other.inner or key in other.joined:
        return True
    # The parts of a word that the other text writes together.
    return key in one.halves and bool(one.joined & other.keys)


def _reason(key: str, one: Statement, other: Statement) -> Reason:
    category = key.partition(":")[0]
    if category == "word" and key in one.names:
        return Reason.NAME
    if category == "pole":
        opposite = key[:-1] + ("-" if key.endswith("+") else "+")
        return Reason.ANTONYM if opposite in other.keys else Reason.WORD
    return _REASONS.get(category, Reason.WORD)


def _scope(text: Statement, name: str) -> AbstractSet[str]:
    return next((governed for marker, governed in text.scopes if marker == name), frozenset())


def _structure(a: Statement, b: Statement) -> Iterator[Reason]:
    """Yield what differs although both texts are made of the same pieces: who does what to whom, what is bound to what."""
    if _scopes_cross(a, b):
        yield Reason.ORDER
    if _counts_cross(a, b):
        yield Reason.NUMBER
    if _clauses_cross(a, b) or _turned_round(a, b):
        yield Reason.ORDER


def _scopes_cross(a: Statement, b: Statement) -> bool:
    """Tell whether a marker such as "not", "from" or "before" governs something else in each text."""
    governed = dict(b.scopes)
    several_modals = sum(key.startswith("mod:") for key in a.keys) > 1
    return any(
        governed.get(name) and not scope & governed[name]
        for name, scope in a.scopes
        if several_modals or not name.startswith("mod:")
    )


def _counts_cross(a: Statement, b: Statement) -> bool:
    """Tell whether two numbers changed places: another word is counted by each, and their order is another."""
    first = [number for number, _ in a.counted]
    second = [number for number, _ in b.counted]
    if len(set(first)) < 2 or list(dict.fromkeys(first)) == list(dict.fromkeys(second)):
        return False
    return bool(set(a.counted) ^ set(b.counted))


def _clauses_cross(a: Statement, b: Statement) -> bool:
    """Tell whether something that must not wander, such as a number, stands in one clause with other words."""
    if len(a.clauses) < 2 or len(b.clauses) < 2:
        return False
    mates, others = _mates(a), _mates(b)
    return any(
        key in others and mates[key] and others[key] and not mates[key] & others[key]
        for key in mates
        if key.startswith(_BOUND)
    )


def _mates(text: Statement) -> dict[str, frozenset[str]]:
    """Return for each key that occurs in one clause only what else occurs in that clause only."""
    counts: dict[str, int] = {}
    for clause in text.clauses:
        for key in clause:
            counts[key] = counts.get(key, 0) + 1
    alone = [frozenset(key for key in clause if counts[key] == 1) for clause in text.clauses]
    return {key: clause - {key} for clause in alone for key in clause}


def _turned_round(a: Statement, b: Statement) -> bool:
    """Tell whether nearly the same words stand in another order that is more than a phrase moved to the front or the end."""
    union = len(a.surface | b.surface)
    if not union or len(a.surface & b.surface) / union < 0.7:
        return False
    place = {key: at for at, key in enumerate(a.order)}
    return _falls_thrice([place[key] for key in b.order if key in place])


def _falls_thrice(places: list[int]) -> bool:
    """Tell whether some three places, not necessarily neighbours, are in falling order; linear."""
    if all(x < y for x, y in pairwise(places)):
        return False
    smallest_after = [0] * len(places)
    smallest = len(places) + 1
    for at in range(len(places) - 1, -1, -1):
        smallest_after[at] = smallest
        smallest = min(smallest, places[at])
    largest = -1
    for at, place in enumerate(places):
        if largest > place > smallest_after[at]:
            return True
        largest = max(largest, place)
    return False


def opposed(a: Statement, b: Statement, found: tuple[Reason, ...]) -> bool:
    """Tell whether the reasons speak for a contradiction rather than for one fact in other words."""
    if any(reason is not Reason.WORD for reason in found):
        return True
    return bool(a.keys - b.keys) and bool(b.keys - a.keys)


def elsewhere(a: Statement, b: Statement) -> bool:
    """Tell whether the texts speak of different environments, so that both may well be true."""
    one, other = ({key for key in text.keys if key.startswith("env:")} for text in (a, b))
    return bool(one) and bool(other) and not one & other


def superseding(text: Statement) -> bool:
    """Tell whether a text says that things have changed."""
    return bool(text.keys & _SUPERSEDING)
