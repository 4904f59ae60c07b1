"""The connection to Temporal: encrypted payloads and failures, address and keys from Temporal's own settings."""

import asyncio
import dataclasses
from collections.abc import Mapping
from datetime import timedelta

from temporalio.client import Client
from temporalio.converter import DataConverter, DefaultFailureConverterWithEncodedAttributes
from temporalio.envconfig import ClientConfig
from temporalio.service import GrpcCompression, RPCError

from kapelle.domain.errors import Unavailable
from kapelle.durable.codec import EncryptionCodec
from kapelle.durable.converter import MessageConverter
from kapelle.settings import Secret

CONNECT_ATTEMPTS = 40
CONNECT_PAUSE = timedelta(milliseconds=250)


def data_converter(payload_keys: Secret) -> DataConverter:
    """Return the converter that encrypts payloads and the messages and traces of failures."""
    return dataclasses.replace(
        DataConverter.default,
        payload_converter_class=MessageConverter,
        payload_codec=EncryptionCodec(payload_keys),
        failure_converter_class=DefaultFailureConverterWithEncodedAttributes,
    )


async def connect(env: Mapping[str, str], payload_keys: Secret, *, identity: str) -> Client:
    """Connect to the server that `TEMPORAL_*` variables of `env` name.

    An open port is not yet a healthy server, so that a start beside it is tried for some seconds.

    Raises:
        Unavailable: when the server does not answer in time.
    """
    config = ClientConfig.load_client_connect_config(override_env_vars=dict(env))
    for attempt in range(CONNECT_ATTEMPTS):
        try:
            return await Client.connect(
                **config,
                data_converter=data_converter(payload_keys),
                identity=identity,
                grpc_compression=_compression(config.get("target_host", "")),
            )
        except (RuntimeError, RPCError):
            if attempt + 1 == CONNECT_ATTEMPTS:
                break
            await asyncio.sleep(CONNECT_PAUSE.total_seconds())
    raise Unavailable("Temporal does not answer")


def _compression(target: str) -> GrpcCompression:
    """Leave compression off on loopback, where it costs processor time and saves nothing."""
    local = target.rpartition(":")[0] in {"", "127.0.0.1", "localhost"}
    return GrpcCompression.NONE if local else GrpcCompression.GZIP
