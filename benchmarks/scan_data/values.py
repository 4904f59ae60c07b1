"""Values that look like credentials, drawn from a seed by format; none is or was real."""

import base64
import json
import string
import zlib
from random import Random
from typing import Final

from kapelle.domain.rules.scan.checksums import crc16

ALNUM: Final = string.ascii_letters + string.digits
URL_SAFE: Final = ALNUM + "-_"
HEX: Final = "0123456789abcdef"
BASE32: Final = string.ascii_uppercase + "234567"
_BASE62: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_WORDS: Final = (
    "otter pepper lagoon bramble velvet canyon tulip rocket sparrow maple biscuit glacier hammock pickle thunder "
    "walrus meteor cactus fiddle mango pebble saffron tango window yonder acorn beacon cobbler dolphin eclipse"
).split()
_LEET: Final = str.maketrans("aeiost", "431057")
_SYMBOLS: Final = "!#$%&*?@^+="


def seeded(seed: object) -> Random:
    """Return the source of chance of one case."""
    return Random(str(seed))


def draw(random: Random, alphabet: str, length: int) -> str:
    """Return characters that surely hold a letter and a digit."""
    while True:
        text = "".join(random.choice(alphabet) for _ in range(length))
        if any(c.isdigit() for c in text) and any(c.isalpha() for c in text):
            return text


def machine(random: Random) -> str:
    """Return a key without a shape of its own."""
    alphabet, length = random.choice(
        ((ALNUM, 32), (ALNUM, 40), (URL_SAFE, 43), (HEX, 32), (HEX, 40), (HEX, 64), (ALNUM + "+/", 44), (ALNUM, 24))
    )
    return draw(random, alphabet, length)


def uuid(random: Random) -> str:
    """Return a random UUID."""
    text = draw(random, HEX, 32)
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def password(random: Random) -> str:
    """Return a password as people type them."""
    first, second = random.sample(_WORDS, 2)
    number = random.randrange(10, 9_999)
    symbol = random.choice(_SYMBOLS)
    return random.choice(
        (
            f"{first.capitalize()}{number}{symbol}",
            f"{first}{number}",
            f"{first.capitalize()}{number}",
            f"{first}-{second.capitalize()}-{number}",
            f"{first.translate(_LEET).capitalize()}{symbol}{second}",
            f"{first.capitalize()}{symbol}{second.capitalize()}{number % 100}",
            f"{first.upper()[:3]}{number}{second[:4]}{random.choice(_SYMBOLS)}",
            f"{first.capitalize()}.{second}{number}{symbol}",
            draw(random, ALNUM + "!#%^*", 14),
            draw(random, ALNUM, 12),
            f"{symbol}{first.capitalize()}{number}",
            f"{first.translate(_LEET)}{second.translate(_LEET)}{number % 100}",
        )
    )


def _base62(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 62)
        digits = _BASE62[digit] + digits
    return digits.rjust(6, "0")


def checked(random: Random, prefix: str, length: int = 36) -> str:
    """Return a token that ends with the CRC32 of its body, as GitHub's and npm's do."""
    body = draw(random, ALNUM, length - 6)
    return prefix + body + _base62(zlib.crc32(body.encode()))


def nkey_seed(random: Random, role: int = 20 << 3) -> str:
    """Return a NATS seed of a role (user, unless said otherwise)."""
    data = bytes([(18 << 3) | (role >> 5), (role & 31) << 3]) + random.randbytes(32)
    return base64.b32encode(data + crc16(data).to_bytes(2, "little")).decode().rstrip("=")


def nkey_public(random: Random, role: int = 20 << 3) -> str:
    """Return a NATS public key."""
    data = bytes([role]) + random.randbytes(32)
    return base64.b32encode(data + crc16(data).to_bytes(2, "little")).decode().rstrip("=")


def base64_of(random: Random, size: int) -> str:
    """Return random bytes in base64."""
    return base64.b64encode(random.randbytes(size)).decode()


def pem(random: Random, label: str, size: int) -> str:
    """Return a PEM block with a random body."""
    body = base64_of(random, size)
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    dashes = "-" * 5
    return f"{dashes}BEGIN {label}{dashes}\n{lines}\n{dashes}END {label}{dashes}"


def jwt(random: Random) -> str:
    """Return a signed JSON web token."""

    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    header = part(json.dumps({"alg": "ES256", "typ": "JWT", "kid": draw(random, HEX, 8)}))
    claims = part(json.dumps({"iss": "auth.internal", "sub": draw(random, HEX, 12), "exp": 1_999_999_999}))
    return f"{header}.{claims}.{draw(random, URL_SAFE, 86)}"
