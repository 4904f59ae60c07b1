"""Read one entry's text into a Statement: the keys that must agree, and how they hang together."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kapelle.domain import text
from kapelle.domain.dedup import Statement
from kapelle.domain.rules import dedup_numbers as numbers
from kapelle.domain.rules import dedup_tokens as lexer
from kapelle.domain.rules import dedup_words as words
from kapelle.domain.rules.dedup_tokens import Kind, Token

_GERMAN = frozenset(
    """der die das und ist nicht wird werden ein eine für mit auf vor nach kein keine im am wir muss ins zum zur niemals
    alle jeden jedem bei dem den des sich werden sind von zu""".split()
)
_OTHER = frozenset("les des est une pour dans sur avec los las una para por con que del sont".split())
_ENGLISH = frozenset("the is are a of to in and for with on it not".split())
_WORDS = (Kind.WORD, Kind.CAPITAL)
_PAUSES = (Kind.BREAK, Kind.COMMA)
_SOFT = frozenset("and but while whereas then und aber während et mais y pero".split())
_STEMS = {"en": words.stem, "de": words.stem_german, "other": words.stem_romance}
# What these words govern, up to the next break or comma, must be the same in both texts.
_SCOPES = {
    **dict.fromkeys(("from", "von", "vom", "aus", "depuis", "desde"), "from"),
    **dict.fromkeys(("to", "into", "onto", "zu", "nach", "vers", "hacia"), "to"),
    "by": "by",
    **dict.fromkeys(("in", "dans", "en"), "in"),
    **dict.fromkeys(("on", "auf", "sur"), "on"),
    **dict.fromkeys(("for", "für", "pour", "para"), "for"),
    **dict.fromkeys(("with", "mit", "avec", "con"), "with"),
    **dict.fromkeys(("of", "des", "der", "de"), "of"),
    **{word: word for word in ("at", "via", "about", "against", "behind")},
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
_PHRASES = words.QUANTIFIER_PHRASES | dict.fromkeys(
    (("not", "allowed"), ("not", "permitted"), ("nicht", "erlaubt")), words.FIXED["forbid"]
)
_BOUNDS = {"over": "qua:more", "above": "qua:more", "under": "qua:less", "below": "qua:less"}
_PHRASE_STARTS = frozenset(
    {*(pair[0] for pair in (*_PHRASES, *words.CONTRAST_PAIRS)), *_BOUNDS, "used", "has", "have", "had", "once"}
    | {"every", "each", "jede", "jeden", "jedes"}
)
# Longer clauses are lists or no prose at all; nothing is turned round in them.
_LONGEST_PASSIVE = 40
# Adverbs of time may stand anywhere.
_WANDERING = ("frq:", "day:", "date:", "time:")
_AMOUNTS = ("num:", "qua:", *_WANDERING)
_STEP = re.compile(r"(?:^|[\s;,])\d{1,2}[.)]\s")
_SEQUENCE = frozenset("then afterwards next dann danach puis luego".split())
_COUNTED = ("neg:", "mod:", "qua:")
_PAST = frozenset("was were had did war waren hatte hatten".split())
_PRESENT = frozenset("is are has have does do am ist sind hat haben wird werden".split())
_LEADS = frozenset({"so", "then", "and"})
_BASE_FORM = re.compile(r"(?:ss|[^s])(?<!ed)(?<!ing)\Z")
_BEFORE_IMPERATIVES = frozenset("please always never do not don't bitte niemals immer".split())
# "In the web repo use pnpm": no subject may stand before the verb.
_FRONTED = re.compile(r"^ ?(?:In|For|On|Between|Under|Within) (?:\S+ ){1,4}?(?:use|keep|set|put) ")
_SUBJECT = re.compile(r" (?:we|they|you|to|not|must|should|may|can) ")
_BE = frozenset("is are was were be been being get gets got".split())
_AGENT = frozenset({"by", "von", "durch"})
_PHRASE_ENDS = frozenset("in on at for with during when if before after per under to from and or".split())


def statement(title: str, body: str) -> Statement:
    """Return what the rules read from an entry's title and body; costs time linear in the text."""
    found = lexer.tokens(title, body)
    reader = _Reader(tokens=found, language=_language(found))
    reader.title_case = _is_title_case(found)
    reader.read()
    reader.sequence = len(_STEP.findall(body)) > 1
    return reader.result(text.text_hash(title, body))


def _language(tokens: Sequence[Token]) -> str:
    seen = [token.text for token in tokens if token.kind in _WORDS]
    votes = {
        name: sum(word in table for word in seen)
        for name, table in (("en", _ENGLISH), ("de", _GERMAN), ("other", _OTHER))
    }
    return max(votes, key=lambda name: votes[name])


def _is_title_case(tokens: Sequence[Token]) -> bool:
    words_seen = [token for token in tokens if token.kind in _WORDS]
    return 2 * sum(token.kind is Kind.CAPITAL for token in words_seen) > len(words_seen)


@dataclass(slots=True)
class _Reader:
    """The state of one pass over the tokens of a text."""

    tokens: list[Token]
    language: str
    known: dict[str, str] = field(default_factory=dict)
    keys: dict[str, None] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    inner: set[str] = field(default_factory=set)
    clauses: list[list[str]] = field(default_factory=lambda: [[]])
    scopes: dict[str, tuple[set[str], set[str]]] = field(default_factory=dict)
    open_scopes: list[tuple[str, int]] = field(default_factory=list)
    counted: list[tuple[str, str]] = field(default_factory=list)
    waiting: str = ""
    times: dict[str, int] = field(default_factory=dict)
    agents: set[tuple[str, str]] = field(default_factory=set)
    adverbs: set[str] = field(default_factory=set)
    genitives: set[tuple[str, str]] = field(default_factory=set)
    owned: str = ""
    agent_at: int = -1
    sequence: bool = False
    title_case: bool = False

    def read(self) -> None:
        at = 0
        while at < len(self.tokens):
            at += self._step(at)

    def _step(self, at: int) -> int:
        """Take what begins at a token and return how many tokens that was."""
        token = self.tokens[at]
        if token.kind in _PAUSES:
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
        if self.tokens[at].text not in _PHRASE_STARTS:
            return 0
        pair = (self.tokens[at].text, self._text(at + 1))
        if pair in _PHRASES:
            self._add(_PHRASES[pair])
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
        return self._bound(at) or self._frequency(at)

    def _bound(self, at: int) -> int:
        """Take "over" as "more than" where a number follows."""
        bound = _BOUNDS.get(self.tokens[at].text)
        if not bound or at + 1 == len(self.tokens) or self.tokens[at + 1].kind is not Kind.NUMBER:
            return 0
        self._add(bound)
        return 1

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
        elif word in words.RELATIONS and self._is_light(at):
            self.clauses[-1].append(words.RELATIONS[word])
        elif not self._is_light(at):
            self._add(self._key(word, shouted=token.shouted))
            if word.endswith("ly") and self._key(word).startswith("word:"):
                self.adverbs.add(self._key(word))
            if self._is_name(at):
                self.names.add(self._key(word))
        self._open(word, at)
        return 1

    def _is_name(self, at: int) -> bool:
        """Tell whether a capital makes a name; in German every noun has one, so that only letters such as A do."""
        token = self.tokens[at]
        capital = token.kind is Kind.CAPITAL and (self.language != "de" or len(token.text) == 1)
        return capital and self._inside_sentence(at) and self._key(token.text).startswith("word:")

    def _is_negation(self, word: str, at: int) -> bool:
        if word.endswith(("n't", "'t")) or word in words.NEGATIONS or word in words.CONTRASTS:
            return True
        return word == "over" and any(self._text(back) in words.PREFERENCES for back in range(max(0, at - 4), at))

    def _negate(self) -> None:
        self._add("neg:not")
        self._govern("not")

    def _modal(self, key: str, at: int, width: int) -> None:
        """Add a modal verb; "must not" forbids while "need not" excuses, so that a negated need is its own class."""
        if key == "mod:need":
            near = (self._text(at - 1), self._text(at - 2), self._text(at + width))
            negated = any(word in words.NEGATIONS or word.endswith("n't") for word in near if word)
            key = "mod:needless" if negated else "mod:must"
        self._add(key)
        self._govern(key)

    def _govern(self, scope: str) -> None:
        if (scope, _SCOPE_WORDS) not in self.open_scopes:
            self.open_scopes.append((scope, _SCOPE_WORDS))

    def _open(self, word: str, at: int) -> None:
        if word in _SCOPES:
            self._govern(_SCOPES[word])
        if word == "of" and self.clauses[-1]:
            self.owned = self.clauses[-1][-1]
        if word in _SOFT:
            self._end_clause(hard=False)
        elif word in _AGENT and self.clauses[-1] and not self._text(at + 1).endswith("ing"):
            self.agent_at = len(self.clauses[-1])
        elif word in _PHRASE_ENDS:
            self._turn_active()

    def _is_light(self, at: int) -> bool:
        token = self.tokens[at]
        if token.shouted and self._is_proper(token.text, at):
            return False
        if token.kind is Kind.CAPITAL and self._inside_sentence(at) and not self.title_case:
            # "Go" is a language and "Make" a program, unless every word has a capital.
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
        key = self.known.get(word)
        if key is None:
            root = _STEMS[self.language](word)
            key = words.FIXED.get(word) or words.FIXED.get(root)
            key = key or f"word:{words.SYNONYMS.get(word) or words.SYNONYMS.get(root) or root}"
            self.known[word] = key
        return key

    def _add(self, key: str) -> None:
        if not key:
            return
        if key.startswith(_COUNTED):
            key = self._numbered(key)
        if self.owned:
            self.genitives.add((self.owned, key))
            self.owned = ""
        self.keys[key] = None
        self.clauses[-1].append(key)
        if self.waiting and not key.startswith("num:"):
            self.counted.append((self.waiting, key))
            self.waiting = ""
        reached = [self._governed(scope, key) for scope in self.open_scopes]
        self.open_scopes = [scope for scope in dict.fromkeys(reached) if scope[1]]

    def _governed(self, scope: tuple[str, int], key: str) -> tuple[str, int]:
        """Note that a marker governs a key, and return what is left of the marker's reach."""
        name, left = scope
        if key.startswith(("neg:not", name)):
            return scope
        heads, reach = self.scopes.setdefault(name, (set(), set()))
        reach.add(key)
        if left == _SCOPE_WORDS:
            heads.add(key)
        return name, left - 1

    def _numbered(self, key: str) -> str:
        """Give each further occurrence a key of its own, since a second "not" or "only" changes what is said."""
        times = self.times[key] = self.times.get(key, 0) + 1
        return key if times == 1 else f"{key}*{times}"

    def _end_clause(self, *, hard: bool) -> None:
        self._turn_active()
        self.owned = ""
        if self.waiting:
            self.counted.append((self.waiting, ""))
            self.waiting = ""
        self.open_scopes = [] if hard else [scope for scope in self.open_scopes if scope[1] == _SCOPE_WORDS]
        if self.clauses[-1]:
            self.clauses.append([])

    def _turn_active(self) -> None:
        """Put the agent of a passive clause before its verb: "X is owned by Y" reads as "Y owns X"."""
        clause, at = self.clauses[-1], self.agent_at
        verb = at - 1
        while (
            len(clause) <= _LONGEST_PASSIVE
            and verb > 0
            and (clause[verb] in self.adverbs or clause[verb].startswith(_WANDERING))
        ):
            verb -= 1
        if 0 < at < len(clause) <= _LONGEST_PASSIVE and not clause[at].startswith(_AMOUNTS):
            self.agents.update((clause[verb], agent) for agent in clause[at:])
            self.clauses[-1] = [*clause[at:], clause[verb], *clause[:verb], *clause[verb + 1 : at]]
        self.agent_at = -1

    def result(self, digest: bytes) -> Statement:
        self._end_clause(hard=True)
        seen = [token for token in self.tokens if token.kind not in _PAUSES]
        plain = [token.text.lower() for token in seen]
        written = f" {' '.join(map(lexer.as_written, seen))} "
        openers = tuple(self._openers())
        wandering = self.adverbs
        order = tuple(
            dict.fromkeys(key for key in self._in_order() if not key.startswith(_COUNTED) and key not in wandering)
        )
        return Statement(
            digest=digest,
            keys=frozenset(self.keys),
            names=frozenset(self.names),
            twins=frozenset(self._twins()),
            inner=frozenset(self.inner),
            joined=tuple(dict.fromkeys(self._joined())),
            surface=frozenset(word if word in words.LIGHT else self.known.get(word, word) for word in plain),
            plain=written,
            order=order,
            place={key: at for at, key in enumerate(order)},
            agents=frozenset(self.agents),
            genitives=frozenset(self.genitives),
            openers=frozenset(map(self._key, openers)),
            clause_of=self._clause_of(),
            several_clauses=sum(map(bool, self.clauses)) > 1,
            scopes=tuple(
                (name, frozenset(heads), frozenset(governed)) for name, (heads, governed) in sorted(self.scopes.items())
            ),
            counted=tuple(self.counted),
            sequence=self.sequence or not _SEQUENCE.isdisjoint(plain),
            imperative=not words.LIGHT_IMPERATIVES.isdisjoint(openers) or _is_fronted(written),
            past=any(word in _PAST for word in plain),
            present=any(word in _PRESENT for word in plain),
        )

    def _joined(self) -> Iterator[tuple[str, str, str]]:
        """Yield the key of two neighbouring words written together, and their own: "lock file" is "lockfile"."""
        for left, right in pairwise(self.tokens):
            if left.kind in _WORDS and right.kind in _WORDS and not {left.text, right.text} & words.LIGHT:
                yield self._key(left.text + right.text), self._key(left.text), self._key(right.text)

    def _clause_of(self) -> dict[str, int]:
        """Return the clause of each key that occurs in one clause only."""
        times = Counter(key for clause in self.clauses for key in set(clause))
        return {key: at for at, clause in enumerate(self.clauses) for key in clause if times[key] == 1}

    def _twins(self) -> Iterator[str]:
        """Yield what stands before a word that occurs again: "auth" and "billing" of two services."""
        keys = self._in_order()
        times = Counter(keys)
        yield from (left for left, right in pairwise(keys) if times[right] > 1)

    def _in_order(self) -> list[str]:
        return [key for clause in self.clauses for key in clause]

    def _openers(self) -> Iterator[str]:
        """Yield the words, in their base form, that open a clause where an imperative would stand."""
        opening = True
        for token in self.tokens:
            if token.kind in _PAUSES or token.text in _LEADS:
                opening = True
            elif opening and token.text not in _BEFORE_IMPERATIVES:
                opening = False
                if token.kind in _WORDS and _BASE_FORM.search(token.text):
                    yield token.text


def _is_fronted(written: str) -> bool:
    found = _FRONTED.match(written)
    return found is not None and not _SUBJECT.search(found.group())
