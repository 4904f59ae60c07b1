"""Read one entry's text into a Statement: the keys that must agree, and how they hang together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kapelle.domain import text
from kapelle.domain.dedup import Statement
from kapelle.domain.rules import dedup_numbers as numbers
from kapelle.domain.rules import dedup_tokens as lexer
from kapelle.domain.rules import dedup_words as words
from kapelle.domain.rules.dedup_tokens import Kind, Token

_GERMAN = frozenset(
    """der die das und ist nicht wird werden ein eine für mit auf vor nach kein keine im am wir muss ins zum zur niemals alle jeden jedem bei
    dem den des sich werden sind von zu""".split())
_OTHER = frozenset("les des est une pour dans sur avec los las una para por con que del sont".split())
_ENGLISH = frozenset("the is are a of to in and for with on it not".split())
_WORDS = (Kind.WORD, Kind.CAPITAL)
_SOFT = frozenset("and but while whereas then und aber während et mais y pero".split())
_STEMS = {"en": words.stem, "de": words.stem_german, "other": words.stem_romance}
# What these words govern, up to the next break or comma, must be the same in both texts.
_SCOPES = {
    **dict.fromkeys(("from", "von", "aus", "depuis", "desde"), "from"),
    **dict.fromkeys(("to", "into", "onto", "zu", "nach", "vers", "hacia"), "to"),
    **dict.fromkeys(("before", "vor", "bevor", "avant", "antes"), "before"),
    **dict.fromkeys(("after", "once", "nach", "nachdem", "après", "después"), "after"),
    **dict.fromkeys(("if", "when", "whenever", "wenn", "falls", "si"), "if"),
    **dict.fromkeys(("unless", "until", "except", "without", "only", "nur", "ohne", "bis"), "bound"),
    **dict.fromkeys(("than", "als", "que"), "than"),
    **dict.fromkeys(("because", "since", "weil"), "because"),
    **dict.fromkeys(("first", "zuerst"), "first"),
    **dict.fromkeys(("later", "second", "dann"), "later"),
}
_SCOPE_WORDS = 3
_FORBIDS = frozenset({("not", "allowed"), ("not", "permitted"), ("nicht", "erlaubt")})
_BOUNDS = {"over": "qua:more", "above": "qua:more", "under": "qua:less", "below": "qua:less"}
_PAST = frozenset("was were had did war waren hatte hatten".split())
_PRESENT = frozenset("is are has have does do am ist sind hat haben wird werden".split())
_BE = frozenset("is are was were be been being get gets got".split())
_AGENT = frozenset({"by", "von", "durch"})
_PHRASE_ENDS = frozenset("in on at for with during when if before after per under to from and or".split())


def statement(title: str, body: str) -> Statement:
    """Return what the rules read from an entry's title and body; costs time linear in the text."""
    found = lexer.tokens(title, body)
    reader = _Reader(tokens=found, language=_language(found))
    reader.read()
    return reader.result(text.text_hash(title, body))


def _language(tokens: Sequence[Token]) -> str:
    seen = [token.text for token in tokens if token.kind in _WORDS]
    votes = {name: sum(word in table for word in seen) for name, table in (("en", _ENGLISH), ("de", _GERMAN), ("other", _OTHER))}
    return max(votes, key=lambda name: votes[name])


@dataclass(slots=True)
class _Reader:
    """The state of one pass over the tokens of a text."""

    tokens: list[Token]
    language: str
    keys: dict[str, None] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    inner: set[str] = field(default_factory=set)
    clauses: list[list[str]] = field(default_factory=lambda: [[]])
    scopes: dict[str, set[str]] = field(default_factory=dict)
    open_scopes: list[tuple[str, int]] = field(default_factory=list)
    counted: list[tuple[str, str]] = field(default_factory=list)
    waiting: str = ""
    negations: int = 0
    agent_at: int = -1

    def read(self) -> None:
        at = 0
        while at < len(self.tokens):
            at += self._step(at)

    def _step(self, at: int) -> int:
        """Take what begins at a token and return how many tokens that was."""
        token = self.tokens[at]
        if token.kind in {Kind.BREAK, Kind.COMMA}:
            self._end_clause(hard=token.kind is Kind.BREAK)
            return 1
        number = numbers.read(self.tokens, at, comma_decimal=self.language != "en")
        if number and not self._is_label(at):
            self._number(number.key)
            return number.width
        if token.kind in _WORDS:
            return self._phrase(at) or self._word(at)
        self._symbol(token)
        return 1

    def _number(self, key: str) -> None:
        self._add(key)
        if key.startswith("num:") and not key.startswith("num:unit:"):
            self.waiting = key

    def _symbol(self, token: Token) -> None:
        if token.kind is Kind.OPERATOR:
            known = words.QUANTIFIERS.get(token.text)
            self._add(known or ("" if token.text == "&" else f"op:{token.text}"))
            return
        self._add(f"id:{token.text}")
        for part in lexer.parts(token.text):
            self.inner.add(self._key(part))

    def _phrase(self, at: int) -> int:
        """Take two or three words that mean one thing, such as "at least"; 0 if none begin here."""
        pair = (self.tokens[at].text, self._text(at + 1))
        if pair in words.QUANTIFIER_PHRASES:
            self._add(words.QUANTIFIER_PHRASES[pair])
            return 2
        if pair in words.CONTRAST_PAIRS:
            self._negate()
            return 2
        if pair == ("used", "to") and self._text(at - 1) not in _BE:
            self._add("tense:used to")
            return 2
        if pair in {("has", "to"), ("have", "to"), ("had", "to")}:
            self._modal("mod:need", at, 2)
            return 2
        if pair in _FORBIDS:
            self._add(words.FIXED["forbid"])
            return 2
        if pair[0] in _BOUNDS and at + 1 < len(self.tokens) and self.tokens[at + 1].kind is Kind.NUMBER:
            self._add(_BOUNDS[pair[0]])
            return 1
        return self._frequency(at)

    def _frequency(self, at: int) -> int:
        first, second, third = self.tokens[at].text, self._text(at + 1), self._text(at + 2)
        if first in {"every", "each", "jede", "jeden", "jedes"} and second in words.FREQUENCY_UNITS:
            self._add(f"frq:{words.FREQUENCY_UNITS[second]}")
            return 2
        if first == "once" and second in {"a", "per"} and third in words.FREQUENCY_UNITS:
            self._add(f"frq:{words.FREQUENCY_UNITS[third]}")
            return 3
        return 0

    def _word(self, at: int) -> int:
        token = self.tokens[at]
        word = token.text
        if self._is_negation(word, at):
            self._negate()
        elif word in words.MODALS:
            self._modal(words.MODALS[word], at, 1)
        elif not self._is_light(at):
            self._add(self._key(word, shouted=token.shouted))
            if token.kind is Kind.CAPITAL and self._inside_sentence(at):
                self.names.add(self._key(word))
        self._open(word, at)
        return 1

    def _is_negation(self, word: str, at: int) -> bool:
        if word.endswith(("n't", "'t")) or word in words.NEGATIONS or word in words.CONTRASTS:
            return True
        return word == "over" and any(self._text(back) in words.PREFERENCES for back in range(max(0, at - 4), at))

    def _negate(self) -> None:
        self.negations += 1
        self._add("neg:not")
        self.open_scopes.append(("not", _SCOPE_WORDS))

    def _modal(self, key: str, at: int, width: int) -> None:
        """Add a modal verb; "must not" forbids while "need not" excuses, so that a negated need is its own class."""
        if key == "mod:need":
            near = (self._text(at - 1), self._text(at - 2), self._text(at + width))
            negated = any(word in words.NEGATIONS or word.endswith("n't") for word in near if word)
            key = "mod:needless" if negated else "mod:must"
        self._add(key)
        self.open_scopes.append((key, _SCOPE_WORDS))

    def _open(self, word: str, at: int) -> None:
        if word in _SCOPES:
            self.open_scopes.append((_SCOPES[word], _SCOPE_WORDS))
        if word in _SOFT:
            self._end_clause(hard=False)
        elif word in _AGENT and self.clauses[-1]:
            self.agent_at = len(self.clauses[-1])
        elif word in _PHRASE_ENDS:
            self._turn_active()

    def _is_light(self, at: int) -> bool:
        token = self.tokens[at]
        if token.shouted and self._is_proper(token.text, at):
            return False
        if token.text == "live" and self._text(at - 1) in {"the", "a", "our", "in", "on"}:
            return False
        if token.text == "on" and (at + 1 == len(self.tokens) or self.tokens[at + 1].kind is Kind.BREAK):
            return False
        return token.text in words.LIGHT or self._is_label(at)

    def _is_proper(self, word: str, at: int) -> bool:
        """Tell whether capitals make a name of a word that is light in lower case: US, GET, EST, service A."""
        upper = word.upper()
        named = upper in words.METHODS or upper in words.ENVIRONMENTS_BY_CASE or word in words.ZONES
        return named or (len(word) == 1 and self._inside_sentence(at))

    def _is_label(self, at: int) -> bool:
        return (
            self.tokens[at].text in words.LABELS
            and at + 1 < len(self.tokens)
            and self.tokens[at + 1].text == ":"
            and not self._inside_sentence(at)
        )

    def _inside_sentence(self, at: int) -> bool:
        return at > 0 and self.tokens[at - 1].kind is not Kind.BREAK

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) and self.tokens[at].kind in _WORDS else ""

    def _key(self, word: str, *, shouted: bool = False) -> str:
        if shouted and word.upper() in words.ENVIRONMENTS_BY_CASE:
            return words.ENVIRONMENTS_BY_CASE[word.upper()]
        known = words.FIXED.get(word)
        if known:
            return known
        root = _STEMS[self.language](word)
        return words.FIXED.get(root) or f"word:{words.SYNONYMS.get(word) or words.SYNONYMS.get(root) or root}"

    def _add(self, key: str) -> None:
        if not key:
            return
        self.keys[key] = None
        self.clauses[-1].append(key)
        if self.waiting and not key.startswith("num:"):
            self.counted.append((self.waiting, key))
            self.waiting = ""
        still: list[tuple[str, int]] = []
        for scope, left in self.open_scopes:
            if key not in {"neg:not", scope}:
                self.scopes.setdefault(scope, set()).add(key)
                left -= 1
            if left:
                still.append((scope, left))
        self.open_scopes = still

    def _end_clause(self, *, hard: bool) -> None:
        self._turn_active()
        if self.waiting:
            self.counted.append((self.waiting, ""))
            self.waiting = ""
        self.open_scopes = [] if hard else [scope for scope in self.open_scopes if scope[1] == _SCOPE_WORDS]
        if self.clauses[-1]:
            self.clauses.append([])

    def _turn_active(self) -> None:
        """Put the agent of a passive clause before its verb: "X is owned by Y" reads as "Y owns X"."""
        clause, at = self.clauses[-1], self.agent_at
        if 0 < at < len(clause):
            self.clauses[-1] = [*clause[at:], clause[at - 1], *clause[: at - 1]]
        self.agent_at = -1

    def result(self, digest: bytes) -> Statement:
        self._end_clause(hard=True)
        plain = [token.text.lower() for token in self.tokens if token.kind not in {Kind.BREAK, Kind.COMMA}]
        pairs = tuple(self._joined())
        return Statement(
            digest=digest,
            keys=frozenset(self.keys),
            names=frozenset(self.names),
            inner=frozenset(self.inner),
            joined=frozenset(joined for joined, _halves in pairs),
            halves=frozenset(half for _joined, halves in pairs for half in halves),
            surface=frozenset(plain),
            plain=f" {' '.join(plain)} ",
            order=tuple(dict.fromkeys(key for clause in self.clauses for key in clause)),
            clauses=tuple(frozenset(clause) for clause in self.clauses if clause),
            scopes=tuple((name, frozenset(governed)) for name, governed in sorted(self.scopes.items())),
            counted=tuple(self.counted),
            negations=self.negations,
            imperative=any(self._imperatives()),
            past=any(word in _PAST for word in plain),
            present=any(word in _PRESENT for word in plain),
        )

    def _joined(self) -> Iterator[tuple[str, tuple[str, str]]]:
        for left, right in zip(self.tokens, self.tokens[1:], strict=False):
            if left.kind in _WORDS and right.kind in _WORDS:
                yield self._key(left.text + right.text), (self._key(left.text), self._key(right.text))

    def _imperatives(self) -> Iterator[bool]:
        """Tell of each place where a clause may begin whether an imperative does."""
        for at, token in enumerate(self.tokens):
            if token.kind in _WORDS and token.text in words.IMPERATIVES:
                before = self.tokens[at - 1] if at else None
                yield before is None or before.kind in {Kind.BREAK, Kind.COMMA} or self._fronted(at)

    def _fronted(self, at: int) -> bool:
        """Allow "In the web repo use ..." and "so rotate ...": no finite verb stands before it in the sentence."""
        return self._text(at - 1) in {"so", "then", "and"} or self._text(at - 1) not in {"to", "we", "they", "not", "you"} and at >= 3 and (
            self._text(_sentence_start(self.tokens, at)) in {"in", "for", "on", "between", "under", "without", "within"}
        )


def _sentence_start(tokens: Sequence[Token], at: int) -> int:
    while at > 0 and tokens[at - 1].kind is not Kind.BREAK:
        at -= 1
    return at
