"""Serves the command contract: one queue subscription, bounded work, one reply a request, a drain at the end."""

import asyncio
import logging

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from kapelle.adapters.errors import UNEXPECTED, sentence
from kapelle.adapters.nats import wire
from kapelle.adapters.nats.accounts import Accounts
from kapelle.adapters.slots import Slots
from kapelle.adapters.where import where
from kapelle.adapters.wording import conflicts, entry_ids, versions, words
from kapelle.domain.errors import Fault, InvalidRequest, Unavailable
from kapelle.operations import perform
from kapelle.operations.results import Exported, Found, Running, Written
from kapelle.services import Services

log = logging.getLogger(__name__)

SUBJECT = "kapelle.controller.command"
QUEUE = "controller"
# Room that a reply leaves for headers, which count against the server's limit.
HEADER_BYTES = 4096
# Room for what an operation has done so far.
STEPS_BYTES = 2048
DRAIN_SECONDS = 10
# Requests that the client may hold until they are admitted, which takes microseconds. One over it would get no reply.
PENDING_MESSAGES = 65_536


class CommandServer:
    """Answers requests on the command subject until it is closed."""

    def __init__(self, client: Client, services: Services) -> None:
        self._client = client
        self._services = services
        self._subscription: Subscription | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        settings = services.settings
        self._accounts = Accounts(
            people=settings.nats_people_account,
            agents=settings.nats_agents_account,
            doors=settings.nats_doors_account,
        )
        # Reads and writes have slots of their own, so that slow writes cannot keep reads out.
        self._slots = {True: Slots(settings.read_limit), False: Slots(settings.write_limit)}

    async def start(self) -> None:
        self._subscription = await self._client.subscribe(
            SUBJECT, queue=QUEUE, cb=self._admit, pending_msgs_limit=PENDING_MESSAGES
        )
        # The first flush may overtake the subscription, which another task of the client writes; the second cannot.
        await self._client.flush()
        await self._client.flush()

    async def close(self) -> None:
        """Take no more requests, and answer those that are here."""
        if self._subscription is not None:
            try:
                await self._subscription.drain()  # type: ignore[no-untyped-call]
            except NatsError as error:
                log.warning("the subscription could not be drained", extra={"error": type(error).__name__})
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN_SECONDS)

    async def _admit(self, message: Msg) -> None:
        """Decide at once: reading the request is quick, and the work goes on beside the next request."""
        if not message.reply:
            return
        task = asyncio.create_task(self._serve(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, message: Msg) -> None:
        headers: dict[str, str] | None = None
        try:
            reply = await self._answer(message)
        except Fault as fault:
            reply, headers = wire.refuse(sentence(fault)), {wire.ERROR_HEADER: fault.code}
        except Exception as error:  # noqa: BLE001 - the process edge: every request gets a reply.
            log.error("request failed unexpectedly", extra=where(error))  # noqa: TRY400
            reply, headers = wire.refuse(UNEXPECTED), {wire.ERROR_HEADER: Unavailable.code}
        try:
            await self._client.publish(message.reply, reply, headers=headers)
        except NatsError as error:
            log.warning("reply not sent", extra={"error": type(error).__name__})

    async def _answer(self, message: Msg) -> bytes:
        settings = self._services.settings
        limit = self._client.max_payload - HEADER_BYTES
        if len(message.data) > limit:
            raise InvalidRequest(f"the request has {len(message.data)} bytes; the limit is {limit}")
        call = wire.read(message.data, message.headers, patience=settings.reply_seconds)
        self._accounts.admit(call, message.headers)
        with self._slots[call.operation.reads]:
            result = await perform(call, self._services)
        text, entries = words(result)
        beside = {
            "ids": entry_ids(result) if call.wants_ids else None,
            "versions": versions(result) if call.wants_versions else None,
            "clear": result.clear if call.wants_clear and isinstance(result, Found) else None,
            "conflicts": conflicts(result) if call.wants_conflicts else None,
        }
        if call.wants_steps and isinstance(result, Running | Written | Exported):
            reply = wire.write(text, entries, beside, limit=limit - STEPS_BYTES)
            return wire.with_steps(reply, result.steps)
        return wire.write(text, entries, beside, limit=limit)


async def connect(url: str, *, name: str) -> Client:
    """Connect for good: reconnects are tried for ever, and a dead connection is noticed within half a minute.

    Raises:
        Unavailable: when the server does not answer at the start.
    """

    async def on_error(error: Exception) -> None:
        log.warning("NATS error", extra={"error": type(error).__name__})

    async def on_disconnect() -> None:
        log.warning("NATS connection lost")

    async def on_reconnect() -> None:
        log.warning("NATS connection is back")

    try:
        return await nats.connect(
            url,
            name=name,
            error_cb=on_error,
            disconnected_cb=on_disconnect,
            reconnected_cb=on_reconnect,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.25,
            ping_interval=10,
            max_outstanding_pings=2,
            drain_timeout=DRAIN_SECONDS,
        )
    except (NatsError, OSError) as error:
        raise Unavailable(f"NATS does not answer ({type(error).__name__})") from None
