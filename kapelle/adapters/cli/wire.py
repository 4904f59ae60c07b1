"""One request and its reply over NATS. Importing this costs half a second, so only a run that asks does."""

import asyncio

from nats import errors
from nats.aio.client import Client

from kapelle.adapters.cli.config import Config
from kapelle.adapters.cli.outcomes import ClientFault, NoAnswer, Unreachable

SUBJECT = "kapelle.controller.command"
# Tells the service how long this caller waits, so that a slow write is answered with its operation's id in time.
TIMEOUT_HEADER = "Kapelle-Timeout-Ms"
ERROR_HEADER = "Kapelle-Error"
_CONNECT_SECONDS = 3
# The service takes a margin off for the reply's way.
SOON_MS = 1000


def ask(config: Config, request: bytes, *, soon: bool = False) -> tuple[bytes, str]:
    """Send `request` and return the one reply to it, and the code of its error if it is a refusal.

    With `soon` the service is asked to say within a second how far it is.

    Raises:
        Unreachable: nothing was sent, or nobody was there to take it.
        NoAnswer: nothing came back in time, or the connection was lost while waiting.
        ClientFault: the request is larger than the server takes.
    """
    return asyncio.run(_ask(config, request, SOON_MS if soon else int(config.timeout * 1000)))


async def _ask(config: Config, request: bytes, wait_ms: int) -> tuple[bytes, str]:
    connection = await _connect(config)
    try:
        reply = await connection.request(
            SUBJECT, request, timeout=config.timeout, headers={TIMEOUT_HEADER: str(wait_ms)}
        )
    except errors.NoRespondersError:
        raise Unreachable(
            f"nothing happened: {config.place} is there, but the memory service behind it is down"
        ) from None
    except errors.MaxPayloadError:
        raise ClientFault(f"nothing was sent: {len(request)} bytes are more than the server takes") from None
    except (errors.Error, OSError):
        raise NoAnswer(f"no answer within {config.timeout:g} s") from None
    finally:
        await connection.close()
    return reply.data, (reply.headers or {}).get(ERROR_HEADER, "")


async def _connect(config: Config) -> Client:
    connection = Client()
    try:
        await connection.connect(
            [url.strip() for url in config.nats_url.split(",")],
            name="kapelle",
            allow_reconnect=False,
            # The client tries each server again even so, sixty times unless told otherwise.
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=_CONNECT_SECONDS,
            error_cb=_quietly,
        )
    except (errors.Error, OSError, ValueError) as error:
        # A refused connection is left open otherwise.
        await connection.close()
        raise Unreachable(f"nothing was sent: {config.place} {_reason(error)}") from None
    return connection


def _reason(error: Exception) -> str:
    if "authorization" in str(error).lower():
        return "refused the user or the password"
    if isinstance(error, ValueError):
        return "is not an address that can be used"
    return "does not answer"


async def _quietly(_: Exception) -> None:
    """Replace the client's own error log: what matters is raised where it happens."""
