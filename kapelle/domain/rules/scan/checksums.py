"""Checks that a token of a known format carries within itself."""

import base64
import binascii
import json
import zlib
from typing import Final

_BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECK_DIGITS: Final = 6
_NKEY_SEED: Final = 18 << 3
_NKEY_ROLES: Final = frozenset({20 << 3, 0, 14 << 3, 13 << 3, 2 << 3, 23 << 3})
_NKEY_LENGTH: Final = 32
# In base32, with role and checksum.
_NKEY_PUBLIC: Final = 56
_BECH32: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_GENERATORS: Final = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def has_crc32_suffix(token: str) -> bool:
    """Say whether the last six characters are the rest's CRC32 in base 62, the prefix aside (GitHub and npm tokens)."""
    body = token.rpartition("_")[2]
    payload, check = body[:-_CHECK_DIGITS], body[-_CHECK_DIGITS:]
    return bool(payload) and check == _base62(zlib.crc32(payload.encode("utf-8", "replace")))


def _base62(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, len(_BASE62))
        digits = _BASE62[digit] + digits
    return digits.rjust(_CHECK_DIGITS, "0")


def crc16(data: bytes) -> int:
    """Return the CRC-16/XMODEM that NATS keys end with."""
    return binascii.crc_hqx(data, 0)


def is_nkey_seed(text: str) -> bool:
    """Say whether the text is a NATS seed: a private key with its role and checksum."""
    data = _nkey(text)
    return len(data) == _NKEY_LENGTH + 2 and data[0] & 0xF8 == _NKEY_SEED


def is_nkey_public(text: str) -> bool:
    """Say whether the text is a NATS public key, which anyone may see."""
    if len(text) != _NKEY_PUBLIC or not text.isupper():
        return False
    data = _nkey(text)
    return len(data) == _NKEY_LENGTH + 1 and data[0] in _NKEY_ROLES


def _nkey(text: str) -> bytes:
    """Return what precedes a right checksum, or nothing."""
    try:
        data = base64.b32decode(text + "=" * (-len(text) % 8))
    except (binascii.Error, ValueError):
        return b""
    return data[:-2] if len(data) > 2 and crc16(data[:-2]) == int.from_bytes(data[-2:], "little") else b""


def jwt_part(segment: str) -> dict[str, object] | None:
    """Return the JSON object in one dot-separated part of a JSON web token, or None."""
    try:
        value = json.loads(base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_bech32(text: str) -> bool:
    """Say whether the text (one case) ends with the right bech32 checksum, as age keys do."""
    prefix, separator, data = text.lower().rpartition("1")
    if not separator or any(character not in _BECH32 for character in data):
        return False
    codes = [ord(character) for character in prefix]
    values = [*(code >> 5 for code in codes), 0, *(code & 31 for code in codes), *map(_BECH32.index, data)]
    return _polymod(values) == 1


def _polymod(values: list[int]) -> int:
    remainder = 1
    for value in values:
        top = remainder >> 25
        remainder = (remainder & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(_BECH32_GENERATORS):
            if top >> bit & 1:
                remainder ^= generator
    return remainder
