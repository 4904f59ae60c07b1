"""Names that people give are kept in many places and shown to everybody, so that none may hold a credential."""

from dataclasses import fields
from typing import Any

from kapelle.domain.callers import Claim
from kapelle.domain.errors import Refused
from kapelle.domain.rules.scan import gate


def require_no_secret(**named: str | None) -> None:
    """Refuse names that hold a credential; the keys say what each is.

    Raises:
        Refused: naming which name and what it holds, never the name itself.
    """
    for what, name in named.items():
        if name and (found := gate.secret_in(name)):
            raise Refused(f"the {what.replace('_', ' ')} holds {found}; a name is shown to everybody, choose another")


def of_claim(claim: Claim) -> dict[str, str | None]:
    """Return the names that a claim brings."""
    return {"source": claim.source, "user": claim.person}


def of_request(request: Any) -> dict[str, str | None]:
    """Return what a team command would keep, all of which are names."""
    return {field.name: getattr(request, field.name) for field in fields(request)}
