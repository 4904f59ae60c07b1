"""What an operation is to the doors."""

from collections.abc import Awaitable, Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any

from kapelle.domain.callers import Role
from kapelle.operations.results import Result
from kapelle.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation: its command and name on the wire, its request, and whether it only reads.

    A request is a dataclass of strings whose fields are the positional arguments, in their order.
    """

    command: str
    name: str
    request: type[Any]
    run: Callable[[Any, Any, Services], Awaitable[Result]]
    reads: bool = False
    # The least role of a person. What needs more than a member's is closed to agents.
    needs: Role = Role.MEMBER

    def usage(self) -> str:
        """Return the arguments as a caller writes them; `?` marks what may be left out."""
        parts = [f'"{self.name}"']
        parts += [field.name if field.default is MISSING else f"{field.name}?" for field in fields(self.request)]
        return f"[{', '.join(parts)}]"
