"""Tokens that are known by their own shape: the engine, and how one row of the tables is written."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from kapelle.domain.rules.scan.placeholders import is_documented, is_filler, is_placeholder

# The alphabets that a row's body names as `<W36>`: letter, then how many characters (`<W20,40>`).
_ALPHABETS: Final = {
    "W": "[A-Za-z0-9]",
    "U": r"[A-Za-z0-9_\-]",
    "H": "[0-9a-f]",
    "X": "[0-9A-Fa-f]",
    "L": "[a-z0-9]",
    "C": "[A-Z0-9]",
    "A": "[A-Za-z]",
    "D": "[0-9]",
    "B": "[A-Za-z0-9+/]",
    "T": "[A-Z2-7]",
}
_ALPHABET: Final = re.compile(r"<([A-Z])(\d+(?:,\d*)?)>")
_GLUE: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_SEPARATORS: Final = "_-."
# The separator comes first in the pattern, so that the engine skips to it; the three characters up to it are kept.
_TAILS: Final = re.compile(r"[_\-.](?<=(...))")
_TAIL: Final = 3
_MAX_ATTEMPTS: Final = 1_000
_MAX_LED_ATTEMPTS: Final = 200
_LED_WINDOW: Final = 200
# The shortest token of any table, and so the shortest word that may hold one.
_MIN_TOKEN: Final = 16
_MARKED: Final = 48
_MAX_HEAD: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Token:
    """One format: what follows a literal prefix, or a shape of its own when there is none."""

    rule: str
    what: str
    prefixes: tuple[str, ...]
    pattern: re.Pattern[str]
    # The prefix is so rare that it counts inside a word too, and in texts whose white space was closed.
    free: bool
    # Says yes to a token for sure (a checksum that fits); nothing else is asked then.
    proof: Callable[[str], bool] | None
    # Must hold, whatever else does.
    check: Callable[[str], bool] | None
    # How many characters of the token may precede its literal.
    lead: int
    # Of a shape: what precedes the character that the pattern begins with.
    head: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that fired on `text[start:end]` of the text it was given."""

    rule: str
    what: str
    start: int
    end: int


def too_dense(at: int) -> Hit:
    """Return the hit of a text that has more places to look at than can be looked at in time."""
    return Hit("too-many-candidates", "more places that may hold a credential than can be checked", at, at + 1)


def token(  # noqa: PLR0913 - a row of a table; its options are named.
    rule: str,
    what: str,
    prefixes: str,
    body: str,
    *,
    free: bool = False,
    proof: Callable[[str], bool] | None = None,
    check: Callable[[str], bool] | None = None,
    lead: int = 0,
    head: str = "",
) -> Token:
    """Return a row: prefixes apart by blanks, and a body where `<W36>` stands for 36 characters of alphabet W."""
    literals = tuple(prefixes.split())
    prefix = "" if lead or not literals else "(?:" + "|".join(map(re.escape, literals)) + ")"
    return Token(
        rule=rule,
        what=what,
        prefixes=literals,
        pattern=re.compile(f"{prefix}({_expanded(body)})"),
        free=free,
        proof=proof,
        check=check,
        lead=lead,
        head=re.compile(_expanded(head) + "$") if head else None,
    )


def _expanded(body: str) -> str:
    return _ALPHABET.sub(lambda match: f"{_ALPHABETS[match[1]]}{{{match[2]}}}", body)


# Each literal with the formats that begin with it.
Rows: TypeAlias = tuple[tuple[str, tuple[Token, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows by their literals, found through a literal's last characters: more rows do not make a text cost more."""

    tails: dict[str, Rows]
    # Literals that do not end in a separator are sought one by one: everywhere, or in long words only.
    free: Rows
    bound: Rows
    shapes: tuple[Token, ...]

    def candidates(self, dense: str, closed: str) -> Rows:
        """Return the rows that occur in the long words of a text or, if free, in its form without white space."""
        tails = self.tails.keys() & _TAILS.findall(closed)
        rows = [row for tail in tails for row in self.tails[tail] if row[0] in closed]
        rows += [row for row in self.free if row[0] in closed]
        if dense:
            rows += [row for row in self.bound if row[0] in dense]
        return tuple(row for row in rows if _occurs(row[1], dense, closed))

    def shape_hits(self, text: str, dense: str) -> Iterator[Hit]:
        """Yield what the rows without a literal find in the text's long words."""
        if dense:
            for row in self.shapes:
                yield from _shape_hits(text, dense, row)


def _occurs(tokens: tuple[Token, ...], dense: str, closed: str) -> bool:
    return any(row.pattern.search(dense) or (row.free and row.pattern.search(closed)) for row in tokens)


def dense_words(text: str) -> str:
    """Return the words of the text that are long enough to hold a token, a line each."""
    return "\n".join([word for word in text.split() if len(word) >= _MIN_TOKEN])


def hits(text: str, rows: Rows, *, free: bool = False) -> Iterator[Hit]:
    """Yield what the candidate rows (only the free ones, if asked) find in the text."""
    for literal, tokens in rows:
        chosen = tuple(row for row in tokens if row.free) if free else tokens
        if chosen and literal in text:
            yield from _literal_hits(text, literal, chosen)


def table(rows: Iterable[Token]) -> Table:
    """Return the rows as a table."""
    by_literal: dict[str, list[Token]] = {}
    shapes = []
    for row in rows:
        if not row.prefixes:
            shapes.append(row)
        for literal in row.prefixes:
            by_literal.setdefault(literal, []).append(row)
    tails: dict[str, Rows] = {}
    free: Rows = ()
    bound: Rows = ()
    for literal, tokens in by_literal.items():
        row_of_literal = ((literal, tuple(tokens)),)
        tail = literal[-_TAIL:]
        if len(tail) == _TAIL and tail[-1] in _SEPARATORS:
            tails[tail] = tails.get(tail, ()) + row_of_literal
        elif any(row.free for row in tokens):
            free += row_of_literal
        else:
            bound += row_of_literal
    return Table(tails, free, bound, tuple(shapes))


def _literal_hits(text: str, literal: str, tokens: tuple[Token, ...]) -> Iterator[Hit]:
    at = text.find(literal)
    for _ in range(_MAX_LED_ATTEMPTS if any(row.lead for row in tokens) else _MAX_ATTEMPTS):
        if at < 0:
            return
        for row in tokens:
            hit = _hit(text, at, row)
            if hit:
                yield hit
        at = text.find(literal, at + 1)
    if at >= 0:
        yield too_dense(at)


def _shape_hits(text: str, dense: str, row: Token) -> Iterator[Hit]:
    for match in row.pattern.finditer(dense):
        head = row.head.search(dense, max(0, match.start() - _MAX_HEAD), match.start()) if row.head else None
        if head is None:
            continue
        whole = head[0] + match[0]
        at = max(0, text.find(whole))
        if _holds(row, whole, match[1]):
            yield Hit(row.rule, row.what, at, at + len(whole))


def _hit(text: str, at: int, row: Token) -> Hit | None:
    if row.lead:
        match = row.pattern.search(text, max(0, at - row.lead), at + _LED_WINDOW)
        start = match.start() if match else at
    else:
        match, start = row.pattern.match(text, at), at
    if match is None:
        return None
    end = match.end()
    if not row.free and (_glued(text, start - 1) or _glued(text, end)):
        return None
    return Hit(row.rule, row.what, start, end) if _holds(row, match[0], match[1]) else None


def _glued(text: str, at: int) -> bool:
    return 0 <= at < len(text) and text[at] in _GLUE


def _holds(row: Token, whole: str, body: str) -> bool:
    if row.check and not row.check(whole):
        return False
    if row.proof and row.proof(whole):
        return True
    return looks_random(body) and not is_documented(whole)


def looks_random(body: str) -> bool:
    """Say whether a token's body looks drawn, rather than written by a person to show where one goes."""
    # In a long body the words that mark a placeholder turn up by chance.
    if is_filler(body) or is_placeholder(body[:_MARKED]):
        return False
    # Words put together have no digits; drawn bodies without any mix their cases instead.
    if any(character.isdigit() for character in body):
        return True
    parted = "_" in body or "-" in body
    return _case_changes(body) * (4 if parted else 5) > len(body)


def _case_changes(body: str) -> int:
    return sum(one.isupper() != other.isupper() for one, other in pairwise(body))
