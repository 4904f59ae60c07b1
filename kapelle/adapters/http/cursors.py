"""Where the next page of a list begins: opaque to callers, and good for the list that it was given for alone."""

import base64
import binascii
import hashlib
import hmac
import struct

from kapelle.domain.errors import InvalidRequest

_MARK = 12


def cursor(key: str, listing: str, entry_id: int) -> str:
    """Return the cursor that continues a list, which `listing` describes with whose it is, after an entry."""
    place = struct.pack(">Q", entry_id)
    return base64.urlsafe_b64encode(place + _mark(key, listing, place)).decode()


def after(key: str, listing: str, text: str) -> int:
    """Return the entry after which a list goes on.

    Raises:
        InvalidRequest: the cursor is none, or was given for another list, or to somebody else.
    """
    try:
        given = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError):
        given = b""
    place, mark = given[:8], given[8:]
    if len(place) < 8 or not hmac.compare_digest(mark, _mark(key, listing, place)):
        raise InvalidRequest("the cursor does not belong to this list; begin without one")
    entry_id: int = struct.unpack(">Q", place)[0]
    return entry_id


def _mark(key: str, listing: str, place: bytes) -> bytes:
    return hmac.digest(key.encode(), b"cursor\0" + listing.encode() + b"\0" + place, hashlib.sha256)[:_MARK]
