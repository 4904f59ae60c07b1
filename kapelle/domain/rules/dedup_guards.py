"""The guards: each names a difference that keeps two texts apart, however close their vectors are."""

from collections import Counter
from collections.abc import Iterator
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
_OPPOSITE_MARKERS = {"from": ("to", "by"), "to": ("from", "by"), "by": ("from", "to")}
_SHARES = ((" for all ", " f\u00fcr alle "), (" for each ", " for every ", " per ", " f\u00fcr jede", " pro "))
_NEARLY_THE_SAME = 0.7
_SUPERSEDING = frozenset(
    {"word:anymore", "word:longer", "word:now", "word:deprec", "word:mov", "word:formerly", "word:obsolet"}
)


def overlap(a: Statement, b: Statement) -> float:
    """Return the share of their keys that two texts have in common, 0..1."""
    common = len(a.keys & b.keys)
    return common / (len(a.keys) + len(b.keys) - common or 1)


def reasons(a: Statement, b: Statement) -> tuple[Reason, ...]:
    """Return the names of the rules that see a difference, sorted; none means that nothing unexplained is left."""
    left, right = _unexplained(a, b), _unexplained(b, a)
    if _only_left_out(left, right) or _only_left_out(right, left):
        left = right = frozenset()
    found = {_reason(key, one, other) for one, other, keys in ((a, b, left), (b, a, right)) for key in keys}
    if a.past != b.past and (a.present != b.present):
        found.add(Reason.TENSE)
    if not found:
        found.update(_structure(a, b))
    return tuple(sorted(found))


def _unexplained(one: Statement, other: Statement) -> frozenset[str]:
    """Return the keys of one text that the other has neither as such nor in another spelling."""
    missing = one.keys - other.keys
    if not missing:
        return missing
    if _commands(other, one) and not any(key.startswith("mod:") for key in other.keys):
        missing = frozenset(key for key in missing if key.partition("*")[0] not in _IMPLIED_BY_IMPERATIVE)
    halves = {half for both, left, right in one.joined if both in other.keys for half in (left, right)}
    together = {both for both, left, right in other.joined if both in missing and {left, right} & other.keys}
    return frozenset(key for key in missing - halves - together if not _explained(key, one, other))


def _commands(text: Statement, other: Statement) -> bool:
    """Tell whether a text commands, so that a "must" in the other adds nothing: "Sign it" and "It must be signed"."""
    obliged = {key for name, heads, _ in other.scopes if name in _IMPLIED_BY_IMPERATIVE for key in heads}
    return text.imperative or not obliged.isdisjoint(text.openers)


def _only_left_out(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether one text merely has a word or two more that carry no fact."""
    return not other and 0 < len(one) <= _MAY_BE_LEFT_OUT and one <= words.WEAK_KEYS


def _explained(key: str, one: Statement, other: Statement) -> bool:
    """Tell whether the other text names an identifier without its marks, or a word only inside of its code."""
    if key in one.names and f" {key.removeprefix('word:').capitalize()} " in other.plain:
        return True
    if key.startswith("id:"):
        code = key[3:]
        return f" {code} " in other.plain or f" {code[:1].upper()}{code[1:]} " in other.plain
    return key in other.inner and key.startswith(("word:", "num:", "pole:"))


def _reason(key: str, one: Statement, other: Statement) -> Reason:
    category = key.partition(":")[0]
    if category == "word" and key in one.names:
        return Reason.NAME
    if category == "pole":
        opposite = key[:-1] + ("-" if key.endswith("+") else "+")
        return Reason.ANTONYM if opposite in other.keys else Reason.WORD
    return _REASONS.get(category, Reason.WORD)


def _structure(a: Statement, b: Statement) -> Iterator[Reason]:
    """Yield what differs although both texts have the same pieces: who does what to whom, what goes with what."""
    if _scopes_cross(a, b):
        yield Reason.ORDER
    if _shared_or_single(a, b):
        yield Reason.QUANTIFIER
    if _counts_cross(a, b):
        yield Reason.NUMBER
    if _clauses_cross(a, b) or _owners_cross(a, b) or _turned_round(a, b):
        yield Reason.ORDER
    if _agents_cross(a, b) or _agents_cross(b, a):
        yield Reason.ORDER


def _scopes_cross(a: Statement, b: Statement) -> bool:
    """Tell whether a marker such as "not", "from" or "before" governs something else in each text."""
    others = {name: (heads, reach) for name, heads, reach in b.scopes}
    several_modals = sum(key.startswith("mod:") for key in a.keys) > 1
    entities = _entities(a, b)
    for name, heads, reach in a.scopes:
        other_heads, other_reach = others.get(name, (heads, reach))
        if name.startswith("mod:") and not several_modals:
            continue
        if heads - other_reach and other_heads - reach:
            return True
        if not entities.isdisjoint(reach - other_reach) and not entities.isdisjoint(other_reach - reach):
            return True
    return _markers_cross(a, others)


def _markers_cross(a: Statement, others: dict[str, tuple[frozenset[str], frozenset[str]]]) -> bool:
    """Tell whether the same thing stands after "from" in one text and after "to" in the other."""
    opposite = ((heads, back) for name, heads, _ in a.scopes for back in _OPPOSITE_MARKERS.get(name, ()))
    return any(back in others and not heads.isdisjoint(others[back][0]) for heads, back in opposite)


def _entities(a: Statement, b: Statement) -> frozenset[str]:
    """Return the keys of what has a name, or stands before a word of which there are several."""
    return a.names | b.names | (a.twins & b.twins)


def _shared_or_single(a: Statement, b: Statement) -> bool:
    """Tell whether one text speaks of one thing for all, and the other of one for each."""
    for_all, for_each = ([any(phrase in text.plain for phrase in phrases) for text in (a, b)] for phrases in _SHARES)
    return (for_all[0] and for_each[1]) != (for_all[1] and for_each[0])


def _counts_cross(a: Statement, b: Statement) -> bool:
    """Tell whether two numbers of one unit changed places: another word is counted by each, and their order differs."""
    if len(a.counted) < 2 or len(b.counted) < 2:
        return False
    one, other = _by_unit(a), _by_unit(b)
    return any(
        unit in other
        and len({number for number, _ in counts}) > 1
        and [number for number, _ in counts] != [number for number, _ in other[unit]]
        and set(counts) != set(other[unit])
        for unit, counts in one.items()
    )


def _by_unit(text: Statement) -> dict[str, list[tuple[str, str]]]:
    units: dict[str, list[tuple[str, str]]] = {}
    for number, counted in dict.fromkeys(text.counted):
        units.setdefault(number.rpartition(":")[0], []).append((number, counted))
    return units


def _clauses_cross(a: Statement, b: Statement) -> bool:
    """Tell whether something shares its clause with wholly other things in each text, so that the bindings differ."""
    if not (a.several_clauses and b.several_clauses):
        return False
    one, other = a.clause_of, b.clause_of
    sizes, other_sizes = Counter(one.values()), Counter(other.values())
    together = Counter((one[key], other[key]) for key in one.keys() & other.keys())
    return any(shared == 1 and sizes[left] > 1 and other_sizes[right] > 1 for (left, right), shared in together.items())


def _owners_cross(a: Statement, b: Statement) -> bool:
    """Tell whether one thing is owned by different things: "the key of the tenant" and "the backup of the tenant"."""
    only, other = a.genitives - b.genitives, b.genitives - a.genitives
    return not {owner for _, owner in only}.isdisjoint(owner for _, owner in other)


def _turned_round(a: Statement, b: Statement) -> bool:
    """Tell whether two things changed places around a third: "X calls Y" and "Y calls X".

    In nearly the same wording any two things count, in other wording only those that are named or told apart.
    """
    if a.order == b.order:
        return False
    shared = [key for key in b.order if key in a.place]
    places = [a.place[key] for key in shared]
    if all(x < y for x, y in pairwise(places)):
        return False
    if a.sequence or b.sequence:
        return True
    alike = len(a.surface & b.surface) >= _NEARLY_THE_SAME * len(a.surface | b.surface)
    entities = _entities(a, b)
    return _falls_thrice(places, [alike or key in entities or key.startswith("id:") for key in shared])


def _agents_cross(one: Statement, other: Statement) -> bool:
    """Tell whether what acts in a passive clause is acted upon in the other text: "by the job" and "writes the job"."""
    new = one.agents - other.agents
    if not new:
        return False
    place = other.place
    return any(verb in place and place.get(agent, -1) > place[verb] for verb, agent in new)


def _falls_thrice(places: list[int], outer: list[bool]) -> bool:
    """Tell whether three places are in falling order, the first and the last of which may be outer ones; linear."""
    smallest_after = [0] * len(places)
    smallest = len(places) + len(outer) + max(places)
    for at in range(len(places) - 1, -1, -1):
        smallest_after[at] = smallest
        smallest = min(smallest, places[at]) if outer[at] else smallest
    largest = -1
    for at, place in enumerate(places):
        if largest > place > smallest_after[at]:
            return True
        largest = max(largest, place) if outer[at] else largest
    return False


def opposed(a: Statement, b: Statement, found: tuple[Reason, ...]) -> bool:
    """Tell whether the reasons speak for a contradiction rather than for one fact in other words."""
    if any(reason not in {Reason.WORD, Reason.WORDING} for reason in found):
        return True
    return bool(a.keys - b.keys) and bool(b.keys - a.keys)


def elsewhere(a: Statement, b: Statement) -> bool:
    """Tell whether the texts speak of different environments, so that both may well be true."""
    one, other = ({key for key in text.keys if key.startswith("env:")} for text in (a, b))
    return bool(one) and bool(other) and not one & other


def superseding(text: Statement) -> bool:
    """Tell whether a text says that things have changed."""
    return bool(text.keys & _SUPERSEDING)
