"""What crosses Temporal for an export: render, push the branch, open the pull request. Ids and counts, no text."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from temporalio import activity, workflow

from kapelle.domain.exports import BRANCH, Fate, Item, Pull
from kapelle.domain.outcomes import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One export of a team's memory to its repository."""

    org_id: str
    team_id: int
    team: str
    repo_url: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What the file will be: git's id of it, its size in bytes, the entries in it."""

    blob: str
    size: int
    items: tuple[Item, ...]
    # Entries that the scan does not let out.
    withheld: tuple[int, ...] = ()
    # Why there can be no pull request, as a clause for people; empty when there can.
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """An export with what it was rendered to."""

    export: Export
    rendered: Rendered


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What pushing found and did. Without a fate, a pull request is still to be opened."""

    fate: Fate | None = None
    pull: Pull | None = None
    repo_id: int = 0
    base: str = ""
    # What the branch holds now; empty when nothing was exported.
    commit: str = ""
    # The file as it was pushed, which may be newer than what was rendered first.
    blob: str = ""
    items: tuple[Item, ...] = ()
    withheld: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A pull request to open for what was pushed."""

    export: Export
    pushed: Pushed


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How an export ended: with a fate, or with an obstacle that people are told."""

    export: Export
    pushed: Pushed = Pushed()
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A team whose schedule says that it is time."""

    org_id: str
    team_id: int
    team: str


def workflow_id(export: Export) -> str:
    """Return the one id of exports to this repository and branch, so that two never run at once.

    It names the org, which must not be answered with the end of another org's export.
    """
    return f"export/{export.org_id}/{export.repo_url.removeprefix('https://').lower()}/{BRANCH}"


def schedule_id(org_id: str, team_id: int) -> str:
    return f"export-schedule/{org_id}/{team_id}"


class ExportActivities(ABC):
    """The steps of an export. All may run more than once: each looks before it acts."""

    @abstractmethod
    @activity.defn(name="export.render")
    async def render(self, export: Export) -> Rendered:
        """Render the team's current curated entries, as the scan lets them out. Reads only.

        Raises:
            Unavailable: when the database does not answer; retried.
        """

    @abstractmethod
    @activity.defn(name="export.push")
    async def push(self, task: Task) -> Pushed:
        """Bring the file to the branch, unless it is there. A second run finds what the first has done.

        Raises:
            GitHubFault: with a reason for people; permanent unless waiting can help.
        """

    @abstractmethod
    @activity.defn(name="export.open")
    async def open(self, request: Request) -> Pushed:
        """Open the branch's pull request, or find it open.

        Raises:
            GitHubFault: with a reason for people; permanent unless waiting can help.
        """

    @abstractmethod
    @activity.defn(name="export.finish")
    async def finish(self, ended: Ended) -> Outcome:
        """Record how the export ended, and the export itself if it knows its pull request. Idempotent by run."""

    @abstractmethod
    @activity.defn(name="export.due")
    async def due(self, wanted: Due) -> Export | None:
        """Return the export that a schedule should start, None when nothing has changed or nothing can be done."""


@workflow.defn(name="ExportMemory")
class ExportMemory:
    """Exports a team's memory as a pull request: render, push branch, open PR."""

    @workflow.run
    async def run(self, export: Export) -> Outcome:
        raise NotImplementedError


@workflow.defn(name="ScheduledExport")
class ScheduledExport:
    """Exports a team's memory if it has changed, and answers whether it did."""

    @workflow.run
    async def run(self, due: Due) -> bool:
        raise NotImplementedError
