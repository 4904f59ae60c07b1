"""The team command: its operations, who may use them, and what it refuses."""

import pytest

from tests.contract.table import Request, Row, ask, no, ok, play, row, team
from tests.memory import Memory

URL = "https://github.com/acme/<team>"
BAD_URL = no("a repository's address looks like https://github.com/acme/payments, without credentials")
SLUG = no("a team's slug has 1 to 63 lower-case letters, digits and hyphens")
PERSON = no("a person's id has 1 to 100 letters, digits and any of . _ @ + -")
AGENT_NAME = no("an agent's name has 1 to 63 lower-case letters, digits and any of . _ -")
NO_AGENTS = no("an agent cannot change teams; ask a maintainer")
OPERATIONS = (
    "create, list, show, link-repo, export-schedule, add-member, remove-member, add-agent, remove-agent, create-token, "
    "list-tokens, revoke-token, allow-host, disallow-host, language, personal-data"
)
AGENT = "agent:<team>/coder"

show = team("show", "<team>")


def shown(repo: str = "", members: str = "", agents: str = "", language: str = "english") -> dict[str, object]:
    policy = (
        "link_hosts: ",
        "personal_data: as the deployment says",
        f"language: {language}",
        "export_schedule: off",
    )
    return ok("Team <team>", f"repo_url: {repo}", f"members: {members}", f"agents: {agents}", *policy)


DOING = (
    row("created", team("create", "<team>-new"), reply=ok("Team <team>-new created.")),
    row("created with a name", team("create", "<team>-new", "The new ones"), reply=ok("Team <team>-new created.")),
    row("created by a service", team("create", "<team>-new", source="gateway"), reply=ok("Team <team>-new created.")),
    row("created twice", team("create", "<team>"), reply=no("there is a team '<team>' already")),
    row(
        "a language",
        team("language", "<team>", "German"),
        reply=ok("Words of team <team> are taken for german."),
    ),
    row("a language, then shown", team("language", "<team>", "german"), show, reply=shown(language="german")),
    row("a new team has nobody", show, reply=shown()),
    row("linked", team("link-repo", "<team>", URL), reply=ok(f"Team <team> is linked to {URL}.")),
    row("linked, then shown", team("link-repo", "<team>", URL), show, reply=shown(repo=URL)),
    row(
        "linked by a clone's address",
        team("link-repo", "<team>", f" {URL}.git/ "),
        reply=ok(f"Team <team> is linked to {URL}."),
    ),
    row(
        "linked by a page's address",
        team("link-repo", "<team>", f"{URL}?tab=readme#top"),
        reply=ok(f"Team <team> is linked to {URL}."),
    ),
    row(
        "linked anew",
        team("link-repo", "<team>", URL),
        team("link-repo", "<team>", f"{URL}-two"),
        show,
        reply=shown(repo=f"{URL}-two"),
    ),
    row(
        "linked by another team",
        team("create", "<team>-new"),
        team("link-repo", "<team>-new", URL.upper().replace("HTTPS", "https").replace("<TEAM>", "<team>")),
        team("link-repo", "<team>", URL),
        reply=no("the repository belongs to team '<team>-new' already; a repository has one team"),
    ),
    row(
        "exported daily",
        team("export-schedule", "<team>", "daily"),
        reply=ok("Exports of team <team>: daily."),
    ),
    row(
        "exported weekly, then never",
        team("export-schedule", "<team>", "daily"),
        team("export-schedule", "<team>", "weekly"),
        team("export-schedule", "<team>", "off"),
        team("export-schedule", "<team>", "off"),
        show,
        reply=shown(),
    ),
    row(
        "exported hourly",
        team("export-schedule", "<team>", "hourly"),
        reply=no("the schedule must be daily, weekly or off"),
    ),
    row("a member", team("add-member", "<team>", "eve"), reply=ok("eve is a member of team <team>.")),
    row("a viewer", team("add-member", "<team>", "eve", "viewer"), reply=ok("eve is a viewer of team <team>.")),
    row(
        "a maintainer",
        team("add-member", "<team>", "eve", "maintainer"),
        reply=ok("eve is a maintainer of team <team>."),
    ),
    row(
        "a member by a mail address",
        team("add-member", "<team>", "eve@example.com"),
        reply=ok("eve@example.com is a member of team <team>."),
    ),
    row(
        "another role",
        team("add-member", "<team>", "eve"),
        team("add-member", "<team>", "eve", "viewer"),
        show,
        reply=shown(members="eve (viewer)"),
    ),
    row(
        "members in order",
        team("add-member", "<team>", "zoe"),
        team("add-member", "<team>", "eve", "maintainer"),
        show,
        reply=shown(members="eve (maintainer), zoe (member)"),
    ),
    row(
        "removed",
        team("add-member", "<team>", "eve"),
        team("remove-member", "<team>", "eve"),
        reply=ok("eve was removed from team <team>."),
    ),
    row(
        "removed, then shown",
        team("add-member", "<team>", "eve"),
        team("remove-member", "<team>", "eve"),
        show,
        reply=shown(),
    ),
    row(
        "who was removed may no more",
        team("add-member", "<team>", "eve"),
        team("remove-member", "<team>", "eve"),
        ask("list", user="eve"),
        reply=no("'eve' is not a member of team '<team>'"),
    ),
    row(
        "who was added may",
        team("add-member", "<team>", "eve"),
        ask("list", user="eve"),
        reply=ok("0 entries", listed=True),
    ),
    row("nobody to remove", team("remove-member", "<team>", "eve"), reply=no("'eve' is not a member of team '<team>'")),
    row(
        "an agent is removed",
        team("add-agent", "<team>", "coder"),
        team("remove-agent", "<team>", "coder"),
        show,
        reply=shown(),
    ),
    row("no agent to remove", team("remove-agent", "<team>", "x"), reply=no("team '<team>' has no agent 'x'")),
    row(
        "a host is taken back",
        team("allow-host", "<team>", "docs.acme.test"),
        team("disallow-host", "<team>", "docs.acme.test"),
        show,
        reply=shown(),
    ),
    row(
        "a host that was never allowed",
        team("disallow-host", "<team>", "docs.acme.test"),
        reply=no("team '<team>' has not allowed docs.acme.test itself"),
    ),
    row(
        "personal data as the deployment says",
        team("personal-data", "<team>", "off"),
        team("personal-data", "<team>", "default"),
        show,
        reply=shown(),
    ),
    row(
        "an agent twice",
        team("add-agent", "<team>", "coder"),
        team("add-agent", "<team>", "coder"),
        reply=no("team '<team>' has an agent 'coder' already"),
    ),
    row(
        "an agent, then shown",
        team("add-agent", "<team>", "coder"),
        team("add-agent", "<team>", "abc"),
        show,
        reply=shown(agents="abc, coder"),
    ),
)

MANAGING = (
    ("link-repo", "<team>", URL),
    ("export-schedule", "<team>", "daily"),
    ("add-member", "<team>", "eve"),
    ("remove-member", "<team>", "mel"),
    ("add-agent", "<team>", "x"),
)

AUTHORIZATION = (
    row(
        "a member may not create",
        team("create", "<team>-new", user="mel"),
        reply=no("'mel' is not an admin of this organization"),
    ),
    row(
        "a maintainer may not create",
        team("create", "<team>-new", user="max"),
        reply=no("'max' is not an admin of this organization"),
    ),
    row(
        "a stranger may not create",
        team("create", "<team>-new", user="bob"),
        reply=no("'bob' is not an admin of this organization"),
    ),
    row("an agent may not create", team("create", "<team>-new", source=AGENT), reply=NO_AGENTS),
    row(
        "an agent may not create its own team",
        team("create", "<team>-new", source="agent:<team>-new/x"),
        reply=NO_AGENTS,
    ),
    *(row(f"an agent may not {args[0]}", team(*args, source=AGENT), reply=NO_AGENTS) for args in MANAGING),
    *(
        row(
            f"a member may not {args[0]}",
            team(*args, user="mel"),
            reply=no("'mel' is a member of team '<team>'; this needs a maintainer"),
        )
        for args in MANAGING
    ),
    *(
        row(
            f"a viewer may not {args[0]}",
            team(*args, user="vic"),
            reply=no("'vic' is a viewer of team '<team>'; this needs a maintainer"),
        )
        for args in MANAGING
    ),
    *(
        row(
            f"a stranger may not {args[0]}", team(*args, user="bob"), reply=no("'bob' is not a member of team '<team>'")
        )
        for args in MANAGING
    ),
    row(
        "a maintainer may", team("add-member", "<team>", "eve", user="max"), reply=ok("eve is a member of team <team>.")
    ),
    row(
        "a service may",
        team("add-member", "<team>", "eve", source="gateway"),
        reply=ok("eve is a member of team <team>."),
    ),
    row("a viewer may look", team("show", "<team>", user="vic"), reply=shown(members="vic (viewer)")),
    row("an agent may look at its own", team("show", "<team>", source=AGENT), reply=shown()),
    row(
        "a stranger may not look",
        team("show", "<team>", user="bob"),
        reply=no("'bob' is not a member of team '<team>'"),
    ),
    row(
        "an agent may not look at others",
        team("show", "demo", source=AGENT),
        reply=no("agent:<team>/coder works for team '<team>' and cannot speak for team 'demo'"),
    ),
    row("an agent lists its own", team("list", source=AGENT), reply=ok("1 team", "<team>")),
    row("a stranger lists none", team("list", user="bob"), reply=ok("0 teams", listed=True)),
    row(
        "somebody new lists theirs",
        team("add-member", "<team>", "only-<team>", "viewer"),
        team("list", user="only-<team>"),
        reply=ok("1 team", "<team>"),
    ),
    row("nobody asks", team("list", user=None), reply=no("the request names neither a source nor a user")),
)

REFUSING = (
    row(
        "an unknown operation",
        team("rename", "<team>", "x"),
        reply=no(f"unknown team operation; expected one of ({OPERATIONS})"),
    ),
    *(
        row(f"no such team to {args[0]}", team(args[0], "nowhere", *args[2:]), reply=no("there is no team 'nowhere'"))
        for args in (("show", ""), *MANAGING)
    ),
    *(
        row(f"a slug {slug!r}", team("create", slug), reply=SLUG)
        for slug in ("", " ", "A", "-a", "a_b", "a b", "ä", "a" * 64, "a\n", "../x")
    ),
    row("a slug at the limit", team("create", "z" * 63), reply=ok(f"Team {'z' * 63} created.")),
    row(
        "a name over the limit",
        team("create", "<team>-new", "n" * 201),
        reply=no("a team's name is one line of at most 200 characters"),
    ),
    row(
        "a name of two lines",
        team("create", "<team>-new", "a\nb"),
        reply=no("a team's name is one line of at most 200 characters"),
    ),
    *(
        row(f"a person {person!r}", team("add-member", "<team>", person), reply=PERSON)
        for person in ("", " ", "a b", "person:ada", "p" * 101, "a\n", "é")
    ),
    *(
        row(
            f"a role {role!r}",
            team("add-member", "<team>", "eve", role),
            reply=no("a role is one of viewer, member, maintainer"),
        )
        for role in ("", "admin", "Member", "none", "owner")
    ),
    *(
        row(f"an agent {name!r}", team("add-agent", "<team>", name), reply=AGENT_NAME)
        for name in ("", "A", "a/b", "a b", "a" * 64, "-a")
    ),
    *(
        row(f"a repository {url!r}", team("link-repo", "<team>", url), reply=BAD_URL)
        for url in (
            "",
            "x",
            "http://github.com/a/b",
            "https://github.com/a",
            "https://github.com/a/b/c",
            "https://u:p@github.com/a/b",
            "git@github.com:a/b.git",
            "https://[/a/b",
            "https:///a/b",
            "file:///etc/passwd",
            f"https://github.com/a/{'b' * 500}",
            "https://github.com/a/b c",
            "https://github.com/a/b\nc",
            "https://github.com/a/..",
        )
    ),
    row(
        "create without a slug",
        team("create"),
        reply=no("'create' got 0 arguments; it takes [\"create\", slug, name?], where ? marks what may be left out"),
    ),
    row("list with an argument", team("list", "x"), reply=no("'list' got 1 arguments; it takes [\"list\"]")),
    row("show of two", team("show", "a", "b"), reply=no("'show' got 2 arguments; it takes [\"show\", slug]")),
    row(
        "link-repo without an address",
        team("link-repo", "<team>"),
        reply=no("'link-repo' got 1 arguments; it takes [\"link-repo\", slug, url]"),
    ),
    row(
        "add-agent without a name",
        team("add-agent", "<team>"),
        reply=no("'add-agent' got 1 arguments; it takes [\"add-agent\", slug, name]"),
    ),
    row("a NUL in a slug", team("create", "a\0b"), reply=no("slug holds a NUL character, which cannot be stored")),
    row(
        "half a surrogate pair in a name",
        team("create", "<team>-new", "\ud83d"),
        reply=no("name holds half a surrogate pair, which is not valid text"),
    ),
)

ROWS = (*DOING, *AUTHORIZATION, *REFUSING)


@pytest.mark.parametrize("line", ROWS, ids=lambda line: line.title)
async def test_each_team_operation_answers_to_the_letter(line: Row, shared: Memory) -> None:
    reply, expected = await play(shared, line)
    assert reply == expected


async def test_an_agents_token_is_told_once_and_stored_hashed(shared: Memory) -> None:
    added: Request = team("add-agent", "<team>", "coder")
    reply, _ = await play(shared, row("an agent", added, reply=ok("")))

    said, token = reply["text"].split(": ")
    slug = said.split()[1].partition("/")[0]
    assert said == f"Agent {slug}/coder added. Its token is shown only this once"
    assert token.startswith("kap_")
    assert len(token) >= 40
    assert await shared.rows(
        "select 1 from ibex_core.access_tokens where sha256($1::bytea) = token_hash", token.encode()
    )
    for table in await shared.rows("select table_name from information_schema.tables where table_schema = 'ibex_core'"):
        name = table["table_name"]
        assert not await shared.rows(f"select 1 from ibex_core.{name} as t where t::text like '%' || $1 || '%'", token)


async def test_the_teams_that_an_admin_lists_are_all_there_are(shared: Memory) -> None:
    slugs = [one["slug"] for one in await shared.rows("select slug from ibex_core.teams order by slug")]
    assert await shared.team("list") == {"ok": True, "text": f"{len(slugs)} teams", "entries": slugs}
