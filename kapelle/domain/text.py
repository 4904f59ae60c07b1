"""When two texts are the same text: normalisation, and the hash that the unique index of a team is built on.

The rule, in the order in which it is applied to the title and to the body, each on its own:

1. Code is kept as it is: fenced blocks, code spans, and lines whose indentation carries structure. Only line ends are
   unified and characters composed (NFC).
2. Prose is brought to NFKC, except for characters such as superscripts, whose folding would make 10² and 102 equal.
   Dashes, the minus sign and quotation marks get one form; invisible filler is dropped.
3. Runs of white space and line breaks become one space. A line that looks like a comment, a prompt or a quotation, and
   each item of a list, keeps its line.
4. `**bold**` and `*several words*` lose their marks, one lone list bullet goes, heading marks go where a blank line
   shows a heading. Marks that may be an operator, a glob, a comment or a dunder name stay.
5. Letters become lower case, but not in words whose case may matter: identifiers, paths, flags, units, mixed case.
6. One mark at the very end goes if it closes a sentence: `.`, `!`, `,`, `;`, `:` or their CJK forms after a word.

Anything in doubt stays, since two texts that are wrongly unequal still meet in the comparison by meaning, while two
that are wrongly equal lose one of them. Title and body count separately: a word moved from one to the other makes
another text.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

# Changing the rule above means hashing every entry again; the version keeps old and new hashes apart.
_VERSION = b"kapelle-text-1"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TICKS = re.compile(r"`+")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u00ad"))
_ONE_FORM = _INVISIBLE | str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
    }
)
_BULLET = re.compile(r"\A[-*\u2022] +(?=[^\W\d]|[`\"'(\[*])")
_KEEPS_ITS_LINE = re.compile(r"#|//|--|;|\$ |>|\+|[-*\u2022] |\d+[.)] |\|")
_STRUCTURE = re.compile(r"(?:\t| {4,}|\s+(?:[-*] |[\w.\"'/-]+ ?[:=]))")
_OPENS = (":", "{", "(", "[", "\\", "=")
_HEADING = re.compile(r"#{2,6} +(?=[^\W\d])")
_BOLD = re.compile(r"(?<![\w*/\\])\*\*(?=[^\W_])([^*\n]{0,200}[\w.,:;!?)\"'])\*\*(?![\w*/\\])")
_ITALIC = re.compile(r"(?<![\w*/\\])([*_])(?=[^\W_])([^*_\n]{0,200} [^*_\n]{0,200}[\w.,:;!?)])\1(?![\w*/\\])")
_WORD = re.compile(r"\S+")
_EDGES = "\"'()[]{},;:!?"
_BITS = frozenset({"Kb", "Mb", "Gb", "Tb"})
# Lower case would turn a country or a department into a pronoun.
_CASE_TELLS = frozenset({"US", "IT", "WHO"})
_UNIT_AFTER = re.compile(r"[-+]?[\d.,]*\d$")
_CLOSING = re.compile(r"(?<=[\w`\"')\]%])[.!,;:\u3002\uff01\uff0c\uff1b]$")
_SINGLE_CODE_WORD = re.compile(r"[\w./:@$=-]+")


def text_hash(title: str, body: str) -> bytes:
    """Return the 32 bytes (SHA-256) that are equal for two entries exactly if their normalised texts are."""
    head, tail = (normalised(part).encode("utf-8", "surrogatepass") for part in (title, body))
    return hashlib.sha256(b"%s:%d:%s%s" % (_VERSION, len(head), head, tail)).digest()


def normalised(text: str) -> str:
    """Return the form of one field that the module's rule compares."""
    parts = [_verbatim(part) if kind == "code" else _prose(part) for kind, part in blocks(text)]
    joined = "\n".join(part for part in parts if part)
    return joined if joined.endswith("\n```") else _CLOSING.sub("", joined)


def blocks(text: str) -> Iterator[tuple[Literal["code", "prose"], str]]:
    """Yield the fenced code blocks (fences included) and the prose between them, in order."""
    pending: list[str] = []
    fence = ""
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        mark = _FENCE.match(line)
        if not fence and mark:
            yield "prose", "\n".join(pending)
            pending, fence = ["```" + line[mark.end() :].rstrip()], mark[1]
        elif fence and mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            yield "code", "\n".join([*pending, "```"])
            pending, fence = [], ""
        else:
            pending.append(line)
    yield ("code", "\n".join([*pending, "```"])) if fence else ("prose", "\n".join(pending))


def code_spans(paragraph: str) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, width of the ticks) of each code span, in linear time whatever the ticks look like."""
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(paragraph)]
    closing: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        closing.setdefault(runs[index][1] - runs[index][0], []).append(index)
    index = 0
    while index < len(runs):
        start, stop = runs[index]
        later = closing[stop - start]
        while later and later[-1] <= index:
            later.pop()
        if later:
            index = later[-1]
            yield start, runs[index][1], stop - start
        index += 1


def _verbatim(block: str) -> str:
    return unicodedata.normalize("NFC", block)


def _prose(block: str) -> str:
    lines = _dedented(block.translate(_INVISIBLE).split("\n"))
    bullets = sum(bool(_BULLET.match(line)) for line in lines)
    has_diff_or_many = bullets > 1 or any(line.startswith("+") for line in lines)
    out: list[str] = []
    fresh = True
    for number, line in enumerate(lines):
        structured = _is_structure(line, lines[number - 1] if number else "", after_structure=not fresh)
        if structured:
            out.append("\n" + _verbatim(line.rstrip()))
        elif line.strip():
            out.append(_line(line.strip(), lines, number, drop_bullet=not has_diff_or_many))
        fresh = not structured
    return _joined(out)


def _joined(lines: list[str]) -> str:
    """Put the lines together: a space between running text, a line break around what keeps its line."""
    text = ""
    parts: list[str] = []
    for line in lines:
        apart = line.startswith("\n") or text.startswith("\n") or _KEEPS_ITS_LINE.match(line) is not None
        broken = bool(text) and (apart or _KEEPS_ITS_LINE.match(text) is not None)
        parts.append(("\n" if broken else " ") + line.removeprefix("\n"))
        text = line
    return "".join(parts)[1:] if parts else ""


def _dedented(lines: list[str]) -> list[str]:
    depths = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    shared = min(depths, default=0)
    return [line[shared:] for line in lines]


def _is_structure(line: str, before: str, *, after_structure: bool) -> bool:
    """Tell whether an indented line is code or configuration rather than a wrapped sentence."""
    if not line.strip() or not line[0].isspace():
        return False
    return after_structure or _STRUCTURE.match(line) is not None or before.rstrip().endswith(_OPENS)


def _line(line: str, lines: list[str], number: int, *, drop_bullet: bool) -> str:
    line = _BULLET.sub("" if drop_bullet else "- ", line, count=1)
    if _stands_alone(lines, number):
        line = _HEADING.sub("", line, count=1)
    return _inline(line)


def _stands_alone(lines: list[str], number: int) -> bool:
    above = number == 0 or not lines[number - 1].strip()
    return above and number + 1 < len(lines) and not lines[number + 1].strip()


def _inline(line: str) -> str:
    """Normalise one line outside of its code spans."""
    parts: list[str] = []
    done = 0
    for start, end, width in code_spans(line):
        parts += [_folded(line[done:start]), _span(line[start + width : end - width])]
        done = end
    parts.append(_folded(line[done:]))
    return "".join(parts)


def _span(code: str) -> str:
    """Return a code span; an identifier needs no ticks, since its case is kept without them as well."""
    code = _verbatim(code)
    return code if _SINGLE_CODE_WORD.fullmatch(code) and _case_matters(code) else f"`{code}`"


def _folded(text: str) -> str:
    text = undecorated(one_form(text))
    lead, trail = (" " if text[:1].isspace() else ""), (" " if text[-1:].isspace() else "")
    words = [found.group() for found in _WORD.finditer(text)]
    folded = [_word(word, words[at - 1] if at else "") for at, word in enumerate(words)]
    return lead + " ".join(folded) + (trail if folded else "")


def one_form(text: str) -> str:
    """Return prose in NFKC (but for superscripts and the like), with one kind of dash and of quotation mark."""
    if text.isascii():
        return text
    text = "".join(char if _is_marked_number(char) else unicodedata.normalize("NFKC", char) for char in text)
    return unicodedata.normalize("NFC", text).translate(_ONE_FORM)


def undecorated(text: str) -> str:
    """Return prose without the marks of bold and italic type."""
    return _ITALIC.sub(r"\2", _BOLD.sub(r"\1", text)) if "*" in text or "_" in text else text


def _is_marked_number(char: str) -> bool:
    """Superscripts, fractions and circled digits: NFKC would glue their digits to the number before them."""
    return char > "\x7f" and unicodedata.category(char) == "No"


def _word(word: str, before: str) -> str:
    if word.islower():
        return word
    core = word.strip(_EDGES).rstrip(".")
    unit = _UNIT_AFTER.match(before) is not None and (core in _BITS or not core.istitle())
    # Case folding proper would make the German "in Maßen" and "in Massen", which are opposites, equal.
    return word if unit or core in _CASE_TELLS or _case_matters(core) else word.lower()


def _case_matters(core: str) -> bool:
    if not core.isascii():
        return False
    if not core.replace("-", "").isalpha() or core.startswith("-"):
        return not core.replace("'", "").isalpha()
    pieces = core.split("-")
    return not (core.isupper() or core.islower() or (pieces[0].istitle() and all(p.islower() for p in pieces[1:])))
