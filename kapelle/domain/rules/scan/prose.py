"""Passwords and logins that a sentence gives away."""

import re
from collections.abc import Iterator
from typing import Final

from kapelle.domain.rules.scan.shapes import MEDIUM, STRONG, WEAK, is_identifier, is_numbered_noun, typed_strength
from kapelle.domain.rules.scan.tokens import Hit
from kapelle.domain.rules.scan.values import Value, is_secret, value_at
from kapelle.domain.rules.scan.words import Family, Word

_FILLERS: Final = (
    r"(?:[ \t]+(?:now|currently|still|just|simply|only|changed|set|reset|rotated|updated|temporarily|always|to|as"
    r"|literally|probably|likely|usually|called|back|again|today|yesterday|this|been|jetzt|nun|ahora|maintenant|agora"
    r"|the following))"
)
_FOR: Final = (
    r"(?:[ \t](?:for|of|on|to|in|at|from|von|für|zum|zur|de|del|di|da|do|pour|para|per|van|voor|til|för|от|для|к)"
    r"[ \t][^\n:=.;]{1,60}?|[ \t](?:that|which|we|they|you|he|she|I|someone|somebody)[ \t][^\n:=.;,]{1,60}?)?"
)
_COPULA: Final = re.compile(
    r"[\"'`*_)]{0,3}(?:[ \t]?\([^()\n]{0,48}\))?"
    + _FOR
    + r"(?:'s|’s|[ \t]{1,2}(?:is|was|are|were|be|became|becomes|has been|will be|ist|war|lautet|est|es|era|é|è|это"
    r"|är|er|jest|je|este|byl[oa]?|changed to|set to|reset to|rotated to|equals|remains|stays|reads|goes"
    r"|works out to))" + _FILLERS + r"{0,4}[ \t]{0,2}[:=\-–—]?[ \t\n]{1,3}"
)
_TO: Final = re.compile(r"[\"'`*)]{0,2}[ \t]+(?:back[ \t]+)?(?:to|now|still|currently|again)[ \t]+(?:be[ \t]+)?")
_TO_VERB: Final = re.compile(r"\b(?:chang|set|reset|rotat|updat|switch|mov)\w{0,4}\b[^.\n]{0,40}$")
_WEAK_WORD: Final = re.compile(r"[A-Za-z]{4,}\d{2,}|[A-Za-z]{3,}(?:[-_][A-Za-z]{3,}){1,2}[-_]?\d{2,}")
_LINKED: Final = re.compile(
    r"(?:\b(?:it'?s|it is|it was|which is|is|namely|turn(?:s|ed) out to be|enter|type|try|use|uses|wants|accepts"
    r"|takes|expects|still|ist|est|es)|[:=→–—?]|->|=>)[ \t]+(?:(?:still|now|again|just|always)[ \t]+)?"
    r"[\"'`*“(]{0,3}(?P<value>[^\s\"'`“”<>|]{5,48})"
)
_VERB_BEFORE: Final = re.compile(
    r"\b(?:enter|type|use|try|give|supply|paste|put)[ \t]+[\"'`*“]{0,3}(?P<value>[^\s\"'`*“”<>"
    r"|]{5,48})[\"'`*”]{0,3}[ \t]",
    re.IGNORECASE,
)
_FOREIGN_COPULA: Final = re.compile(r"[ \t]{0,2}(?:は|是|为|為|:|：|이|は、)[ \t「『“\"]{0,3}|[ \t]{1,2}(?=[`\"'*(])")
_DIRECT: Final = re.compile(r"[\"'*_)]{0,3}[ \t]{1,2}(?=[`\"'“«*]|\S)")
_AFTER_WITH: Final = re.compile(
    r"(?:with|using|use|and|via|by|enter|type|try|the|his|her|its|a|mit|con|avec|[/(,+&])[ \t]{0,2}(?:the |a |his "
    r"|her |its |das |el |le )?$"
)
_BEFORE: Final = re.compile(
    r"(?:^|[\s(\[\"'`*“])(?P<value>[^\s\"'`*“”()]{5,64})[\"'`*)”]{0,3}[ \t]{1,2}(?:as|is|was|for|=|is still|is now"
    r"|works as|serves as|becomes|als|ist|como|comme|est|es)[ \t]{1,2}"
    r"(?:(?:the|a|an|my|our|its|their|your|his|her|das|le|la|el|o|de)[ \t])?(?:[\w\-'’./]{1,24}[ \t]){0,3}$"
)
_BEFORE_HINT: Final = re.compile(r"\b(?:as|is|was|for|als|como|comme|est|ist|becomes)\b|=")
# The value is only looked at, so that the next pair may begin with it.
_PAIR: Final = re.compile(
    r"(?<![\w./\-])(?P<user>[A-Za-z][\w.@\-]{1,31}+)[\"'`*]{0,3}"
    r"(?:[ \t]?[/:|][ \t]?|[ \t]+(?:and|with|/|,|then|->|→)[ \t]+)"
    r"(?=[\"'`*]{0,3}(?P<value>[^\s\"'`*/:|,;()<>]{5,64}+)(?![/:|]))"
)
_SELF_PAIR: Final = re.compile(r"[\"'`*]{0,3}[ \t]?[/:|][ \t]?[\"'`*]{0,3}(?P<value>[^\s\"'`*/:|,;()<>]{6,64})")
_USERS: Final = frozenset(
    "admin root user deploy deployer ci ops postgres ubuntu ec2-user svc service administrator sa oracle jenkins"
    " grafana guest test operator support backup app dba sysadmin".split()
)
_NEAR: Final = re.compile(
    r"(?<![\w/.=?&\-])(?P<mark>[`\"'*“(]{0,3})(?P<value>[A-Za-z0-9][A-Za-z0-9!#$%^&*?~@+_.\-]{5,39}={0,2})"
)
# A sentence about patterns is full of signs that passwords have, too.
_PATTERN: Final = re.compile(r"[Rr]eg(?:ular |)ex|\(\?[=:!<]|\[[A-Za-z0-9]-[A-Za-z0-9]|\\[dws]")
_NEAR_SYMBOL: Final = re.compile(r"[!#$%^&*?~]")
_VERBS: Final = frozenset({"pass"})
_NOUNS: Final = frozenset({"pw", "pwd", "psw"})
_OWNERS: Final = frozenset({"admin", "root", "elastic"})
_HOLDERS: Final = frozenset({"account", "sudo"})
_SENTENCE: Final = re.compile(r"[.!?;](?:\s|$)|\n\s*\n")
# Longer than this, what has no symbol in it is an id.
_MAX_PLAIN: Final = 22
_WINDOW: Final = 120
_LINE: Final = 90


def hits(text: str, low: str, word: Word) -> Iterator[Hit]:
    """Yield what a sentence around the word gives away; only for words that are no part of a name in code."""
    if _inside_name(text, word):
        if word.family in (Family.SECRET, Family.TOKEN, Family.KEY):
            # What a sentence says of a name in code is believed where the value is beyond doubt.
            yield from _stated(text, word)
        return
    if word.family is Family.LOGIN:
        yield from _pairs(text, low, word)
        if low[word.start : word.end] in _HOLDERS:
            yield from _linked(text, word)
    elif word.family is Family.PASSWORD:
        yield from _passwords(text, low, word)
    else:
        yield from _stated(text, word)


def _passwords(text: str, low: str, word: Word) -> Iterator[Hit]:
    if low[word.start : word.end] in _VERBS:
        # "Pass" is a verb more often than a noun: only a statement makes it a password.
        yield from _stated(text, word)
        if _TO_VERB.search(low, max(0, word.start - _LINE), word.start):
            yield from _changed(text, low, word)
        return
    said = (
        *_stated(text, word),
        *_direct(text, low, word),
        *_before(text, low, word),
        *_changed(text, low, word),
        *_linked(text, word),
    )
    yield from said or _near(text, word)


def _inside_name(text: str, word: Word) -> bool:
    after = text[word.end : word.end + 2]
    if after[:1] == "_" or (after[:1].isalnum() and after.isascii()):
        return True
    if after[:1] in ("-", ".") and after[1:].isalnum():
        return True
    before = text[word.start - 1 : word.start] if word.start else ""
    return before != "" and before in "_.-$/\\"


def _stated(text: str, word: Word) -> Iterator[Hit]:
    match = _COPULA.match(text, word.end)
    if match is None and not text[word.start : word.end].isascii():
        match = _FOREIGN_COPULA.match(text, word.end)
    if match is None:
        return
    value = value_at(text, match.end())
    if (
        value
        and is_secret(value, word.family, WEAK)
        and (value.quoted or not is_numbered_noun(value.text) or _ends_clause(text, value))
    ):
        yield _hit(word, value.start, value.end)


def _direct(text: str, low: str, word: Word) -> Iterator[Hit]:
    """Passwords right after the word: `with password X`, `(pw X)`, `passphrase "X"`."""
    match = _DIRECT.match(text, word.end)
    if match is None:
        return
    value = value_at(text, match.end())
    if value is None:
        return
    led = _AFTER_WITH.search(low[max(0, word.start - 24) : word.start]) is not None
    plain = _WEAK_WORD.fullmatch(value.text) is not None and _ends_clause(text, value)
    need = WEAK if led or value.quoted or plain or text[word.start : word.end].lower() in _NOUNS else MEDIUM
    if (
        typed_strength(value.text) >= need
        and is_secret(value, Family.PASSWORD, need)
        and not is_numbered_noun(value.text)
    ):
        yield _hit(word, value.start, value.end)


def _before(text: str, low: str, word: Word) -> Iterator[Hit]:
    """Passwords before the word: `use X as the password`."""
    begin = max(0, word.start - _WINDOW)
    window = text[begin : word.start]
    newline = window.rfind("\n") + 1
    if not _BEFORE_HINT.search(low, begin + newline, word.start):
        return
    match = _BEFORE.search(window, newline)
    if (
        match
        and typed_strength(match["value"]) >= WEAK
        and not is_numbered_noun(match["value"])
        and not is_identifier(match["value"])
    ):
        yield _hit(word, begin + match.start("value"), begin + match.end("value"))


def _linked(text: str, word: Word) -> Iterator[Hit]:
    """Passwords that the sentence leads up to: `the password, which is X`, `enter X at the password prompt`."""
    begin, end = _sentence(text, word)
    for match in (*_LINKED.finditer(text, word.end, end), *_VERB_BEFORE.finditer(text, begin, word.start)):
        content = match["value"].rstrip(".,;:!)")
        value = Value(content, match.start("value"), match.start("value") + len(content), quoted=False)
        if _is_led_up_to(text, value):
            yield _hit(word, value.start, value.end)


def _changed(text: str, low: str, word: Word) -> Iterator[Hit]:
    """Passwords that another one became: `changed the password to X`, `password now X`."""
    match = _TO.match(text, word.end)
    if match and (value := value_at(text, match.end())):
        need = WEAK if _TO_VERB.search(low, max(0, word.start - 60), word.start) or "to" not in match[0] else MEDIUM
        if is_secret(value, Family.PASSWORD, need) and not is_numbered_noun(value.text):
            yield _hit(word, value.start, value.end)


def _is_led_up_to(text: str, value: Value) -> bool:
    content = value.text
    if is_numbered_noun(content) or is_identifier(content):
        return False
    strength = typed_strength(content)
    return strength >= STRONG or (
        strength > 0 and _WEAK_WORD.fullmatch(content.rstrip("!?=+*&$#%^@")) is not None and _ends_clause(text, value)
    )


def _pairs(text: str, low: str, word: Word) -> Iterator[Hit]:
    name = low[word.start : word.end]
    if name in _OWNERS:
        matches = [match for match in (_SELF_PAIR.match(text, word.end),) if match]
    else:
        line_end = text.find("\n", word.end)
        end = _sentence(text, word)[1]
        matches = [*_PAIR.finditer(text, word.end, min(end, line_end) if line_end >= 0 else end)]
    for match in matches:
        user = match.groupdict().get("user", name).lower()
        named = user in _USERS or name.startswith(("cred", "basic"))
        yield from _pair(match, WEAK if named and name not in _OWNERS else MEDIUM)


def _pair(match: re.Match[str], need: int) -> Iterator[Hit]:
    value = match["value"].rstrip(".,!?") if match["value"][-1] in ".," else match["value"]
    strength = typed_strength(value)
    # One digit at the end of a word is a version of something more often than a password.
    sure = strength == STRONG or _WEAK_WORD.fullmatch(value) or sum(map(str.isdigit, value)) > 1
    if sure and strength >= need and not is_numbered_noun(value) and not is_identifier(value):
        yield Hit(
            "login-in-prose", "a login with its password", match.start("value"), match.start("value") + len(value)
        )


def _near(text: str, word: Word) -> Iterator[Hit]:
    """Passwords in the sentence or on the line of the word, where the shape alone must convince."""
    begin, end = _sentence(text, word)
    if _PATTERN.search(text, begin, end):
        return
    for match in _NEAR.finditer(text, begin, end):
        if match.start() < word.end and match.end("value") > word.start:
            continue
        value = match["value"].rstrip(".,*-_" if "*" in match["mark"] else ".,-_")
        if _convinces(value, marked=match["mark"] != "" and match["mark"] != "("):
            yield _hit(word, match.start("value"), match.start("value") + len(value))
            return


def _sentence(text: str, word: Word) -> tuple[int, int]:
    """Return the span in which a value still belongs to the word: its line before it, and its sentence after it."""
    end = min(len(text), word.end + _LINE)
    stop = _SENTENCE.search(text, word.end + 1, end)
    begin = max(0, word.start - _LINE, text.rfind("\n", 0, word.start) + 1)
    return begin, stop.start() + 1 if stop else end


def _convinces(value: str, *, marked: bool) -> bool:
    strength = typed_strength(value)
    if strength < MEDIUM or is_numbered_noun(value) or is_identifier(value):
        return False
    symbol = _NEAR_SYMBOL.search(value) is not None
    if len(value) > _MAX_PLAIN and not symbol:
        return False
    if strength == STRONG:
        return symbol or marked or len(value) >= 8
    return marked and any(character.isdigit() for character in value)


def _ends_clause(text: str, value: Value) -> bool:
    return (
        re.match(
            r"[`\"'*)]{0,3}(?:[.,;!?]|\s*\n|\s*$|\s+(?:on|for|in|at|and|but|until|till|was|is|works|has)\b)",
            text[value.end : value.end + 16],
        )
        is not None
    )


def _hit(word: Word, start: int, end: int) -> Hit:
    what = {
        Family.PASSWORD: "a password",
        Family.SECRET: "a secret",
        Family.TOKEN: "an access token",
        Family.KEY: "a secret key",
        Family.LOGIN: "a password",
        Family.SOME_KEY: "a key",
    }[word.family]
    return Hit(f"{word.family}-in-prose", what, start, end)
