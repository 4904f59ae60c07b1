"""Numbers as they are meant: with their unit, as a date or a time of day, in digits or in words.

Two keys are equal only if the amounts are: `60 s` is `1 min`, `1 GB` is 1000 MB and not 1024 MiB, while a bare `3.1` is
not `3.10`, since it may be a version. Months are no number of days.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from kapelle.domain.rules import dedup_words as words
from kapelle.domain.rules.dedup_tokens import Kind, Token


class Reading(NamedTuple):
    """A key and how many tokens it was read from."""

    key: str
    width: int


def _table(lines: str) -> dict[str, str]:
    pairs = (line.split(":") for line in lines.strip().splitlines())
    return {form: unit.strip() for unit, forms in pairs for form in forms.split()}


_UNITS = _table("""
    ms: ms msec millisecond milliseconds millisekunde millisekunden
    us: us \u03bcs microsecond microseconds
    ns: ns nanosecond nanoseconds
    s: s sec secs second seconds sekunde sekunden seconde secondes segundo segundos
    min: m min mins minute minutes minuten minuto minutos
    h: h hr hrs hour hours stunde stunden heure heures hora horas
    d: d day days tag tage tagen jour jours d\u00eda d\u00edas
    w: w week weeks woche wochen semaine semaines semana semanas
    month: month months monat monate monaten mois mes meses
    year: y yr yrs year years jahr jahre jahren an ans a\u00f1o a\u00f1os
    %: % percent pct prozent
    times: x times mal fois veces
    degree: degree degrees grad \u00b0
    usd: usd dollar dollars $
    eur: eur euro euros \u20ac
    gbp: gbp pound pounds \u00a3
""")
_SECONDS = {"ns": "1e-9", "us": "1e-6", "ms": "1e-3", "s": "1", "min": "60", "h": "3600", "d": "86400", "w": "604800"}
_PREFIXES = (
    ("k", "kilo", "kibi"),
    ("m", "mega", "mebi"),
    ("g", "giga", "gibi"),
    ("t", "tera", "tebi"),
    ("p", "peta", "pebi"),
)
_BYTES = {"b": 1, "byte": 1, "bytes": 1}
_BITS = {"bit": 1, "bits": 1, "bps": 1}
for _power, (_letter, _thousand, _binary) in enumerate(_PREFIXES, start=1):
    _BYTES |= dict.fromkeys((f"{_letter}b", f"{_thousand}byte", f"{_thousand}bytes"), 1000**_power)
    _BYTES |= dict.fromkeys((f"{_letter}i", f"{_letter}ib", f"{_binary}byte", f"{_binary}bytes"), 1024**_power)
    _BITS |= dict.fromkeys((f"{_letter}bit", f"{_letter}bits", f"{_letter}bps", f"{_thousand}bits"), 1000**_power)
# Without a number beside them only these words are units; the others have meanings of their own.
_BARE = {form: unit for form, unit in _UNITS.items() if unit in _SECONDS or unit in {"month", "year", "%"}}
for _short in ("ms", "us", "ns", "s", "m", "h", "d", "w", "y", "an", "ans", "mes", "second", "sec"):
    _BARE.pop(_short, None)
_CURRENCIES = frozenset({"$", "\u20ac", "\u00a3"})

_CARDINALS = {
    word: number
    for number, forms in enumerate(
        """zero null|one eins|two zwei deux dos|three drei trois tres|four vier quatre cuatro|five f\u00fcnf cinq cinco
        |six sechs seis|seven sieben sept siete|eight acht huit ocho|nine neun nueve|ten zehn dix diez|eleven elf onze
        |twelve zw\u00f6lf douze doce|thirteen dreizehn|fourteen vierzehn|fifteen f\u00fcnfzehn quinze quince
        |sixteen sechzehn|seventeen siebzehn|eighteen achtzehn|nineteen neunzehn""".split("|")
    )
    for word in forms.split()
}
_TENS = _table("""
    20: twenty zwanzig vingt veinte
    30: thirty drei\u00dfig trente treinta
    40: forty vierzig quarante cuarenta
    50: fifty f\u00fcnfzig cinquante cincuenta
    60: sixty sechzig soixante sesenta
    70: seventy siebzig setenta
    80: eighty achtzig ochenta
    90: ninety neunzig noventa
""")
_SCALES = {
    "dozen": 12,
    "dutzend": 12,
    "hundred": 100,
    "hundert": 100,
    "thousand": 1000,
    "tausend": 1000,
    "mille": 1000,
    "million": 10**6,
    "millions": 10**6,
    "millionen": 10**6,
    "billion": 10**9,
}
_ORDINALS = {
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "second": 2,
    "zweite": 2,
    "zweiten": 2,
    "dritte": 3,
    "dritten": 3,
}
_NOT_A_NUMBER_AFTER = frozenset(
    "this that which another each every no any the newer older other new old last first".split()
)

_OPENERS = frozenset({*words.MONTHS_BESIDE_NUMBERS, *_TENS, *_CARDINALS, *_ORDINALS, *_BARE, "s", "sec", "second"})

_PARTS = re.compile(r"([-+]?)(\d[\d.,]*?)[.,]?([^\d.,].*)?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_THOUSANDS_DOTTED = re.compile(r"\d{1,3}(?:\.\d{3})+")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_HOUR = re.compile(r"\d{1,2}")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_DOTTED_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_DAY_OF_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?")
_YEAR = re.compile(r"[12]\d{3}")


def read(tokens: Sequence[Token], at: int, *, comma_decimal: bool) -> Reading | None:
    """Return the number, date or bare unit that begins at a token, if one does; a comma may be the decimal mark."""
    token = tokens[at]
    if token.kind is Kind.OPERATOR:
        return _money(tokens, at, comma_decimal=comma_decimal) if token.text in _CURRENCIES else None
    if token.kind is Kind.NUMBER:
        return _date(tokens, at) or _time(tokens, at) or _amount(tokens, at, comma_decimal=comma_decimal)
    if token.text in _OPENERS and token.kind in (Kind.WORD, Kind.CAPITAL):
        return _month_first(tokens, at) or _in_words(tokens, at) or _bare(tokens, at)
    return None


def _next(tokens: Sequence[Token], at: int, kinds: tuple[Kind, ...] = (Kind.WORD, Kind.CAPITAL)) -> str:
    return tokens[at].text if at < len(tokens) and tokens[at].kind in kinds else ""


def _money(tokens: Sequence[Token], at: int, *, comma_decimal: bool) -> Reading | None:
    if not _next(tokens, at + 1, (Kind.NUMBER,)):
        return None
    sign, digits, suffix = _split(tokens[at + 1].text)
    return Reading(f"num:{_UNITS[tokens[at].text]}:{sign}{_plain(digits, comma_decimal=comma_decimal)}{suffix}", 2)


def _date(tokens: Sequence[Token], at: int) -> Reading | None:
    raw = tokens[at].text
    if match := _ISO_DATE.fullmatch(raw):
        return Reading(f"date:{match[1]}-{match[2]}-{match[3]}", 1)
    if match := _DOTTED_DATE.fullmatch(raw):
        return Reading(f"date:{match[3]}-{int(match[2]):02}-{int(match[1]):02}", 1)
    day = _DAY_OF_MONTH.fullmatch(raw)
    skip = 1 + (_next(tokens, at + 1) == "of")
    month = words.MONTHS_BESIDE_NUMBERS.get(_next(tokens, at + skip))
    return _dated(tokens, at + skip + 1, month, int(day[1]), skip + 1) if day and month else None


def _month_first(tokens: Sequence[Token], at: int) -> Reading | None:
    month = words.MONTHS_BESIDE_NUMBERS.get(tokens[at].text)
    if month is None:
        return None
    day = _DAY_OF_MONTH.fullmatch(_next(tokens, at + 1, (Kind.NUMBER,)))
    if day:
        return _dated(tokens, at + 2, month, int(day[1]), 2)
    year = _YEAR.fullmatch(_next(tokens, at + 1, (Kind.NUMBER,)))
    if year:
        return Reading(f"date:{year[0]}-{month:02}", 2)
    known = tokens[at].text in words.MONTHS and tokens[at].text not in words.DOUBTFUL_MONTHS
    return (
        Reading(f"date:month-{month:02}", 1)
        if known or (tokens[at].text == "march" and tokens[at].kind is Kind.CAPITAL)
        else None
    )


def _dated(tokens: Sequence[Token], at: int, month: int, day: int, width: int) -> Reading:
    comma = at < len(tokens) and tokens[at].kind is Kind.COMMA
    year = _YEAR.fullmatch(_next(tokens, at + comma, (Kind.NUMBER,)))
    if year:
        return Reading(f"date:{year[0]}-{month:02}-{day:02}", width + comma + 1)
    return Reading(f"date:{month:02}-{day:02}", width)


def _time(tokens: Sequence[Token], at: int) -> Reading | None:
    sign, digits, suffix = _split(tokens[at].text)
    clock = _CLOCK.fullmatch(tokens[at].text)
    follower = _next(tokens, at + 1)
    half = suffix.lower() if suffix.lower() in {"am", "pm"} else follower if follower in {"am", "pm", "uhr"} else ""
    width = 1 + (bool(half) and half == follower and suffix.lower() != half)
    if clock and not sign and (half == "uhr" or not half or int(clock[1]) <= 12):
        return Reading(_time_key(int(clock[1]), clock[2], clock[3] or "", half), width)
    if half and not sign and _HOUR.fullmatch(digits) and int(digits) <= (24 if half == "uhr" else 12):
        return Reading(_time_key(int(digits), "00", "", half), width)
    return None


def _time_key(hour: int, minute: str, second: str, half: str) -> str:
    if half in {"am", "pm"}:
        hour = hour % 12 + 12 * (half == "pm")
    return f"time:{hour:02}:{minute}{':' + second if second else ''}"


def _split(raw: str) -> tuple[str, str, str]:
    match = _PARTS.fullmatch(raw)
    return (match[1].replace("+", ""), match[2], match[3] or "") if match else ("", raw, "")


def _plain(digits: str, *, comma_decimal: bool) -> str:
    """Return digits without thousands marks and with a point for the decimals."""
    if comma_decimal:
        digits = digits.replace(".", "") if _THOUSANDS_DOTTED.fullmatch(digits) else digits
        return digits.replace(",", ".")
    return digits.replace(",", "") if _THOUSANDS.fullmatch(digits) else digits.replace(",", ".")


def _amount(tokens: Sequence[Token], at: int, *, comma_decimal: bool) -> Reading:
    raw = tokens[at].text
    if raw[0] in "vV" or raw.count(".") > 1:
        return Reading(f"num:v{raw.lower().removeprefix('v')}", 1)
    sign, digits, suffix = _split(raw)
    value = sign + _plain(digits, comma_decimal=comma_decimal)
    if suffix in {"st", "nd", "rd", "th"}:
        return Reading(f"num:#{digits}", 1)
    if suffix == "k" and value.count(".") <= 1:
        return _with_following_unit(tokens, at + 1, str(Decimal(value) * 1000), 1)
    if suffix:
        key = _measured(value, suffix)
        return Reading(key or f"id:{raw}", 1)
    return _with_following_unit(tokens, at + 1, value, 1)


def _with_following_unit(tokens: Sequence[Token], at: int, value: str, width: int) -> Reading:
    scale = _SCALES.get(_next(tokens, at))
    if scale and re.fullmatch(r"\d+(\.\d+)?", value):
        return _with_following_unit(tokens, at + 1, str(Decimal(value) * scale), width + 1)
    if at < len(tokens) and tokens[at].kind is not Kind.BREAK:
        unit = tokens[at].text.upper() if tokens[at].shouted else tokens[at].text
        unit = unit.capitalize() if tokens[at].kind is Kind.CAPITAL and not tokens[at].shouted else unit
        key = _measured(value, unit)
        if key:
            return Reading(key, width + 1)
    return Reading(f"num:{value}", width)


def _measured(value: str, unit: str) -> str | None:
    """Return the key of a value with its unit brought to seconds, bytes or bits; None if the unit is unknown."""
    if value.count(".") > 1 or (len(unit) == 1 and unit.isupper()):
        return None
    lower = unit.lower()
    if len(unit) == 2 and unit[1] == "b" and unit[0].isupper():
        return _scaled("bit", value, Decimal(1000 ** ("KMGTP".find(unit[0]) + 1)))
    for name, table in (("byte", _BYTES), ("bit", _BITS)):
        if lower in table:
            return _scaled(name, value, Decimal(table[lower]))
    known = _UNITS.get(lower)
    if known in _SECONDS:
        return _scaled("s", value, Decimal(_SECONDS[known]))
    return _scaled(known, value, Decimal(1)) if known else None


def _scaled(unit: str, value: str, factor: Decimal) -> str:
    return f"num:{unit}:{(Decimal(value) * factor).normalize():f}"


def _in_words(tokens: Sequence[Token], at: int) -> Reading | None:
    word = tokens[at].text
    if word == "one" and (_next(tokens, at - 1) if at else "") in _NOT_A_NUMBER_AFTER:
        return None
    if word in _TENS:
        unit = _CARDINALS.get(_next(tokens, at + 1), 0)
        return _with_following_unit(tokens, at + 1 + bool(unit), str(int(_TENS[word]) + unit), 1 + bool(unit))
    if word in _CARDINALS:
        return _with_following_unit(tokens, at + 1, str(_CARDINALS[word]), 1)
    if word in _ORDINALS and not (word == "second" and at and _next(tokens, at - 1) in {"per", "a", "each"}):
        return Reading(f"num:#{_ORDINALS[word]}", 1)
    return None


def _bare(tokens: Sequence[Token], at: int) -> Reading | None:
    word = tokens[at].text
    if word in {"s", "sec", "second"} and at and _next(tokens, at - 1) in {"per", "a", "each"}:
        return Reading("num:unit:s", 1)
    return Reading(f"num:unit:{_BARE[word]}", 1) if word in _BARE else None
