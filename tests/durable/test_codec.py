"""The codec of Temporal's payloads: round trip, rotation, tampering."""

import base64

import pytest
from cryptography.exceptions import InvalidTag
from hypothesis import given, settings
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload

from kapelle.durable.codec import ENCODING, NONCE_BYTES, EncryptionCodec, UnknownKey
from kapelle.settings import Secret
from tests.memory import PAYLOAD_KEYS

OLD, NEW = (f"{name}:{base64.b64encode(name.encode() * 8).decode()}" for name in ("2025", "2026"))
TEXT = b"a memory that must not be read"
PAYLOAD = Payload(metadata={"encoding": b"json/plain", "messageType": b"x"}, data=TEXT)


def codec(keys: str = PAYLOAD_KEYS) -> EncryptionCodec:
    return EncryptionCodec(Secret(keys))


@settings(max_examples=50)
@given(
    data=st.binary(max_size=2000), metadata=st.dictionaries(st.text(max_size=20), st.binary(max_size=50), max_size=4)
)
async def test_any_payload_comes_back_as_it_was(data: bytes, metadata: dict[str, bytes]) -> None:
    payload = Payload(metadata=metadata, data=data)

    assert await codec().decode(await codec().encode([payload, PAYLOAD])) == [payload, PAYLOAD]


async def test_nothing_of_a_payload_is_readable_but_that_it_is_encrypted_and_by_which_key() -> None:
    (sealed,) = await codec(NEW).encode([PAYLOAD])

    assert dict(sealed.metadata) == {"encoding": ENCODING, "key": b"2026"}
    assert TEXT not in sealed.SerializeToString()
    assert b"json/plain" not in sealed.SerializeToString()


async def test_the_same_payload_is_never_sealed_the_same_way_twice() -> None:
    first, second = await codec().encode([PAYLOAD, PAYLOAD])

    assert first.data != second.data
    assert first.data[:NONCE_BYTES] != second.data[:NONCE_BYTES]


async def test_after_a_rotation_the_new_key_seals_and_the_old_one_still_opens() -> None:
    before = await codec(OLD).encode([PAYLOAD])
    rotated = codec(f"{NEW}, {OLD}")
    (after,) = await rotated.encode([PAYLOAD])

    assert after.metadata["key"] == b"2026"
    assert await rotated.decode([*before, after]) == [PAYLOAD, PAYLOAD]


async def test_a_payload_of_a_dropped_key_is_an_error_that_names_the_key() -> None:
    before = await codec(OLD).encode([PAYLOAD])

    with pytest.raises(UnknownKey, match="2025"):
        await codec(NEW).decode(before)


async def test_another_key_under_the_same_name_opens_nothing() -> None:
    sealed = await codec(OLD).encode([PAYLOAD])
    impostor = f"2025:{base64.b64encode(bytes(32)).decode()}"

    with pytest.raises(InvalidTag):
        await codec(impostor).decode(sealed)


@pytest.mark.parametrize("place", [0, NONCE_BYTES - 1, NONCE_BYTES, -1], ids=["nonce", "nonce end", "text", "tag"])
async def test_a_changed_bit_is_detected(place: int) -> None:
    (sealed,) = await codec().encode([PAYLOAD])
    data = bytearray(sealed.data)
    data[place] ^= 1

    with pytest.raises(InvalidTag):
        await codec().decode([Payload(metadata=dict(sealed.metadata), data=bytes(data))])


async def test_a_payload_relabelled_as_another_keys_is_detected() -> None:
    # Both names hold the same key, so that only the name can be wrong.
    key = OLD.partition(":")[2]
    both = codec(f"2025:{key},2026:{key}")
    (sealed,) = await both.encode([PAYLOAD])

    with pytest.raises(InvalidTag):
        await both.decode([Payload(metadata={"encoding": ENCODING, "key": b"2026"}, data=sealed.data)])


async def test_a_payload_that_was_cut_is_detected() -> None:
    (sealed,) = await codec().encode([PAYLOAD])

    with pytest.raises(InvalidTag):
        await codec().decode([Payload(metadata=dict(sealed.metadata), data=sealed.data[:-1])])


async def test_payloads_from_before_encryption_pass_through() -> None:
    assert await codec().decode([PAYLOAD]) == [PAYLOAD]
