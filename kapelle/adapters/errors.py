"""One table from faults to what each door answers."""

from kapelle.domain.errors import (
    BrokenLedger,
    Conflict,
    Fault,
    InvalidRequest,
    NotAllowed,
    NotFound,
    NotYet,
    Refused,
    ScanFailed,
    StillRunning,
    Unavailable,
)
from kapelle.providers.embeddings import EmbeddingFailed
from kapelle.providers.github_faults import GitHubFault
from kapelle.store.pool import PrivilegedRole

# Code of a fault -> HTTP status.
HTTP_STATUS = {
    InvalidRequest.code: 422,
    NotAllowed.code: 403,
    NotFound.code: 404,
    Refused.code: 422,
    ScanFailed.code: 503,
    Conflict.code: 409,
    BrokenLedger.code: 409,
    StillRunning.code: 409,
    NotYet.code: 501,
    Unavailable.code: 503,
    EmbeddingFailed.code: 503,
    GitHubFault.code: 502,
    PrivilegedRole.code: 500,
}

UNEXPECTED = "something went wrong on the memory service's side; the request may be tried again"


def sentence(fault: Fault) -> str:
    """Return a fault's message as one line."""
    return " ".join(fault.message.split())
