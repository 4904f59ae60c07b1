"""Hidden text: characters that make a reader see something else than what is there, and text written for models."""

import re
from collections.abc import Iterator
from typing import Final

from kapelle.domain.rules.scan.hidden_phrases import COMMANDS, MARKS, PHRASES, UNSPACED_COMMANDS, Command
from kapelle.domain.rules.scan.hits import Hit
from kapelle.domain.rules.scan.reading import words
from kapelle.domain.rules.scan.views import INVISIBLE, View

# A few stray zero-width characters come along with text copied from a web page; more than that carries something.
MAX_STRAY: Final = 3
_WINDOW: Final = 120

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufff9-\ufffb]")
_RUN: Final = re.compile(f"[{INVISIBLE}]+")
_OVERRIDE: Final = re.compile("[\u202d\u202e]")
_DIRECTED: Final = re.compile("[\u202a-\u202c\u2066-\u2069]")
_RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_FLAG: Final = re.compile("[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
_EMOJI: Final = re.compile("[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]")
# Scripts whose spelling needs joiners or whose word breaks are zero-width spaces: Arabic, Syriac, the Indic and
# South-East Asian ones.
_JOINING: Final = re.compile(
    "[\u0600-\u109f\u1780-\u18af\u1900-\u1cff\ua840-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U00011fff]"
)
_VARIED: Final = re.compile("[\u00a9\u00ae\u2000-\uffff\U0001f000-\U0003ffff]")
_PHRASE_WORDS: Final = frozenset(PHRASES)
_COMMAND_WORDS: Final = frozenset(COMMANDS)
_SINGLE_FINE: Final = frozenset("\u00ad\u200e\u200f\u061c")


def find(text: str) -> tuple[Hit, ...]:
    """Return the first place of each kind of hidden text: overrides, tags, invisible runs, control characters."""
    hits = [*_controls(text)]
    if not text.isascii():
        hits += _directions(text)
        hits += _runs(text)
    return tuple(sorted(hits, key=lambda hit: hit.start))


def instructions(view: View) -> tuple[Hit, ...]:
    """Return the first text aimed at models, for a reviewer to see; it neither refuses nor changes anything."""
    start = min(_addressed(view), default=None)
    if start is None:
        return ()
    return (Hit(rule="model-instructions", what="text aimed at models", start=view.span(start, start + 1)[0]),)


def _controls(text: str) -> Iterator[Hit]:
    if match := _CONTROL.search(text):
        code = f"U+{ord(match[0]):04X}"
        yield Hit(rule="hidden-control", what=f"a control character ({code})", start=match.start())


def _directions(text: str) -> Iterator[Hit]:
    if match := _OVERRIDE.search(text):
        yield Hit(rule="hidden-bidi", what="a bidirectional override", start=match.start())
    elif _DIRECTED.search(text):
        at = 0
        for line in text.split("\n"):
            match = _DIRECTED.search(line)
            if match and not _balanced(line):
                yield Hit(rule="hidden-bidi", what="an unneeded bidirectional control", start=at + match.start())
                return
            at += len(line) + 1


def _balanced(line: str) -> bool:
    """Right-to-left text may isolate or embed what reads the other way, if each opening is closed on its line."""
    isolates = line.count("\u2066") + line.count("\u2067") + line.count("\u2068")
    embeddings = line.count("\u202a") + line.count("\u202b")
    closed = isolates == line.count("\u2069") and embeddings == line.count("\u202c")
    return closed and _RIGHT_TO_LEFT.search(line) is not None


def _runs(text: str) -> Iterator[Hit]:
    stray: list[int] = []
    reported: set[str] = set()
    for match in _RUN.finditer(text):
        rule, what = _judged(text, match.start(), match.end())
        if rule == "stray":
            stray.append(match.start())
        elif rule and rule not in reported:
            reported.add(rule)
            yield Hit(rule=rule, what=what, start=match.start())
    if len(stray) > MAX_STRAY and "hidden-invisible" not in reported:
        yield Hit(rule="hidden-invisible", what="invisible characters", start=stray[0])


def _judged(text: str, start: int, end: int) -> tuple[str, str]:
    run = text[start:end]
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    if run.isspace() or _CONTROL.match(run) or _DIRECTED.match(run) or _OVERRIDE.match(run):
        return "", ""
    if any("\U000e0000" <= character <= "\U000e007f" for character in run):
        flag = before == "\U0001f3f4" and _FLAG.fullmatch(run)
        return ("", "") if flag else ("hidden-tag", "tag characters")
    if _needed(run, before, after) or (start == 0 and run == "\ufeff"):
        return "", ""
    if len(run) > 1:
        return "hidden-invisible", "a run of invisible characters"
    return "stray", ""


def _needed(run: str, before: str, after: str) -> bool:
    """Invisible characters that their neighbours call for: in emoji, in scripts that need joiners, among Braille."""
    if run in _SINGLE_FINE:
        return True
    if run.strip("\u2800") == "":
        return any("\u2800" < neighbour <= "\u28ff" for neighbour in before + after)
    if "\u200d" in run and run.strip("\ufe0f") == "\u200d":
        return _near(_EMOJI, before, after) or _near(_JOINING, before, after)
    if _is_selector(run):
        return bool(_VARIED.match(before)) or (before in "0123456789#*" and before != "" and after == "\u20e3")
    return len(run) == 1 and _near(_JOINING, before, after)


def _near(script: re.Pattern[str], before: str, after: str) -> bool:
    return script.match(before) is not None or script.match(after) is not None


def _is_selector(run: str) -> bool:
    return len(run) == 1 and ("\ufe00" <= run <= "\ufe0f" or "\U000e0100" <= run <= "\U000e01ef")


def _addressed(view: View) -> Iterator[int]:
    low = view.low
    for needle, phrase in MARKS:
        if needle in low:
            yield from (at for at in words(low, needle) if phrase.match(low, at))
    yield from _spoken(low, view.words)
    if not low.isascii():
        for word, command in UNSPACED_COMMANDS:
            if word in low:
                yield from _commanded(low, word, command)


def _spoken(low: str, known: set[str]) -> Iterator[int]:
    for word in known & _PHRASE_WORDS:
        yield from (at for needle, phrase in PHRASES[word] for at in words(low, needle) if phrase.match(low, at))
    for word in known & _COMMAND_WORDS:
        for command in COMMANDS[word]:
            yield from _commanded(low, word, command)


def _commanded(low: str, word: str, command: Command) -> Iterator[int]:
    """Yield where a verb such as "ignore" first stands in one clause with the instructions that are meant."""
    covered = 0
    for at in words(low, word):
        verb = command.verb.match(low, at) if at >= covered else None
        if verb is None:
            continue
        if not covered and command.called.search(low) is None:
            return
        clause = _clause(low, verb, command)
        if command.called.search(clause) and command.which.search(clause):
            yield at
            return
        # What a next verb close by could say was in this clause; without this, a text of nothing but verbs
        # costs a window for each.
        covered = at + min(len(clause), _WINDOW // 2)


def _clause(low: str, verb: re.Match[str], command: Command) -> str:
    if command.object_first:
        return _STOP.split(low[max(0, verb.start() - _WINDOW) : verb.start()])[-1]
    return _STOP.split(low[verb.end() : verb.end() + _WINDOW], maxsplit=1)[0]


_STOP: Final = re.compile(r"[.!?;]\s|\n\s*\n|[。！？]")
