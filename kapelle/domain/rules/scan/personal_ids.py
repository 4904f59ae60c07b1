"""National identity numbers next to their name, and dates of birth. Where there is a check digit, it decides."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from stdnum import luhn
from stdnum.ar import dni as ar_dni
from stdnum.au import tfn
from stdnum.be import nn
from stdnum.bg import egn
from stdnum.br import cpf
from stdnum.ca import sin
from stdnum.ch import ssn as ahv
from stdnum.cl import rut
from stdnum.cz import rc
from stdnum.de import idnr
from stdnum.dk import cpr
from stdnum.ee import ik
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.gr import amka
from stdnum.hr import oib
from stdnum.ie import pps
from stdnum.il import idnr as il_idnr
from stdnum.in_ import aadhaar, pan
from stdnum.iso7064 import mod_11_2
from stdnum.it import codicefiscale
from stdnum.jp import in_ as my_number
from stdnum.kr import rrn
from stdnum.mx import curp
from stdnum.nl import bsn
from stdnum.no import fodselsnummer
from stdnum.pl import pesel
from stdnum.pt import cc
from stdnum.ro import cnp
from stdnum.se import personnummer
from stdnum.tr import tckimlik
from stdnum.us import itin
from stdnum.za import idnr as za_idnr

from kapelle.domain.rules.scan.hits import Confidence, Personal
from kapelle.domain.rules.scan.personal_spans import Span
from kapelle.domain.rules.scan.reading import words

_AFTER: Final = 64
_BEFORE: Final = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The names of an identity number, its shape in lower case, and its check."""

    stems: tuple[str, ...]
    name: re.Pattern[str]
    shape: re.Pattern[str]
    valid: Callable[[str], bool]
    # Numbers without a check digit count only after their name.
    checked: bool = True
    confidence: Confidence = Confidence.HIGH


def _plausible_ssn(number: str) -> bool:
    """Areas, groups and serials that are issued; the numbers that are known from advertisements are nobody's."""
    digits = "".join(filter(str.isdigit, number))
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    issued = area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"
    return issued and digits not in (
        "078051120",
        "219099999",
        "123456789",
        "111223333",
        "123121234",
        "111111111",
        "222222222",
        "333333333",
    )


def _luhn_nine(number: str) -> bool:
    return sin.is_valid(number)


def _spanish(number: str) -> bool:
    return dni.is_valid(number) or nie.is_valid(number)


def _tax_or_social(number: str) -> bool:
    return _plausible_ssn(number) or itin.is_valid(number)


def _south_african(number: str) -> bool:
    return luhn.is_valid(number) and za_idnr.is_valid(number)


def _chinese(number: str) -> bool:
    return "1900" < number[6:10] < "2100" and mod_11_2.is_valid(number)


def _has_digits(number: str) -> bool:
    return sum(map(str.isdigit, number)) >= 6


def _identity(
    stems: str, name: str, shape: str, valid: Callable[[str], bool], *, checked: bool = True, sure: bool = True
) -> Identity:
    return Identity(
        stems=tuple(stems.split(",")),
        name=re.compile(rf"(?:{name})(?![^\W_])"),
        shape=re.compile(rf"(?<![\w.-])(?:{shape})(?![\w-])"),
        valid=valid,
        checked=checked,
        confidence=Confidence.HIGH if sure else Confidence.LOW,
    )


_IDENTITIES: Final[tuple[Identity, ...]] = (
    _identity(
        "ssn,ssns,social,itin",
        r"ssns?|social[ _-]security(?:[ _-](?:no|number|num|nr))?|itin",
        r"[0-9]{3}([- .]?)[0-9]{2}\1[0-9]{4}",
        _tax_or_social,
        checked=False,
    ),
    _identity(
        "nino,ni,national",
        r"nino|ni[ _-](?:number|no)|national[ _-]insurance(?:[ _-](?:number|no))?",
        r"(?!bg|gb|nk|kn|tn|nt|zz)[a-ceghj-prstw-z][a-ceghj-nprstw-z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d]",
        _has_digits,
        checked=False,
    ),
    _identity("nhs", r"nhs(?:[ _-](?:number|no))?", r"[0-9]{3}[- ]?[0-9]{3}[- ]?[0-9]{4}", nhs.is_valid),
    _identity("cpf", r"cpf", r"[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}[-/]?[0-9]{2}", cpf.is_valid),
    _identity(
        "dni,nie,nif", r"dni|nie|nif", r"(?:[0-9]{2}\.?[0-9]{3}\.?[0-9]{3}|[xyz][- ]?[0-9]{7})[- ]?[a-z]", _spanish
    ),
    _identity("dni", r"dni", r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}", ar_dni.is_valid, checked=False),
    _identity(
        "sécu,secu,sécurité,securite,nir,insee",
        r"nir|insee|s[ée]cu(?:rit[ée] sociale)?",
        r"[12378] ?[0-9]{2} ?[0-9]{2} ?(?:[0-9]{2}|2[ab]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}",
        nir.is_valid,
    ),
    _identity(
        "bsn,burgerservicenummer",
        r"bsn|burgerservicenummer",
        r"[0-9]{4}\.?[0-9]{2}\.?[0-9]{3}|[0-9]{3} ?[0-9]{3} ?[0-9]{3}",
        bsn.is_valid,
    ),
    _identity("pesel", r"pesel", r"[0-9]{11}", pesel.is_valid),
    _identity(
        "steuer,steuerid,steueridnr,steueridentifikationsnummer,steueridentnummer,steuerident,idnr,tax,tin",
        r"steuer[ -]?(?:id(?:entifikationsnummer|nr|ent)?|identnummer)(?:-?nr)?|idnr|tax id|tin",
        r"[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}",
        idnr.is_valid,
    ),
    _identity("aadhaar,aadhar,uidai", r"aadhaa?r|uidai", r"[2-9][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}", aadhaar.is_valid),
    _identity("pan", r"pan(?: ?(?:card|no|number))?", r"[a-z]{3}[abcfghjlpt][a-z][0-9]{4}[a-z]", pan.is_valid),
    _identity(
        "sin,social",
        r"sin|social[ _-]insurance(?:[ _-](?:no|number))?",
        r"[0-9]{3}[- ]?[0-9]{3}[- ]?[0-9]{3}",
        _luhn_nine,
    ),
    _identity(
        "cf,codice",
        r"cf|codice fiscale",
        r"[a-z]{6}[0-9lmnpqrstuv]{2}[a-ehlmprst][0-9lmnpqrstuv]{2}[a-z][0-9lmnpqrstuv]{3}[a-z]",
        codicefiscale.is_valid,
    ),
    _identity("cnp,cod", r"cnp|cod numeric personal", r"[1-9][0-9]{12}", cnp.is_valid),
    _identity(
        "personnummer,samordningsnummer,personal",
        r"personnummer|samordningsnummer|personal number",
        r"(?:19|20)?[0-9]{6}[-+ ]?[0-9]{4}",
        personnummer.is_valid,
    ),
    _identity(
        "fødselsnummer,fodselsnummer,fnr,personnummer",
        r"f[øo]dselsnummer|fnr|personnummer",
        r"[0-9]{6} ?[0-9]{5}",
        fodselsnummer.is_valid,
    ),
    _identity("cpr,cprnr,cprnummer", r"cpr(?:[ -]?(?:nr|nummer|number))?", r"[0-9]{6}[- ]?[0-9]{4}", cpr.is_valid),
    _identity("hetu,henkilötunnus", r"hetu|henkilötunnus", r"[0-9]{6}[-+a][0-9]{3}[0-9a-z]", hetu.is_valid),
    _identity("pps,ppsn", r"pps(?:n|[ -]?(?:no|number))?", r"[0-9]{7} ?[a-w][a-iw]?", pps.is_valid),
    _identity(
        "ahv,ahvnr,ahvnummer,avs,sozialversicherungsnummer",
        r"ahv(?:-?(?:nr|nummer))?|avs|sozialversicherungsnummer",
        r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}",
        ahv.is_valid,
    ),
    _identity("amka,αμκα", r"amka|αμκα", r"[0-9]{11}", amka.is_valid),
    _identity(
        "rodné,rodne,rodného,rodneho", r"rodn[ée](?:ho)? č[ií]sl[oa]|rodne cislo", r"[0-9]{6}/?[0-9]{3,4}", rc.is_valid
    ),
    _identity(
        "rijksregisternummer,registre,nrn,niss,insz",
        r"rijksregisternummer|registre national|nrn|niss|insz",
        r"[0-9]{2}\.?[0-9]{2}\.?[0-9]{2}[- ]?[0-9]{3}[. ]?[0-9]{2}",
        nn.is_valid,
    ),
    _identity("kimlik,tckn,tc", r"(?:tc ?)?kimlik(?: no)?|tckn", r"[1-9][0-9]{10}", tckimlik.is_valid),
    _identity(
        "rrn,주민,resident",
        r"rrn|주민(?:등록)?번호|resident registration(?: number)?",
        r"[0-9]{6}-?[0-9]{7}",
        rrn.is_valid,
    ),
    _identity(
        "公民身份,身份证,身份證,resident,id",
        r"(?:公民)?身份[证證](?:号码?|號碼?)?|resident id(?: card)?|id card",
        r"[1-9][0-9]{16}[0-9x]",
        _chinese,
    ),
    _identity(
        "マイナンバー,個人番号,my",
        r"マイナンバー|個人番号|my number",
        r"[0-9]{4}[- ]?[0-9]{4}[- ]?[0-9]{4}",
        my_number.is_valid,
    ),
    _identity("tfn,tax", r"tfn|tax file number", r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{3}", tfn.is_valid),
    _identity("curp", r"curp", r"[a-z]{4}[0-9]{6}[hmx][a-z]{5}[0-9a-z][0-9]", curp.is_valid),
    _identity("rut", r"rut", r"[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9k]|[0-9]{7,8}-[0-9k]", rut.is_valid),
    _identity("teudat,תעודת,israeli", r"teudat zehut|תעודת זהות|israeli id", r"[0-9]{9}", il_idnr.is_valid),
    _identity("za,sa,south,rsa", r"(?:za|sa|rsa|south african) id(?: (?:no|number))?", r"[0-9]{13}", _south_african),
    _identity("oib", r"oib", r"[0-9]{11}", oib.is_valid),
    _identity("egn,егн", r"egn|егн", r"[0-9]{10}", egn.is_valid),
    _identity("isikukood", r"isikukood", r"[1-6][0-9]{10}", ik.is_valid),
    _identity("cartão,cartao", r"cart[ãa]o de cidad[ãa]o", r"[0-9]{8} ?[0-9] ?[a-z0-9]{2}[0-9]", cc.is_valid),
    _identity(
        "passport,passports,passeport,pasaporte,reisepass,reisepassnummer,passaporto",
        r"passports?(?: ?(?:no|number|nr|#))?|passeport|pasaporte|reisepass(?:nummer)?|passaporto",
        r"[a-z]{1,2} ?[0-9]{6,8}|[0-9]{8,9}|[cfghjk][0-9cfghjklmnprtvwxyz]{8}",
        _has_digits,
        checked=False,
    ),
    _identity(
        "driver,drivers,driving,führerschein,führerscheinnummer,permis",
        r"driv(?:er|ing)'?s?'? licen[cs]e(?: ?(?:no|number))?|führerschein(?:nummer)?|permis de conduire",
        r"[a-z]{0,5}[0-9]{6,12}[a-z0-9]{0,6}",
        _has_digits,
        checked=False,
        sure=False,
    ),
)
# By the word that each name begins with; names in scripts without spaces are looked for one by one.
_BY_WORD: Final = {
    stem: tuple(identity for identity in _IDENTITIES if stem in identity.stems)
    for identity in _IDENTITIES
    for stem in identity.stems
    if stem < "\u2e80"
}
_UNSPACED: Final = tuple((stem, identity) for identity in _IDENTITIES for stem in identity.stems if stem >= "\u2e80")
_GAP: Final = re.compile(
    r"[\s:=#.\"'`*_|()-]*(?:(?:no|nr|num|number|numero|numéro|nummer|id|is|was|of|of the customer|ends?|value"
    r"|field|data|are|est|ist|es|é)[\s:=#.\"'`*_|()-]+){0,3}"
)

_DASHED_SSN: Final = re.compile(r"[0-9][0-9]{2}-[0-9]{2}-[0-9]{4}")
_BORN: Final = re.compile(
    r"(?:dob|d\.o\.b\.?|date[ _]of[ _]birth|birth[ _]?(?:date|day)|born(?: on)?|geboren(?: am)?|geb\."
    r"|geburtsdatum|née? le|date de naissance|nacid[oa] el"
    r"|fecha de nacimiento|data di nascita|nat[oa] il|data de nascimento|geboortedatum|дата рождения|生年月日"
    r"|出生日期)[\s:=\"'`*_|(-]{0,6}(?:is |was |on |am )?"
)
_BORN_WORDS: Final = frozenset(
    "dob date birth birthday birthdate born geboren geb geburtsdatum né née nacido nacida fecha data nato nata "
    "geboortedatum дата".split()
)
_UNSPACED_BORN: Final = ("生年月日", "出生日期")
_MONTH: Final = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober"
    r"|dezember|janv|févr|mars|avril|juin|juil|août|déc)[a-zé]*"
)
_DATE: Final = re.compile(
    rf"(?:(?:19|20)[0-9]{{2}}[-./][0-9]{{1,2}}[-./][0-9]{{1,2}}|[0-9]{{1,2}}[-./][0-9]{{1,2}}[-./](?:(?:19"
    rf"|20)[0-9]{{2}}|[0-9]{{2}})|[0-9]{{1,2}}(?:st|nd|rd|th|\.)? {_MONTH}\.?,? (?:19|20)[0-9]{{2}}"
    rf"|{_MONTH}\.? [0-9]{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)[0-9]{{2}}|(?:19"
    rf"|20)[0-9]{{2}}年[0-9]{{1,2}}月[0-9]{{1,2}}日|(?:19|20)[0-9]{{6}})(?![0-9])"
)


def identities(text: str, low: str, known: set[str]) -> Iterator[Span]:
    """Yield identity numbers and dates of birth of a view, given it in lower case and its words."""
    for word in sorted(known & _BY_WORD.keys()):
        for identity in _BY_WORD[word]:
            yield from _named(text, low, word, identity)
    for word in sorted(known & _BORN_WORDS):
        yield from _born(low, word)
    if not low.isascii():
        yield from _unspaced(text, low)


def dashed_numbers(low: str, start: int, end: int) -> Iterator[Span]:
    """Yield the social security numbers of a stretch: their three groups give them away without their name."""
    for match in _DASHED_SSN.finditer(low, start, end):
        if _plausible_ssn(match[0]) and _is_whole(low, match.start(), match.end()):
            yield Span(Personal.ID, *match.span())


def _unspaced(text: str, low: str) -> Iterator[Span]:
    for stem, identity in _UNSPACED:
        yield from _named(text, low, stem, identity)
    for stem in _UNSPACED_BORN:
        yield from _born(low, stem)


def _born(low: str, stem: str) -> Iterator[Span]:
    for at in words(low, stem):
        if (match := _BORN.match(low, at)) and (date := _DATE.match(low, match.end())):
            yield Span(Personal.DATE, *date.span())


def _is_whole(low: str, start: int, end: int) -> bool:
    before, after = low[max(0, start - 1) : start], low[end : end + 1]
    return not (before.isalnum() or before in ("-", ".", "_", "/")) and not (
        after.isalnum() or after in ("-", "_", "/")
    )


def _named(text: str, low: str, stem: str, identity: Identity) -> Iterator[Span]:
    for at in words(low, stem):
        name = identity.name.match(low, at)
        if name is None:
            continue
        gap = _GAP.match(low, name.end(), name.end() + _AFTER)
        # What has no check digit stands right behind its name; what has one may stand a few words away, on either side.
        if found := identity.shape.match(low, gap.end() if gap else name.end()):
            yield from _checked(text, found.start(), found.end(), identity)
        elif identity.checked:
            yield from _near(text, low, name, identity)


def _near(text: str, low: str, name: re.Match[str], identity: Identity) -> Iterator[Span]:
    after = low[name.end() : name.end() + _AFTER].partition("\n\n")[0]
    for found in identity.shape.finditer(after):
        yield from _checked(text, name.end() + found.start(), name.end() + found.end(), identity)
    lo = max(0, name.start() - _BEFORE)
    for found in identity.shape.finditer(low[lo : name.start()].rpartition("\n")[2]):
        at = name.start() - len(low[lo : name.start()].rpartition("\n")[2])
        yield from _checked(text, at + found.start(), at + found.end(), identity)


def _checked(text: str, start: int, end: int, identity: Identity) -> Iterator[Span]:
    if identity.valid(text[start:end].upper()):
        yield Span(Personal.ID, start, end, identity.confidence)
