"""Makes a text inert in Markdown: it can break no structure, mention nobody, link to nothing, import nothing.

Words that mean something to Markdown or to GitHub become code spans, and longer texts become fenced blocks. Escapes
would not do: mentions are looked for in the rendered text, where an escaped one has become a plain one again.
"""

import re
import unicodedata

INLINE_CHARACTERS = 300

# Joiners make emoji and Persian; these selectors choose between an emoji and its plain form.
_KEPT = frozenset("\u200c\u200d\ufe0e\ufe0f")
# Format characters that are seen: signs that enclose Arabic, Syriac and Kaithi numbers.
_SEEN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
# Letters and marks that show nothing: fillers, the empty Braille cell, joiners and selectors of variants.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0)))
)
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

# A code span of the author's that stands between spaces, punctuation aside, and so cannot pair with anything else.
_SPAN = re.compile(r"(?<![^ ])[(\"']*(`[^`\n]+`)[.,;:!?)\"']*(?![^ ])")
_TRAILING = re.compile(r"[.,;:!?)\"']*\Z")
_TICKS = re.compile(r"`+")
# Each of these in a word gives it a meaning somewhere, the wide forms of @ and # to be sure.
_MEANS = re.compile(
    r"[\\`*_{}\[\]<>#|~^$@\uff20\uff03]"
    r"|&[#0-9a-z]+;|://|www\.|mailto:|xmpp:|gh-\d|:[a-z0-9_+-]+:"
    r"|(?<![0-9a-z])(?=[a-f]*\d)[0-9a-f]{7,40}(?![0-9a-z])",
    re.IGNORECASE,
)
# What opens a list, a heading's underline or a rule when it comes first.
_OPENS = re.compile(r"(?:[-+=]+|\d{1,9}[.)])\Z")


def normalised(text: str) -> str:
    """Return a text composed (NFC), with one kind of line end, without trailing blanks and outer empty lines.

    Characters that show nothing are written out as `[U+202E]`, for the reviewer to see what a model would read.
    """
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [_visible(line).rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip("\n")


def inline(text: str) -> str:
    """Return a text as one line of Markdown that reads as it is and means nothing."""
    line = " ".join(normalised(text).replace("\n", " ").replace("\t", " ").split(" ")).strip(" ")
    parts: list[str] = []
    done = 0
    for span in _SPAN.finditer(line):
        parts += [_words(line[done : span.start()], first=not done), span[0]]
        done = span.end()
    parts.append(_words(line[done:], first=not done))
    return "".join(parts)


def block(text: str) -> str:
    """Return a text of any length as Markdown: a short line inline, everything else as a fenced block."""
    text = normalised(text)
    if len(text) <= INLINE_CHARACTERS and "\n" not in text and "\t" not in text:
        return inline(text)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def _visible(line: str) -> str:
    if line.isascii() and line.isprintable():
        return line
    shown = (_shown(char, line[at - 1] if at else "") for at, char in enumerate(line))
    return "".join(shown)


def _shown(char: str, before: str) -> str:
    # One selector after another chooses nothing, but can carry hidden bits.
    doubled = char in _KEPT and before in _KEPT
    if char == "\t" or char in _SEEN or (char in _KEPT and not doubled):
        return char
    unseen = doubled or char in _UNSEEN or unicodedata.category(char) in _UNSEEN_CATEGORIES
    return f"[U+{ord(char):04X}]" if unseen else char


def _words(text: str, *, first: bool) -> str:
    """Return running text with each word of meaning as a code span."""
    words = text.split(" ")
    return " ".join(_word(word, opens=first and not any(words[:at])) for at, word in enumerate(words))


def _word(word: str, *, opens: bool) -> str:
    if not _MEANS.search(word) and not (opens and _OPENS.match(word)):
        return word
    core = _TRAILING.sub("", word) or word
    if opens and _OPENS.match(word):
        core = word
    return _span(core) + word[len(core) :]


def _span(code: str) -> str:
    ticks = "`" * (_longest_run(code) + 1)
    pad = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{ticks}{pad}{code}{pad}{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
