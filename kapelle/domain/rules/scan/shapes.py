"""What a value looks like: drawn by a machine, typed by a person, or a word of the trade."""

import re
from functools import lru_cache
from typing import Final

from kapelle.domain.rules.scan.placeholders import is_filler, is_hex, is_placeholder, is_public, is_reference, is_uuid

_MAX_TYPED: Final = 128
_MIN_MACHINE: Final = 16
_MIN_PIN: Final = 6
# A long value is judged by how it begins.
_HEAD: Final = 48

NONE: Final = 0
# A lower-case word with a number, a PIN: a password only where the sentence says so.
WEAK: Final = 1
# Mixed cases and a number, or words with a symbol between them.
MEDIUM: Final = 2
# Symbols or numbers inside of words: nothing else looks like it.
STRONG: Final = 3

_MACHINE: Final = re.compile(r"[A-Za-z0-9_\-+/=.~:!]+")
_SEPARATORS: Final = re.compile(r"[-_./:]+")
_WORD_PIECE: Final = re.compile(r"[a-z]+|[A-Z][a-z]+|[A-Z]{2,6}|[0-9]{1,6}|v[0-9]+|[a-z]{2,}[0-9]{1,3}")
_CLASSES: Final = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")

# Never a password, whatever stands before it: versions, dates, sizes, counts, addresses, and the names of algorithms,
# files and hosts.
_TECHNICAL: Final = re.compile(
    r"v?\d+(?:\.\d+)+(?:[.\-+]\w[\w.\-+]*)?|[~^<>=]=?v?\d+(?:\.[\dx*]+)*|\d+(?:[.,:/x\-]\d+)*\+?(?:[a-zA-Z]{1,3}|%"
    r"|/s|/min)?|\d{4}-\d\d-\d\dT[\d:.+Z\-]*"
    r"|\#?\d+|[\w./\-]+\#\d{2,}|PKCS\#\d+|[A-Z][A-Z0-9]{1,9}-\d+|(?:PR|MR|RFC|CVE|ADR|GH)[-\#]?[\d\-]+|rfc\d+"
    r"|(?:saml|sha|md|aes|rsa|dsa|ecdsa|ed|hs|rs|es|ps|utf|base|ipv|http|tls|ssl|oauth|argon|pbkdf|bcrypt|scrypt"
    r"|pkcs|fips|iso|hmac|fido|u2f|otp|x|h|p)-?v?\d{1,5}[a-z]{0,3}"
    r"|(?:hmac|pbkdf2?|aes|rsa|sha|argon)[-_]?\w{2,12}(?:-\w{2,8}){0,3}"
    r"|[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+|[\w\-]+(?:\.[\w\-]+)*\.(?:com|org|net|io|dev|internal|local|example|corp"
    r"|cloud|app|svc|co|ai|sh|test|[a-z]{2})"
    r"|[\w.\-]+\.(?:txt|pem|key|json|ya?ml|env|toml|ini|cfg|crt|pub|sql|gz|sh|py|js|ts|tsx|go|rs|md|html?|css|conf"
    r"|properties|log|xml|jar|large|xlarge|medium|small|micro|nano|metal)"
    r"|(?:var)?char2?\(?\d+\)?|string\d+|u?int\d+|float\d+|uuid\d?|1[Pp]assword\d?|[Aa]uth0|argon2\w{0,2}\$.*|[Kk]8s|[Kk]3s|i18n|l10n"
    r"|a11y|[Ee]2[Ee]|[Bb]2[Bb]|[Pp]2[Pp]|[Ww]eb3|[Nn]eo4j|[Ll]og4j|[Dd]3|[Oo]365|[Mm]365|[Ss]3|EC2|[Cc]2[Cc]"
    r"|[23][Ff][Aa]|MP[34]|x86(?:_64)?|amd64|arm64|aarch64|win32|(?i:id_ed25519|ed25519|curve25519|x25519|p256"
    r"|secp256k1|http/[123])"
)
# A noun and a number: a host, a release, a place in a list. Only what stands right where a password belongs may look
# like this.
_NUMBERED: Final = re.compile(
    r"(?i)(?:[a-z]+-)*(?:tier|level|step|phase|sprint|week|day|room|floor|rev|rc|alpha|beta|chrome|firefox|safari"
    r"|edge|postgres(?:ql)?|pg|mysql|redis|mongo|debian|ubuntu|rhel|centos|fedora|alpine|kernel"
    r"|db|node|host|server|vm|worker|pod|app|api|svc|team|user|line|page|chapter|section|version|port|stage|build"
    r"|release|batch|shard|replica|cluster|region|zone|rack|cell|task|job|test|case|issue|ticket|item|slot"
    r"|group"
    r"|python|py|php|java|jdk|node|ios|android|windows|macos|win|arm|gen|model|type|option|phase|milestone|epic"
    r"|story|iteration|cycle|quarter|q|fy|h|cohort|wave|ring|pool|lab|site|dc|az|env|dev|prod|staging|qa|uat|eu"
    r"|us|ap|na)[-_.]?\d{1,6}(?:[-_.]?[a-z]+)?"
)
_INNER_SYMBOL: Final = re.compile(r"[A-Za-z0-9][!#$%^&*?~§€£]+[A-Za-z0-9]")
_ANY_SYMBOL: Final = re.compile(r"[!#$%^&*?~@+=§€£]")
_LEET: Final = re.compile(r"[A-Za-z]\d+[A-Za-z]")
_HYPHENED: Final = re.compile(r"[A-Za-z]{3,}-[A-Za-z]{3,}-\d{2,}")
_IDENTIFIER: Final = re.compile(
    r"[\#.][a-z][a-z0-9_\-]*|[A-Za-z]+\d*(?:_[A-Za-z0-9]+){2,}|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[a-z][a-z0-9]*(?:_[a-z0-9]+)+"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+(?:[A-Z][a-z]+)+\d?|(?:[A-Z][a-z]+){2,}\d?"
)


# Where words that announce a password are close together, each of them looks at the same values.
@lru_cache(maxsize=2048)
def typed_strength(value: str) -> int:
    """Return how much a value looks like a password that a person typed: NONE, WEAK, MEDIUM or STRONG."""
    if (
        not 4 <= len(value) <= _MAX_TYPED
        or is_placeholder(value)
        or is_reference(value)
        or is_public(value)
        or _TECHNICAL.fullmatch(value)
    ):
        return _pin(value)
    has_letter = any(character.isalpha() for character in value)
    has_digit = any(character.isdigit() for character in value)
    if not has_letter:
        return WEAK if has_digit and _ANY_SYMBOL.search(value) and len(value) >= _MIN_PIN else _pin(value)
    if has_digit:
        return _mixed_strength(value)
    return MEDIUM if _INNER_SYMBOL.search(value) and len(value) >= _MIN_PIN else NONE


def _pin(value: str) -> int:
    return (
        WEAK
        if value.isascii() and value.isdigit() and _MIN_PIN <= len(value) <= 2 * _MIN_PIN and len(set(value)) > 2
        else NONE
    )


def _mixed_strength(value: str) -> int:
    if is_uuid(value) or is_hex(value) or len(value) < 5:
        return NONE
    if _ANY_SYMBOL.search(value):
        return STRONG if not value.endswith("=") or _LEET.search(value) else MEDIUM
    runs = len(_CLASSES.findall(value))
    cased = value != value.lower() and value != value.upper()
    if cased and _HYPHENED.fullmatch(value):
        return STRONG
    if (cased and runs > 4) or len(_LEET.findall(value)) > 1:
        return STRONG
    return MEDIUM if cased or _LEET.search(value) else WEAK


def is_numbered_noun(value: str) -> bool:
    """Say whether a value is a noun of the trade with a number, such as a sprint, a host or a release."""
    return _NUMBERED.fullmatch(value) is not None


def is_identifier(value: str) -> bool:
    """Say whether a value is written as names in code are."""
    return _IDENTIFIER.fullmatch(value) is not None


def is_machine_drawn(value: str) -> bool:
    """Say whether a value looks drawn by a machine: long and mixed, neither words, a placeholder nor a reference."""
    if len(value) < _MIN_MACHINE or not _MACHINE.fullmatch(value):
        return False
    if (
        is_filler(value[:_HEAD])
        or is_placeholder(value[:_HEAD])
        or is_reference(value.lstrip("/-")[:_HEAD])
        or is_public(value)
    ):
        return False
    return not _is_wordy(value[: 4 * _HEAD]) and _is_mixed(value[: 4 * _HEAD])


def _is_wordy(value: str) -> bool:
    pieces = [piece for piece in _SEPARATORS.split(value) if piece]
    return len(pieces) > 1 and sum(len(piece) for piece in pieces if _WORD_PIECE.fullmatch(piece)) >= 0.6 * len(
        value
    ) - len(pieces)


def _is_mixed(value: str) -> bool:
    digits = sum(character.isdigit() for character in value)
    letters = sum(character.isalpha() for character in value)
    runs = len(_CLASSES.findall(value))
    if digits >= 2:
        return letters >= 2 and runs * 5 >= len(value)
    # Without numbers only an even mixture of cases is no name in camel case.
    upper = sum(character.isupper() for character in value)
    return letters >= _MIN_MACHINE and runs * 3 >= len(value) and 0.3 * letters <= upper <= 0.7 * letters
