"""What a sub-command works with that asks more than one question: the settings of the run, and a patient way to ask."""

import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

from kapelle.adapters.cli.config import Config, Flags
from kapelle.adapters.cli.outcomes import ClientFault, ExitCode, NoAnswer, Unreachable
from kapelle.adapters.cli.request import Reply, Request
from kapelle.adapters.cli.surroundings import Surroundings

# How long the service may be away in the middle: a process that dies is back, or replaced, well before.
PATIENCE_SECONDS = 60.0
PAUSE_SECONDS = 0.25
_UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One run's way to ask."""

    config: Config
    flags: Flags
    around: Surroundings
    ask: Callable[[Request], Reply]

    def insist(self, *arguments: str) -> Reply:
        """Ask the memory command, again and again while the service is away. For requests that are safe to repeat.

        Raises:
            ClientFault: the service refuses, or stays away.
        """
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                reply = self.ask(Request(command="memory", arguments=arguments))
            except (Unreachable, NoAnswer) as away:
                fault: ClientFault = away
            else:
                if reply.ok:
                    return reply
                fault = NoAnswer(reply.text)
                if reply.code != _UNAVAILABLE:
                    raise ClientFault(reply.text)
            if time.monotonic() > end:
                raise fault
            time.sleep(PAUSE_SECONDS)


Conversation = Callable[[Namespace, Talk], ExitCode]
