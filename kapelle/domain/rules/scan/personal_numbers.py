"""Phone, card and account numbers and public IP addresses: candidates by shape, then the checks that each kind has."""

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import phonenumbers
from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from kapelle.domain.rules.scan.hits import Personal
from kapelle.domain.rules.scan.personal_ids import dashed_numbers
from kapelle.domain.rules.scan.personal_spans import Span, stands_alone
from kapelle.domain.rules.scan.reading import line_before

_MIN_DIGITS: Final = 7
# A look-up takes about 50 microseconds: in a list of more numbers than this, shape and length alone decide.
_MAX_CHECKS: Final = 300
# Patterns begin with one class of characters, so that the engine skips to candidates.
_STRETCH: Final = re.compile(r"[0-9][0-9 ().\-/]{5,}[0-9]")
_DASHES: Final = re.compile("[\u2010-\u2015\u2212]")
_DIGITS_ONLY: Final = str.maketrans("", "", " ().-/+")

_CARD: Final = re.compile(
    r"[0-9][0-9]{3}(?:(?P<a>[ -])[0-9]{4}(?P=a)[0-9]{4}(?P=a)[0-9]{4}(?:(?P=a)[0-9]{3})?"
    r"|(?P<b>[ -])[0-9]{6}(?P=b)[0-9]{4,5}|[0-9]{9,15})(?![0-9])"
)
# Lengths by the first digits (ISO/IEC 7812 issuer ranges as the networks publish them).
_BRANDS: Final = (
    (re.compile(r"4"), (13, 16, 19)),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), (16,)),
    (re.compile(r"3[47]"), (15,)),
    (re.compile(r"6011|64[4-9]|65"), (16, 19)),
    (re.compile(r"352[89]|35[3-8]"), (16, 19)),
    (re.compile(r"30[0-5]|3095|36|38|39"), (14, 16)),
    (re.compile(r"62"), (16, 17, 18, 19)),
    (re.compile(r"50(?:18|20|38)|56|58|6304|67(?:59|6[1-3])"), (13, 14, 15, 16, 17, 18, 19)),
    (re.compile(r"220[0-4]"), (16,)),
)
# Published by the payment providers for tests.
_TEST_CARDS: Final = frozenset(
    "4242424242424242 4111111111111111 4012888888881881 4000056655665556 4000000000000002 4000000000000077 "
    "4000000000003220 4222222222222 "
    "5555555555554444 5105105105105100 2223003122003222 2223000048400011 5200828282828210 378282246310005 "
    "371449635398431 378734493671000 "
    "6011111111111117 6011000990139424 6011000000000004 30569309025904 38520000023237 3056930009020004 "
    "36227206271667 3530111333300000 "
    "3566002020360505 6200000000000005 6205500000000000004 4917610000000000 4000000000000000 5425233430109903 "
    "2222420000001113".split()
)
_NOT_A_CARD: Final = re.compile(
    r"\b(?:order|invoice|ticket|offset|snowflake|run|job|build|trace|span|imei|imsi|iccid|isbn|ean|gtin|upc"
    r"|serial|sku|tracking|parcel|epoch|timestamp|nonce|hash"
    r"|sequence|seq|lsn|txid|xid|xmin|message|msg|request|event|partition|id|ids|ref|reference|pid|bytes|ns"
    r"|nanoseconds|micros)\b[^\n0-9]{0,16}$"
)
_CARD_WORD: Final = re.compile(
    r"\b(?:card|visa|mastercard|amex|american express|discover|jcb|diners|maestro|unionpay|pan|credit|debit|paid"
    r"|payment|karte|carte|tarjeta)\b"
)

_IBAN: Final = re.compile(r"[0-9][0-9][ -]?[0-9a-z]{4}[0-9a-z -]{5,36}")
# Every account number holds a stretch of digits: where it may begin before the stretch, and end after it.
_IBAN_HEAD: Final = 24
_IBAN_TAIL: Final = 24
_IBAN_LENGTHS: Final = {
    pair[:2].lower(): int(pair[2:])
    for pair in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 "
        "EE20 EG29 ES24 FI18 FK18 FO18 "
        "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 "
        "LI21 LT20 LU20 LV21 LY25 MC27 "
        "MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 "
        "SC31 SD18 SE24 SI19 SK24 SM27 "
        "SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
    ).split()
}
_PUBLISHED_IBANS: Final = frozenset(
    "de89370400440532013000 gb29nwbk60161331926819 gb82west12345698765432 fr1420041010050500013m02606 "
    "nl91abna0417164300 ch9300762011623852957".split()
)

_IPV4: Final = re.compile(r"[0-9][0-9]{0,2}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}")
_IPV6: Final = re.compile(r"[23][0-9a-f]{3}:[0-9a-f:]{2,35}(?:[0-9]{1,3}\.[0-9.]{5,11})?")
_RESOLVERS: Final = frozenset(
    "8.8.8.8 8.8.4.4 168.63.129.16 1.1.1.1 1.0.0.1 1.1.1.2 1.1.1.3 9.9.9.9 9.9.9.10 149.112.112.112 "
    "208.67.222.222 208.67.220.220 4.2.2.1 4.2.2.2 "
    "64.6.64.6 94.140.14.14 94.140.15.15 76.76.2.0 185.228.168.9 1.2.3.4 4.3.2.1 5.6.7.8 11.22.33.44 "
    "12.34.56.78 123.123.123.123 "
    "2001:4860:4860::8888 2001:4860:4860::8844 2606:4700:4700::1111 2606:4700:4700::1001 2620:fe::fe "
    "2620:119:35::35".split()
)
_RESOLVERS6: Final = frozenset(ipaddress.IPv6Address(name) for name in _RESOLVERS if ":" in name)
# First numbers under which every address is public: most are, and the library takes ten times as long to say so.
_UNICAST: Final = frozenset(range(1, 224)) - {10, 100, 127, 169, 172, 192, 198, 203}
_LEADING_ZERO: Final = re.compile(r"(?<![0-9])0[0-9]")
_VERSION_WORD: Final = re.compile(
    r"(?:\b(?:version|versions|ver|v|release|released|releases|build|assembly|driver|firmware|agent|chrome"
    r"|chromium|edge|package|sdk|runtime|upgrade|upgraded|downgrade"
    r"|bump|bumped|pin|pinned|library|lib|dll|since|until|tag|patch|schema|plugin|client version|server version"
    r"|section|clause|rfc|chapter|oid|requires|unreleased"
    r"|changelog|fixed in|introduced in|new in|changed in|added in)\b[ :=v\"'`(]{0,4}(?:from |to |of |is |was "
    r"|in )?[v\"'`(]{0,2}|(?:==|[~<>!^]=?|@)\s?[\"'`]?|[a-z]/|\bv)$"
)
_NETWORK_WORD: Final = re.compile(
    r"\b(?:ip|ips|ipv4|address|addr|addresses|host|hosts|client|clients|peer|server|remote|source|src|dst"
    r"|connect|connected|banned|blocked|ban|login|ssh|ping|curl|user|visitor|attacker|gateway)\b"
)
_LOW_OCTET: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clues:
    """What a whole text says of the numbers in it."""

    # One of its words gives phone numbers away.
    named: bool
    # How many international numbers may still be looked up.
    checks: Iterator[int]


def numbers(low: str, known: set[str]) -> Iterator[Span]:
    """Yield phone, card and account numbers and public addresses of a view in lower case, given its words."""
    unspaced = not low.isascii() and any(word in low for word in _UNSPACED_PHONE_WORDS)
    clues = _Clues(named=unspaced or not _PHONE_WORDS.isdisjoint(known), checks=iter(range(_MAX_CHECKS)))
    flat = low if low.isascii() else _DASHES.sub("-", low)
    for match in _STRETCH.finditer(flat):
        yield from _in_stretch(flat, match.start(), match.end(), clues=clues)
    if flat.count(":") > 1:
        yield from _addresses6(flat)


def _in_stretch(low: str, start: int, end: int, *, clues: _Clues) -> Iterator[Span]:
    stretch = low[start:end]
    digits = len(stretch.translate(_DIGITS_ONLY))
    if digits >= _MIN_DIGITS:
        opened = _opened(low, start)
        if clues.named or opened < start or "-" in stretch:
            yield from _phones(low, opened, end, clues=clues)
        for match in _IBAN.finditer(low, max(0, start - _IBAN_HEAD), end + _IBAN_TAIL):
            yield from _account(low, match)
    if digits >= 9 and stretch.count("-") > 1:
        yield from dashed_numbers(low, start, end)
    if digits >= 13:
        yield from _cards(low, start, end)
    if stretch.count(".") > 2:
        yield from _addresses4(low, start, end)


def _opened(low: str, start: int) -> int:
    """Return where a number begins that may have a parenthesis or a plus before its first digit."""
    start -= low[start - 1 : start] == "("
    return start - (low[start - 1 : start] == "+")


def _cards(low: str, start: int, end: int) -> Iterator[Span]:
    for match in _CARD.finditer(low, start, end):
        digits = match[0].translate(_DIGITS_ONLY)
        if _is_card(digits) and _outside_number(low, match.start(), match.end()) and not _is_other_number(low, match):
            yield Span(Personal.CARD, match.start(), match.end())


def _outside_number(low: str, start: int, end: int) -> bool:
    before, after = low[max(0, start - 1) : start], low[end : end + 2]
    if before.isalnum() or before in ("_", ".", "#") or after[:1].isalnum() or after[:1] == "_":
        return False
    return not (after[:1] in ("-", ".") and after[1:].isdigit()) and not (
        before == "-" and low[max(0, start - 2) : start - 1].isalnum()
    )


def _is_card(digits: str) -> bool:
    if digits in _TEST_CARDS or len(set(digits)) < 3 or not luhn.is_valid(digits):
        return False
    return any(prefix.match(digits) and len(digits) in lengths for prefix, lengths in _BRANDS)


def _is_other_number(low: str, match: re.Match[str]) -> bool:
    """One plain number in ten passes the check digit, so that what is called an order or an offset stays one."""
    grouped = " " in match[0] or "-" in match[0]
    before = line_before(low, match.start(), 40)
    return not grouped and _NOT_A_CARD.search(before) is not None and _CARD_WORD.search(before) is None


def _account(low: str, match: re.Match[str]) -> Iterator[Span]:
    start = match.start() - 2
    length = _IBAN_LENGTHS.get(low[max(start, 0) : start + 2])
    if length is None or (start and (low[start - 1].isalnum() or low[start - 1] in "_-")):
        return
    end = _end_of(low, start, match.end(), length)
    if end and not low[end : end + 1].isalnum():
        number = low[start:end].replace(" ", "").replace("-", "")
        if number not in _PUBLISHED_IBANS and mod_97_10.is_valid(number[4:] + number[:4]):
            yield Span(Personal.IBAN, start, end)


def _end_of(low: str, start: int, limit: int, length: int) -> int:
    """Return where `length` letters and digits end, spaces and dashes between them left out, or 0."""
    count = 0
    for at in range(start, limit):
        count += low[at] not in " -"
        if count == length:
            return at + 1
    return 0


def _addresses4(low: str, start: int, end: int) -> Iterator[Span]:
    for match in _IPV4.finditer(low, start, end):
        if _is_public4(match[0]) and _is_address(low, match.start(), match.end()):
            yield Span(Personal.IP, match.start(), match.end())


def _addresses6(low: str) -> Iterator[Span]:
    for match in _IPV6.finditer(low):
        before = low[max(0, match.start() - 1) : match.start()]
        address = match[0].rstrip(":") if not match[0].endswith("::") else match[0]
        if _is_public6(address) and not (before.isalnum() or before in (":", ".")):
            yield Span(Personal.IP, match.start(), match.start() + len(address))


def _is_public4(text: str) -> bool:
    first, *rest = (int(part) for part in text.split("."))
    if first in _UNICAST and max(first, *rest) < 256 and not _LEADING_ZERO.search(text):
        return text not in _RESOLVERS
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return address.is_global and not address.is_multicast and text not in _RESOLVERS


def _is_public6(text: str) -> bool:
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return address not in _RESOLVERS6 and address.is_global and not address.is_multicast


def _is_address(low: str, start: int, end: int) -> bool:
    before, after = low[max(0, start - 1) : start], low[end : end + 2]
    if before.isalnum() or before in ("_", ".", "-", "+") or after[:1].isalnum() or after[:1] == "_":
        return False
    if (after[:1] in (".", "-", "+") and after[1:].isalnum()) or _is_network(low, start, end):
        return False
    line = line_before(low, start, 40)
    if _VERSION_WORD.search(line):
        return False
    small = all(int(part) < _LOW_OCTET for part in low[start:end].split("."))
    return not small or after[:1] == ":" or _NETWORK_WORD.search(line) is not None


def _is_network(low: str, start: int, end: int) -> bool:
    """A range of addresses (`203.0.0.0/12`) is nobody's; one address with its mask is somebody's."""
    return (
        low[end : end + 1] == "/"
        and low[end + 1 : end + 2].isdigit()
        and low[end + 1 : end + 3] != "32"
        and low[start:end].endswith((".0", ".128"))
    )


_SEPARATOR: Final = r"(?:[ .\-/]|[ \-]?\(|\)[ \-./]?|)"
_INTERNATIONAL: Final = re.compile(rf"\+[0-9](?:{_SEPARATOR}[0-9]){{6,14}}(?![0-9])")
_AMERICAN: Final = re.compile(
    r"(?:1[ .\-]?)?(?:\([2-9][0-9]{2}\)[ .\-]?|[2-9][0-9]{2}[ .\-])[2-9][0-9]{2}[ .\-][0-9]{4}(?![0-9])"
)
_SURE_AMERICAN: Final = re.compile(
    r"(?:1-)?[2-9][0-8][0-9]-[2-9][0-9]{2}-[0-9]{4}|(?:1[ -])?\([2-9][0-9]{2}\) ?[2-9][0-9]{2}-[0-9]{4}"
)
_NATIONAL: Final = re.compile(rf"\(?[0-9](?:{_SEPARATOR}[0-9]){{6,13}}(?![0-9])")
_STRONG: Final = re.compile(
    r"(?<![\w\[-])(?:(?:tele|mobile ?|cell ?|work ?|home ?)?phones?(?: ?(?:no|number|nr|num)s?)?|telephone|tel"
    r"|tél|téléphone|telefon\w*|tlf|telef\w+|teléfono|téléphone|rufnummer|handy(?:nummer)?|mobilnummer"
    r"|mobiltelefon|durchwahl|rufbereitschaft|sms|whatsapp|fax|hotline|pager|celular|cellulare|móvil|movil|fone"
    r"|portable|astreinte|gsm|puh|puhelin\w*|mob|тел|телефон\w*|моб)(?![\w-])[^\n0-9+(]{0,32}$"
    r"|(?:携帯|電話|手机|电话|電話番号|전화|휴대폰)[^\n0-9+(]{0,16}$"
)
_WEAK: Final = re.compile(
    r"(?<![\w\[-])(?:call|calls|called|dial|ring|text|texted|mobile|mobil|cell|line|desk|number|direct|landline"
    r"|bridge|reach (?:me|him|her|them|us)|extension|contact|oncall|on-call|support|jour|kontakt|emergency"
    r"|voicemail)(?![\w-])[^\n0-9+(]{0,32}$"
)
# The words above: a text without any has no number that only its word gives away.
_PHONE_WORDS: Final = frozenset(
    "phone phones telephone mobilephone cellphone workphone homephone tel tél téléphone telefon telefonnummer "
    "telefono teléfono telefone telefonisch "
    "telefoon telefoonnummer tlf rufnummer handy handynummer mobilnummer mobiltelefon durchwahl rufbereitschaft "
    "sms whatsapp fax hotline pager celular "
    "cellulare móvil movil fone portable astreinte gsm puh puhelin puhelinnumero mob тел телефон телефона "
    "телефону моб call calls called dial ring text "
    "texted mobile mobil cell line desk number direct landline bridge reach extension contact oncall on jour "
    "kontakt emergency voicemail support".split()
)
_UNSPACED_PHONE_WORDS: Final = ("携帯", "電話", "手机", "电话", "전화", "휴대폰")
_PLACEHOLDER_PHONES: Final = frozenset(
    "1234567890 11234567890 0123456789 5555555555 15555555555 1234567 12345678 123456789 0000000000 1112223333".split()
)
_DATED: Final = re.compile(
    r"(?:19|20)[0-9]{2}[-./][01]?[0-9][-./][0-3]?[0-9]|[0-3]?[0-9][-./][01]?[0-9][-./](?:19|20)[0-9]{2}"
)
# Decimals and thousands.
_COUNTED: Final = re.compile(r"[0-9]+\.[0-9]+|[0-9]{1,3}(?:[ .][0-9]{3})*[ .]000")


def _phones(low: str, start: int, end: int, *, clues: _Clues) -> Iterator[Span]:
    at = start
    while at < end:
        span = _phone(low, at, end, clues=clues)
        if span is not None:
            yield Span(Personal.PHONE, *span)
            at = span[1]
        at = _next_number(low, at, end)


def _next_number(low: str, at: int, end: int) -> int:
    """Return where the next group of the stretch begins, after a space."""
    space = low.find(" ", at, end)
    return end if space < 0 else space + 1


def _phone(low: str, start: int, end: int, *, clues: _Clues) -> tuple[int, int] | None:
    if match := _INTERNATIONAL.match(low, start, end):
        if stands_alone(low, start, match.end()) and _is_possible(match[0].translate(_DIGITS_ONLY), clues):
            return match.span()
        return None
    if (match := _AMERICAN.match(low, start, end)) and stands_alone(low, *match.span()):
        sure = _SURE_AMERICAN.fullmatch(match[0]) is not None
        if _is_number(match[0]) and (sure or (clues.named and _is_called_a_phone(low, start, match[0]))):
            return match.span()
    return _national(low, start, end) if clues.named else None


def _national(low: str, start: int, end: int) -> tuple[int, int] | None:
    match = _NATIONAL.match(low, start, end)
    if match is None or not stands_alone(low, *match.span()) or not _is_number(match[0]):
        return None
    return match.span() if _is_called_a_phone(low, start, match[0]) else None


def _is_possible(digits: str, clues: _Clues) -> bool:
    """Possible, not assigned: numbers kept for fiction and new ranges are written like any other."""
    if len(digits) <= 8 or next(clues.checks, None) is None:
        return len(digits) > 8
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse("+" + digits))
    except phonenumbers.NumberParseException:
        return False


def _is_number(number: str) -> bool:
    digits = number.translate(_DIGITS_ONLY)
    if digits in _PLACEHOLDER_PHONES or len(set(digits)) < 3:
        return False
    return not _DATED.match(number) and not _COUNTED.fullmatch(number)


def _is_called_a_phone(low: str, start: int, number: str) -> bool:
    before = line_before(low, start, 56)
    if _STRONG.search(before):
        return True
    grouped = any(separator in number for separator in " -.")
    written = number.startswith(("0", "(0", "1-", "1 ", "1.")) or _AMERICAN.fullmatch(number) is not None
    return grouped and written and len(number) > 9 and _WEAK.search(before) is not None
