"""How a run of the client ends: its exit codes, and the failures that lead to them."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the shell sees. The numbers are a contract with scripts."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 3
    NO_ANSWER = 4
    INTERRUPTED = 130


class ClientFault(Exception):
    """Ends the run with one sentence on standard error and an exit code."""

    exit_code = ExitCode.REFUSED


class UsageFault(ClientFault):
    """The command line, the environment or the home does not say enough, or contradicts itself."""

    exit_code = ExitCode.USAGE


class Unreachable(ClientFault):
    """The request did not reach the service, so nothing happened."""

    exit_code = ExitCode.UNREACHABLE


class NoAnswer(ClientFault):
    """The request was sent and no usable answer came: whether it took effect is unknown."""

    exit_code = ExitCode.NO_ANSWER


class Interrupted(ClientFault):
    """The person stopped waiting: whether the request took effect is unknown."""

    exit_code = ExitCode.INTERRUPTED
