"""Values that are assigned to an announcing name: configuration, code, headers, flags, markup, connection strings."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kapelle.domain.rules.scan.tokens import Hit
from kapelle.domain.rules.scan.values import MEDIUM, STRONG, WEAK, Value, is_plain_password, is_secret, value_at
from kapelle.domain.rules.scan.words import Family, Word

_WHAT: Final = {
    Family.PASSWORD: "a password",
    Family.SECRET: "a secret",
    Family.TOKEN: "an access token",
    Family.KEY: "a secret key",
    Family.LOGIN: "a login",
    Family.SOME_KEY: "a key",
}

# What may follow the announcing word in a name: DB_PASSWORD_PROD is a password, DB_PASSWORD_FILE is none.
_SUFFIX: Final = (
    r"(?:[_.\-](?i:prod|production|staging|stage|stg|dev|test|live|old|new|tmp|temp|main|primary|secondary|default"
    r"|value|val|string|str|raw|plain|plaintext|base64|b64|root|admin|db|ro|rw|app|base|v?\d{1,3})){0,2}\d{0,2}"
)
_CLOSE: Final = r"[\"'`\])*_]{0,4}"
_NOTE: Final = r"(?:[ \t]?\([^()\n]{0,48}\))?[*_`]{0,3}"
_FOR: Final = (
    r"(?:[ \t](?:for|of|on|to|in|at|from|as of|von|für|zum|zur|de|du|des|del|de la|della|degli|do|da|di|dla|az|på"
    r"|pour|para|per|van|voor|til|för|от|для|к)[ \t][^\n:=→]{1,48}?)?"
)
_NAME_END: Final = _SUFFIX + _CLOSE + _NOTE + _FOR

# Each way to bind a value to a name, with the strength that it leaves to ask of a password.
_LINKS: Final[tuple[tuple[re.Pattern[str], int], ...]] = (
    # An annotated name, as in `password: str = "..."`.
    (
        re.compile(
            _SUFFIX
            + r"\s?:\s?(?:typing\.)?[A-Za-z_][\w.]{0,30}(?:\[[\w, ]{1,30}\])?(?:\s?\|\s?\w{1,12})?\s?=[ \t]{0,4}(?="
            r"[\"'rbf])"
        ),
        WEAK,
    ),
    (re.compile(_NAME_END + r"[ \t]{0,4}(?::=|:-|=>|={1,3}|->|→|⇒|[:：][*_]{0,3}|[-–—](?=[ \t]))[ \t]{0,4}"), WEAK),
    # A few words between, as in `Password notes wifi: ...`.
    (re.compile(r"(?:[ \t][^\W\d_]{2,16}){1,3}[ \t]{0,2}(?::|=|->|→)[ \t]{1,4}"), MEDIUM),
    # The next cell of a table.
    (re.compile(r"[\"'`*_]{0,3}[ \t]{0,12}\|[ \t]{0,12}"), WEAK),
    # A name and a value side by side, in YAML as in XML.
    (
        re.compile(
            _SUFFIX + r"[\"'`]?[ \t]{0,2}[,>/]?\s{0,24}[\"']?(?:value|default|content)[\"']?[ \t]{0,2}[:=][ \t]{0,2}"
        ),
        WEAK,
    ),
    # A second argument, or the alternative to a look-up.
    (
        re.compile(
            _SUFFIX + r"(?:[\"'`][ \t]{0,2},|[\"'`]?\)?[\"'`\])]{0,2}[ \t]{0,2}(?:\|\||\?\?|\?:|or)"
            r"|[\"'`]\)\.\w{2,9}\()[ \t]{0,2}(?=[\"'`])"
        ),
        WEAK,
    ),
    # The content of an element whose attribute or neighbour is the name.
    (re.compile(_SUFFIX + r"(?:[\"'][^<>\n]{0,60}>\s{0,8}(?:<value>)?|</key>\s{0,8}<string>)(?=[^\s<])"), WEAK),
    # The default of a declared variable.
    (re.compile(_SUFFIX + r"[\"'][ \t]{0,2}\{[^{}]{0,200}?\bdefault[ \t]{0,4}=[ \t]{0,4}(?=[\"'])"), WEAK),
    # A here-string.
    (re.compile(r"[^\n<|]{0,24}<<<[ \t]?"), WEAK),
)
_CALL: Final = re.compile(r"\([ \t]{0,2}(?=[\"'`])")
_QUESTION: Final = re.compile(
    r"(?i:valid\w*|check|verify|hash|encrypt|compare|test|match\w*|is|needs?|has|get|find|parse|reset|forgot)_?$"
)
_COMMAND: Final = re.compile(
    r"(?:^|[\s;&])(?:env|arg|setx?|export|kv put|etcdctl put|conf(?:ig|igure) set)[ \t]+(?:\S{1,60}[ \t]+)?$"
)
_DIRECTIVE: Final = re.compile(r"(?:^|\n)[ \t]{0,12}$")
_ELEMENT: Final = re.compile(r"(?:[ \t][^<>\n]{0,80})?>\s{0,8}(?=[^\s<])")
_FLAG: Final = re.compile(_SUFFIX + r"[ \t]{1,4}(?=[^\s\-|&<>$])")
# A name as code has them and a long value of a machine, with nothing but a blank between.
_SIDE_BY_SIDE: Final = re.compile(r"[\"'`]?[ \t]{1,3}(?=[A-Za-z0-9+/_\-]{20})")
_SQL: Final = re.compile(r"[ \t]{1,3}(?=['\"])")
_NEXT_LINE: Final = re.compile(
    r"[^\w\n]{0,8}\n(?:[-=~]{3,}[ \t]{0,4}\n)?\s{0,8}(?:```\w{0,12}\n)?(?:[>\-*+"
    r"|][ \t]{1,3})?[`\"'*]{0,3}(?=[^\s`\"'*])"
)
_LINE_END: Final = re.compile(r"[`\"'*\\ \t|]{0,6}(?:\r?\n|$)")
_FILE_ENTRY: Final = re.compile(r"(?:login|account|machine)[ \t]+\S{1,64}[ \t]+$")
_DIRECTIVES: Final = frozenset({"password", "passwd", "passphrase"})
_LEFT: Final = 80


def hits(text: str, low: str, word: Word) -> Iterator[Hit]:
    """Yield the value that is bound to the word, if it is a secret."""
    if word.family is Family.LOGIN:
        return
    for at, need in _places(text, low, word):
        value = value_at(text, at)
        if value and (
            _is_bound_secret(text, word, value, need) or (text[at - 1] in "=: " and _is_bound_word(text, word, value))
        ):
            yield Hit(f"{word.family}-assignment", _WHAT[word.family], value.start, value.end)
            return


def _is_bound_secret(text: str, word: Word, value: Value, need: int) -> bool:
    # Files of upper-case names hold values, never names of variables.
    verbatim = text[word.start : word.end].isupper()
    return is_secret(replace(value, quoted=True) if verbatim else value, word.family, need)


def _is_bound_word(text: str, word: Word, value: Value) -> bool:
    """Say whether a plain word is the password, because it stands in quotes where configuration and code keep one."""
    if word.family is not Family.PASSWORD or not is_plain_password(value):
        return False
    return text[word.start - 1 : word.start] in ("_", '"', "'", "-") or text[word.end : word.end + 1] in ("=", '"')


def _places(text: str, low: str, word: Word) -> Iterator[tuple[int, int]]:
    for pattern, need in _LINKS:
        match = pattern.match(text, word.end)
        if match:
            yield match.end(), need
    before = low[max(0, word.start - _LEFT) : word.start]
    name = re.search(r"[\w.:\-/]{0,40}$", before)
    head = name[0] if name else ""
    yield from _marked_places(text, word, before[: len(before) - len(head)], head)


def _marked_places(text: str, word: Word, before: str, head: str) -> Iterator[tuple[int, int]]:
    low_name = text[word.start : word.end].lower()
    if before.endswith("<") and (match := _ELEMENT.match(text, word.end)):
        yield match.end(), WEAK
    if (
        head.startswith("-")
        or _COMMAND.search(before)
        or (_DIRECTIVE.search(before) and (head or low_name in _DIRECTIVES))
        or _FILE_ENTRY.search(before)
    ) and (match := _FLAG.match(text, word.end)):
        yield match.end(), WEAK
    if "_" in head + low_name and (match := _SIDE_BY_SIDE.match(text, word.end)):
        yield match.end(), STRONG
    if not _QUESTION.search(head) and (match := _CALL.match(text, word.end)):
        yield match.end(), WEAK
    if word.family is Family.PASSWORD:
        yield from _password_places(text, word)


def _password_places(text: str, word: Word) -> Iterator[tuple[int, int]]:
    if match := _SQL.match(text, word.end):
        yield match.end(), WEAK
    match = _NEXT_LINE.match(text, word.end)
    if match:
        value = value_at(text, match.end())
        if value and _LINE_END.match(text, value.end):
            yield match.end(), WEAK
