"""Encryption of everything that Temporal keeps: AES-256-GCM, the key's id in the clear beside each payload."""

import os
from base64 import b64decode
from collections.abc import Sequence

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

from kapelle.settings import Secret

ENCODING = b"binary/encrypted"
NONCE_BYTES = 12


class UnknownKey(Exception):
    """A payload was encrypted with a key that this process does not have. The message names the key's id."""


class EncryptionCodec(PayloadCodec):
    """Encrypts with the first key, decrypts with any. Payloads that are not encrypted pass through on decoding."""

    def __init__(self, keys: Secret) -> None:
        pairs = [part.strip().partition(":") for part in keys.value.split(",")]
        self._ciphers = {key_id: AESGCM(b64decode(encoded)) for key_id, _, encoded in pairs}
        self._newest = pairs[0][0]

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._encrypt(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._decrypt(payload) for payload in payloads]

    def _encrypt(self, payload: Payload) -> Payload:
        nonce = os.urandom(NONCE_BYTES)
        key_id = self._newest.encode()
        sealed = self._ciphers[self._newest].encrypt(nonce, payload.SerializeToString(), key_id)
        return Payload(metadata={"encoding": ENCODING, "key": key_id}, data=nonce + sealed)

    def _decrypt(self, payload: Payload) -> Payload:
        if payload.metadata.get("encoding") != ENCODING:
            return payload
        key_id = payload.metadata["key"]
        cipher = self._ciphers.get(key_id.decode())
        if cipher is None:
            raise UnknownKey(f"no payload key '{key_id.decode()}'")
        return Payload.FromString(cipher.decrypt(payload.data[:NONCE_BYTES], payload.data[NONCE_BYTES:], key_id))
