"""One team with one repository: entries in, exports out, and a look at what was and was not written."""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from kapelle.domain.exports import BRANCH
from kapelle.domain.rules.rendering import PATH
from tests.doubles.github.repository import PullRequest, Repository
from tests.doubles.github.server import GitHubDouble
from tests.memory import PERSON, Memory

RESET = f"PATCH git/refs/heads/{BRANCH}"
CREATE = "POST git/refs"
PUT = f"PUT contents/{PATH}"
OPEN = "POST pulls"
FIRST = [CREATE, PUT, OPEN]
AGAIN = [RESET, PUT, OPEN]
ON_TOP = [PUT]
NOTHING: list[str] = []


@dataclass(kw_only=True)
class Scene:
    """A team, its repository at the double, and the service between them."""

    memory: Memory
    github: GitHubDouble
    repository: Repository
    team: str
    _seen: int = field(default=0)

    @property
    def linked(self) -> str:
        """The repository's address as people link it."""
        return f"https://{self.github.place}/{self.repository.name}"

    def url(self, number: int = 1) -> str:
        return f"{self.github.web}/{self.repository.name}/pull/{number}"

    async def ask(self, *args: str, **fields: Any) -> dict[str, Any]:
        headers = fields.pop("headers", None)
        request = {"command": "memory", "team": self.team, "args": args, "user": PERSON} | fields
        return await self.memory.send(json.dumps(request).encode(), headers)

    async def add(self, title: str, body: str = "A body that says something.", kind: str = "gotcha") -> str:
        reply = await self.ask("add", kind, title, f"{body} {uuid.uuid4().hex}")
        assert reply["ok"], reply
        return str(reply["text"]).split()[1]

    async def change(self, entry_id: str) -> str:
        reply = await self.ask("edit", entry_id, "gotcha", "Changed", f"Something else {uuid.uuid4().hex}")
        assert reply["ok"], reply
        return str(reply["text"]).split()[1]

    async def export(self, **fields: Any) -> str:
        """Export as a pull request and return the text of the reply, which has no entries."""
        reply = await self.ask("export", "pr", **fields)
        assert reply["ok"], reply
        assert "entries" not in reply, reply
        return str(reply["text"])

    async def fall_back(self) -> str:
        """Export where no pull request can be made, and return the reason; all entries come as text."""
        reply = await self.ask("export", "pr")
        plain = await self.ask("export")
        assert reply["ok"], reply
        assert reply["entries"] == plain["entries"]
        start = f"{plain['text']} (no pull request: "
        assert reply["text"].startswith(start), reply
        return str(reply["text"]).removeprefix(start).removesuffix(")")

    def written(self) -> list[str]:
        """Return what was written since the last look, in order, as method and path within the repository."""
        return [f"{one.method} {one.path.split('/', 4)[-1]}" for one in self._new() if one.wrote]

    def requests(self) -> int:
        """Return how many requests there were since the last look."""
        return len(self._new())

    def _new(self) -> list[Any]:
        asked = self.github.asked(self.repository)
        new, self._seen = asked[self._seen :], len(asked)
        return new

    def file(self, branch: str = BRANCH) -> str | None:
        git = self.repository.git
        entry = git.entry(git.head(branch) or "", PATH)
        return None if entry is None else git.content(entry.sha).decode()

    def pull(self, number: int = 1) -> PullRequest:
        return next(pull for pull in self.repository.pulls if pull.number == number)

    def commits(self, number: int = 1) -> int:
        """Return how many commits a pull request has."""
        base = self.repository.git.head(self.pull(number).base) or ""
        return self.repository.git.ahead_behind(base, self.pull(number).head_sha)[0]

    def mergeable(self, number: int = 1) -> bool:
        return self.repository.mergeable(self.pull(number))

    async def forget_record(self) -> None:
        """Lose what is known of the last finished export."""
        await self.memory.rows(
            "delete from ibex_core.exports where team_id = (select team_id from ibex_core.teams where slug = $1)",
            self.team,
        )

    async def record(self) -> dict[str, Any] | None:
        rows = await self.memory.rows(
            "select x.* from ibex_core.exports as x join ibex_core.teams using (team_id) where slug = $1", self.team
        )
        return rows[0] if rows else None
