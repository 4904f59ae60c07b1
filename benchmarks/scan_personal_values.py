"""Personal data by format: made from a seed, in ranges kept for fiction where there are any, with check digits."""

import ipaddress
from collections.abc import Callable
from random import Random
from typing import Final

from stdnum import luhn
from stdnum.au import tfn
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ca import sin
from stdnum.ch import ssn as ahv
from stdnum.cz import rc
from stdnum.de import idnr
from stdnum.dk import cpr
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.in_ import aadhaar, pan
from stdnum.iso7064 import mod_97_10
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.no import fodselsnummer
from stdnum.pl import pesel
from stdnum.ro import cnp
from stdnum.se import personnummer
from stdnum.tr import tckimlik

_GIVEN: Final = "elif noah sanna mateo greta hugo lina oskar ayse dario petra milan".split()
_FAMILY: Final = "brandt okoye lindholm ferrari kowalska sato moreau petrov haugen costa".split()
_DOMAINS: Final = (
    "gannet-freight.com siskin.io dunlin-bank.de avocet.co.uk curlew-labs.fr bittern.dev smew.nl crake-media.eu".split()
)
_TRIES: Final = 20_000

Maker = Callable[[Random], str]


def mail(random: Random) -> str:
    given, family = random.choice(_GIVEN), random.choice(_FAMILY)
    local = random.choice(
        (
            f"{given}.{family}",
            f"{given[0]}{family}",
            f"{given}_{family}",
            f"{family}{random.randrange(70, 99)}",
            f"{given}-{family}",
        )
    )
    return f"{local}@{random.choice(_DOMAINS)}"


def us_phone(random: Random) -> str:
    return f"{random.choice(('206', '415', '503', '617'))}-555-01{random.randrange(100):02d}"


def phone(template: str) -> Maker:
    """Return a maker of phone numbers: each # of the template is a digit."""
    return lambda random: _fill(random, template)


def card(prefix: str, length: int) -> Maker:
    """Return a maker of card numbers of one brand."""

    def make(random: Random) -> str:
        body = prefix + "".join(random.choice("0123456789") for _ in range(length - len(prefix) - 1))
        return body + luhn.calc_check_digit(body)

    return make


def grouped(maker: Maker, *sizes: int, by: str = " ") -> Maker:
    """Return a maker of the same values in groups."""

    def make(random: Random) -> str:
        value, parts = maker(random), []
        for size in sizes:
            parts.append(value[:size])
            value = value[size:]
        return by.join([*parts, value] if value else parts)

    return make


def account(country: str, template: str) -> Maker:
    """Return a maker of IBANs: # is a digit, A a letter."""

    def make(random: Random) -> str:
        body = _fill(random, template)
        return country + mod_97_10.calc_check_digits(body + country) + body

    return make


def checked(template: str, check: Callable[[str], bool]) -> Maker:
    """Return a maker that fills a template until the number's own check passes."""

    def make(random: Random) -> str:
        for _ in range(_TRIES):
            value = _fill(random, template)
            if check(value):
                return value
        message = f"no valid number in {_TRIES} tries for {template}"
        raise ValueError(message)

    return make


def ssn(random: Random) -> str:
    area = random.choice([number for number in range(130, 899) if number != 666])
    return f"{area}-{random.randrange(11, 99)}-{random.randrange(1000, 9999)}"


def address4(random: Random) -> str:
    while True:
        address = ipaddress.IPv4Address(random.randrange(31 << 24, 223 << 24))
        if address.is_global:
            return str(address)


def address6(random: Random) -> str:
    return str(
        ipaddress.IPv6Address(
            (random.choice((0x2A03, 0x2603, 0x240B)) << 112) | (random.getrandbits(40) << 72) | random.getrandbits(60)
        )
    )


def day(template: str) -> Maker:
    """Return a maker of dates: Y, M and D stand for year, month and day."""

    def make(random: Random) -> str:
        year, month, number = random.randrange(1950, 2005), random.randrange(1, 13), random.randrange(1, 29)
        return template.replace("Y", str(year)).replace("M", f"{month:02d}").replace("D", f"{number:02d}")

    return make


def _fill(random: Random, template: str) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return "".join(
        random.choice("0123456789") if c == "#" else random.choice(letters) if c == "A" else c for c in template
    )


VISA: Final = card("4", 16)
MASTER: Final = card("54", 16)
AMEX: Final = card("37", 15)

# Name, word before it, value.
IDENTITIES: Final[tuple[tuple[str, str, Maker], ...]] = (
    ("social security number", "SSN", ssn),
    ("national insurance", "National Insurance number", phone("JG ## ## ## C")),
    ("health service", "NHS number", checked("### ### ####", nhs.is_valid)),
    ("Brazil", "CPF", checked("###.###.###-##", cpf.is_valid)),
    ("Spain", "DNI", checked("########A", dni.is_valid)),
    ("Spain, foreigner", "NIE", checked("X#######A", nie.is_valid)),
    ("France", "numéro de sécu", checked("2 75 03 75 116 005 ##", nir.is_valid)),
    ("Netherlands", "BSN", checked("#########", bsn.is_valid)),
    ("Poland", "PESEL", checked("850312#####", pesel.is_valid)),
    ("Germany", "Steuer-ID", checked("###########", idnr.is_valid)),
    ("India", "Aadhaar", checked("#### #### ####", aadhaar.is_valid)),
    ("India, tax", "PAN card", checked("AAAPA####A", pan.is_valid)),
    ("Canada", "SIN", checked("5##-###-###", sin.is_valid)),
    ("Italy", "codice fiscale", checked("BRNGNN80A41H501A", codicefiscale.is_valid)),
    ("Romania", "CNP", checked("2850312######", cnp.is_valid)),
    ("Sweden", "personnummer", checked("850312-####", personnummer.is_valid)),
    ("Norway", "fødselsnummer", checked("120385#####", fodselsnummer.is_valid)),
    ("Denmark", "CPR-nr", checked("120385-####", cpr.is_valid)),
    ("Finland", "hetu", checked("120385-###A", hetu.is_valid)),
    ("Switzerland", "AHV-Nr", checked("756.####.####.##", ahv.is_valid)),
    ("Czechia", "rodné číslo", checked("855312/####", rc.is_valid)),
    ("Belgium", "rijksregisternummer", checked("85.03.12-###.##", nn.is_valid)),
    ("Türkiye", "TC kimlik no", checked("1##########", tckimlik.is_valid)),
    ("Australia", "TFN", checked("### ### ###", tfn.is_valid)),
    ("passport", "passport no.", phone("C########")),
)
