"""Cut an entry's text into tokens: words, numbers, identifiers, operators, and the breaks between clauses."""

import re
from enum import Enum, auto
from typing import NamedTuple

from kapelle.domain import text
from kapelle.domain.rules import dedup_words as words


class Kind(Enum):
    """What a token is; WORD and CAPITAL differ in their first letter only."""

    WORD = auto()
    CAPITAL = auto()
    NUMBER = auto()
    CODE = auto()
    IDENTIFIER = auto()
    OPERATOR = auto()
    # The end of a sentence or a line, and the comma within one.
    BREAK = auto()
    COMMA = auto()


class Token(NamedTuple):
    """One token; the text of a word is in lower case, of all else as it stands."""

    kind: Kind
    text: str
    # Written in capitals only, such as US or GET.
    shouted: bool = False


# Order matters: what comes first wins. Plain words come first since they are most of every text. Repetitions that may
# reach over the tokens after them are bounded, so that the time is linear.
_TOKEN = re.compile(
    r"""
    (?P<plain>[^\W\d_]+(?=[\s,]|[.;:?!](?:\s|\Z)|\Z))
    |(?P<url>[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>"')\]]+)
    |(?P<mail>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})
    |(?P<handle>[@\#](?!\d+\b)[\w][\w./-]*)
    |(?P<variable>\$\{?[A-Za-z_]\w*\}?)
    |(?P<date>\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b)
    |(?P<time>\b\d{1,2}:\d{2}(?::\d{2})?\b(?![.:]\d))
    |(?P<path>(?<![\w)])(?:~|\.{1,2})?/[\w.@:{}*+%-][\w.@:{}*+%/-]*|\w[\w.@-]{0,80}/[\w.@:{}*/-]+|\w[\w.-]{0,80}:\d+\b)
    |(?P<call>[A-Za-z_][\w.]{0,80}\([^()\n]{0,80}\))
    |(?P<flag>(?<![\w-])--?[A-Za-z][\w-]*(?:=\S+)?)
    |(?P<assign>[A-Za-z_][\w.-]{0,80}=(?!=)[^\s,;=)]+)
    |(?P<version>\b[vV]?\d+(?:\.\d+){2,}[\w+-]*|\b[vV]\d+(?:\.\d+)*)
    |(?P<number>(?<![\w.-])[-+](?=\.?\d))?(?P<digits>\d+(?:[.,]\d+)*)(?P<suffix>%|[^\W\d_]+\d*\w*|_\w+)?
    |(?P<dotted>[^\W\d]\w*(?:(?:\.|::|->)[^\W\d]\w*)+)
    |(?P<mixed>[^\W\d_]*_\w*|[^\W\d_]+\d\w*)
    |(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*(?:\+\+|\#(?!\w))?)
    |(?P<break>\.(?=\s|$|["')])|[;:?](?=\s|$)|!(?=\s|$)|\n)
    |(?P<comma>,)
    |(?P<operator>[<>=!&|^~+*%\\$\#@\u00b0\u2260\u2264\u2265\u2192?\u00b1\u00d7\u20ac\u00a3-]+|[^\x00-\x7f\s\w])
    """,
    re.VERBOSE,
)
_EXACT = frozenset({"url", "mail", "handle", "variable", "path", "flag", "call", "assign", "dotted", "mixed"})
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*\u2022]|\d{1,2}[.)]|#{2,6})[ \t]+(?=[^\W\d]|[`\"'(])")
_CAMEL = re.compile(r"[a-z]+[A-Z]")
_ABBREVIATION = re.compile(r"\b([eiapEIAP])\.\s?([gemGEM])\.(?=\W|$)")
_SLASHED_WORDS = re.compile(r"([A-Za-z]+)/([A-Za-z]+)")
_INNER_WORD = re.compile(r"[^\W\d_]+|\d+")
_PER = frozenset("s sec second min minute m h hour d day w week month year".split())
_PLAIN_OPERATORS = frozenset({"-", "--", "|", "~", "\u2248"})


def tokens(title: str, body: str) -> list[Token]:
    """Return the tokens of the title, a break, and those of the body; a fenced block of code is one token."""
    found: list[Token] = []
    for field in (title, body) if title != body else (title,):
        for kind, block in text.blocks(field):
            if kind == "code":
                found.append(Token(Kind.CODE, block.partition("\n")[2]))
            else:
                _read_prose(block, found)
            found.append(Token(Kind.BREAK, "\n"))
    return found


def _read_prose(block: str, found: list[Token]) -> None:
    block = _BULLET.sub("", block)
    done = 0
    for start, end, width in text.code_spans(block):
        _read_plain(block[done:start], found)
        found.append(Token(Kind.CODE, block[start + width : end - width].strip()))
        done = end
    _read_plain(block[done:], found)


def _read_plain(plain: str, found: list[Token]) -> None:
    plain = _ABBREVIATION.sub(r"\1\2", text.undecorated(text.one_form(plain)))
    for match in _TOKEN.finditer(plain):
        group = match.lastgroup or ""
        raw = match.group()
        if group in {"plain", "word"}:
            found.append(_word(raw))
        elif group in _EXACT:
            found.extend(_identifier(raw))
        else:
            found.extend(_other(group, raw))


def _word(raw: str) -> Token:
    if _CAMEL.match(raw) and raw.lower() not in words.ENVIRONMENTS:
        return Token(Kind.IDENTIFIER, raw)
    capital = raw[0].isupper()
    return Token(Kind.CAPITAL if capital else Kind.WORD, raw.lower(), shouted=capital and raw.isupper())


def _identifier(raw: str) -> list[Token]:
    raw = raw.rstrip(".,:;") if not raw.endswith("..") else raw
    slashed = _SLASHED_WORDS.fullmatch(raw)
    if slashed and (slashed[2].lower() in _PER or raw == "and/or"):
        return [_word(slashed[1]), Token(Kind.WORD, "per"), _word(slashed[2])]
    alphanumeric = raw.isalnum()
    return [Token(Kind.IDENTIFIER, raw.lower() if alphanumeric else raw)]


def _other(group: str, raw: str) -> list[Token]:
    match group:
        case "break":
            return [Token(Kind.OPERATOR, "?")] * (raw == "?") + [Token(Kind.BREAK, raw)]
        case "comma":
            return [Token(Kind.COMMA, raw)]
        case "operator":
            return [] if raw in _PLAIN_OPERATORS else [Token(Kind.OPERATOR, raw)]
        case _:
            return [Token(Kind.NUMBER, raw)]


def parts(code: str) -> list[str]:
    """Return the words inside an identifier or a piece of code, in lower case."""
    return [found.lower() for found in _INNER_WORD.findall(code)]


def as_written(token: Token) -> str:
    """Return a token's text with the capitals that it had, as far as it still knows."""
    if token.shouted:
        return token.text.upper()
    return token.text.capitalize() if token.kind is Kind.CAPITAL else token.text
