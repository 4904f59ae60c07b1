"""The export of a team's memory: where it goes, what became of it, and in which words."""

from dataclasses import dataclass
from enum import StrEnum

from kapelle.domain.outcomes import Code, Outcome

BRANCH = "kapelle/team-memory"
# Fixed texts: in titles and commit messages a mention notifies and a number closes an issue.
TITLE = "docs: update team memory"
COMMIT_MESSAGE = "docs: update team memory"
# Ids in the description of a pull request, of which a host takes 65,536 characters.
IDS_SHOWN = 200


class Fate(StrEnum):
    """What an export found or did."""

    OPENED = "opened"
    UPDATED = "updated"
    # Nothing to do since the last finished export, whose pull request is open, merged, or closed without merging.
    STILL_OPEN = "still open"
    MERGED = "merged"
    CLOSED = "closed"
    # The base branch holds the file already.
    UP_TO_DATE = "up to date"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An entry in the file, and the oldest entry whose place it took: itself, if it took none."""

    entry_id: int
    origin_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """The last finished export of a team to its repository: one that knows its pull request."""

    blob: str
    number: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A pull request as its host names it; number and address are never put together here."""

    number: int
    url: str


def exported(fate: Fate, pull: Pull | None, base: str, remarks: tuple[str, ...]) -> Outcome:
    """Return the end of an export that needed no help, in the words of the command contract."""
    place = "" if pull is None else f"PR #{pull.number}"
    address = "" if pull is None else f": {pull.url}"
    sentence = {
        Fate.OPENED: f"Team memory exported, {place} opened{address}",
        Fate.UPDATED: f"Team memory exported, {place} updated{address}",
        Fate.STILL_OPEN: f"Team memory unchanged, {place} still open{address}",
        Fate.MERGED: f"Team memory unchanged since {place}, which was merged{address}",
        Fate.CLOSED: f"Team memory unchanged since {place}, which was closed without merging{address}",
        Fate.UP_TO_DATE: f"Team memory on {base} is already up to date.",
    }[fate]
    hints = f" ({'; '.join(remarks)})" if remarks else ""
    return Outcome(code=Code.EXPORTED, reason=sentence + hints)


def not_exported(reason: str) -> Outcome:
    """Return the end of an export without a pull request, with the reason as a clause for people."""
    return Outcome(code=Code.NO_PULL_REQUEST, reason=reason)


def description(team: str, items: tuple[Item, ...], last: Last | None) -> str:
    """Return the text of a new pull request: counts and ids, no text of any entry."""
    before = {item.origin_id: item.entry_id for item in last.items} if last else {}
    now = {item.origin_id: item.entry_id for item in items}
    added = [entry for origin, entry in now.items() if origin not in before]
    changed = [entry for origin, entry in now.items() if origin in before and before[origin] != entry]
    removed = [entry for origin, entry in before.items() if origin not in now]
    counts = (("added", added), ("changed", changed), ("removed", removed))
    summary = ", ".join(f"{len(ids)} {what}" for what, ids in counts)
    noun = "entry" if len(items) == 1 else "entries"
    lines = [f"The memory of team `{team}`: {len(items)} {noun}; {summary}.", ""]
    lines += [f"- {what}: {_listed(ids)}" for what, ids in counts if ids]
    return "\n".join(lines).rstrip() + "\n"


def _listed(ids: list[int]) -> str:
    shown = ", ".join(map(str, sorted(ids)[:IDS_SHOWN]))
    return f"{shown}, and {len(ids) - IDS_SHOWN} more" if len(ids) > IDS_SHOWN else shown
