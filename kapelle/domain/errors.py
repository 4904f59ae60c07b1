"""Faults: what went wrong, as a stable code and one sentence that a person in a chat can act on."""


class Fault(Exception):
    """The base of everything that the product refuses or cannot do.

    `code` is the contract, the message may change. No message holds memory text or a secret.
    """

    code = "fault"
    # Trying the same again cannot help.
    permanent = True
    # Seconds to wait before trying again, where the other side says so.
    retry_after: float | None = None

    @property
    def message(self) -> str:
        return str(self.args[0]) if self.args else self.code


class InvalidRequest(Fault):
    """The request is malformed, or a value in it is out of bounds."""

    code = "invalid_request"


class NotAllowed(Fault):
    """The caller may not do this."""

    code = "not_allowed"


class NotFound(Fault):
    """No such entry, team, person or operation, as far as the caller may know."""

    code = "not_found"


class Refused(Fault):
    """The write was understood and must not be stored."""

    code = "refused"


class ScanFailed(Fault):
    """The scan could not say whether a text may be stored, so that it is not stored.

    `where` names an error's type and its place in the code, never text.
    """

    code = "scan_failed"
    permanent = False

    def __init__(self, message: str, *, where: str) -> None:
        super().__init__(message)
        self.where = where


class Conflict(Fault):
    """The state has moved on, or an idempotency key was used for another request."""

    code = "conflict"


class BrokenLedger(Fault):
    """Rows do not agree with the ledger: somebody changed them past the product."""

    code = "broken_ledger"


class StillRunning(Fault):
    """The same request is under way, and has no answer yet."""

    code = "still_running"
    permanent = False


class NotYet(Fault):
    """The operation is part of the contract and not available in this release."""

    code = "not_yet"


class Unavailable(Fault):
    """A part that the operation needs does not answer. Nothing was stored."""

    code = "unavailable"
    permanent = False
