"""The `kapelle team` sub-commands."""

from argparse import ArgumentParser, Namespace

from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.commands import Group, Subcommand, View, no_arguments, nothing, number


def _declare_slug(parser: ArgumentParser) -> None:
    parser.add_argument("slug", metavar="TEAM", help="the team's short name, such as payments")


def _slug(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return (str(given.slug),)


def _declare_new(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="the team's full name")


def _new(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return (str(given.slug), str(given.name)) if given.name else (str(given.slug),)


def _declare_repository(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("url", metavar="URL", help="the repository that exports go to")


def _repository(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.slug), str(given.url)


def _declare_person(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("person", metavar="PERSON", help="the person's id")


def _person(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.slug), str(given.person)


def _declare_member(parser: ArgumentParser) -> None:
    _declare_person(parser)
    parser.add_argument("role", metavar="ROLE", nargs="?", default="", help="viewer, member or maintainer")


def _member(given: Namespace, _: Bodies) -> tuple[str, ...]:
    role = (str(given.role),) if given.role else ()
    return str(given.slug), str(given.person), *role


def _declare_agent(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("agent", metavar="AGENT", help="the agent's name in the team, such as coder")


def _agent(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.slug), str(given.agent)


def _declare_token(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("holder", metavar="HOLDER", help="whose it is: agent:coder, or person:ada")
    parser.add_argument("--scopes", metavar="SCOPES", default="", help="of read, propose, curate, admin, by commas")
    parser.add_argument("--days", metavar="DAYS", default="90", help="how long it lasts (90), or never")
    parser.add_argument("--purpose", metavar="TEXT", default="", help="what it is for")


def _token(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.slug), str(given.holder), str(given.scopes), str(given.days), str(given.purpose)


def _declare_token_id(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("token", metavar="ID", help="the token's number, as list-tokens shows it")


def _token_id(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.slug), number(given.token, "token id")


def _declare_host(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("host", metavar="HOST", help="a host, or *.host for all below it")


def _host(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.slug), str(given.host)


def _declare_policy(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("policy", metavar="POLICY", help="redact, reject, quarantine, off, or default")


def _policy(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.slug), str(given.policy)


def _declare_language(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("language", metavar="LANGUAGE", help="such as german; simple leaves words as they are")


def _language(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.slug), str(given.language)


def _declare_schedule(parser: ArgumentParser) -> None:
    _declare_slug(parser)
    parser.add_argument("every", metavar="EVERY", choices=("daily", "weekly", "off"), help="daily, weekly or off")


def _schedule(given: Namespace, _: Bodies) -> tuple[str, ...]:
    return str(given.slug), str(given.every)


_TEAMS = (
    Subcommand(
        name="create",
        summary="create a team",
        examples=("kapelle team create payments", "kapelle team create payments 'Payments and invoices'"),
        declare=_declare_new,
        arguments=_new,
    ),
    Subcommand(
        name="list",
        summary="show all teams",
        examples=("kapelle team list",),
        declare=nothing,
        arguments=no_arguments,
        view=View.LINES,
    ),
    Subcommand(
        name="show",
        summary="show a team's repository and members",
        examples=("kapelle team show payments",),
        declare=_declare_slug,
        arguments=_slug,
        view=View.LINES,
    ),
    Subcommand(
        name="link-repo",
        summary="link the repository that the team's memory is exported to",
        examples=("kapelle team link-repo payments https://github.com/acme/payments",),
        declare=_declare_repository,
        arguments=_repository,
    ),
    Subcommand(
        name="export-schedule",
        summary="export a team's memory by itself, whenever it has changed",
        examples=("kapelle team export-schedule payments daily", "kapelle team export-schedule payments off"),
        declare=_declare_schedule,
        arguments=_schedule,
    ),
)

_MEMBERS = (
    Subcommand(
        name="add-member",
        summary="add a person to a team, or change their role",
        examples=("kapelle team add-member payments ada", "kapelle team add-member payments ada maintainer"),
        declare=_declare_member,
        arguments=_member,
    ),
    Subcommand(
        name="remove-member",
        summary="remove a person from a team",
        examples=("kapelle team remove-member payments ada",),
        declare=_declare_person,
        arguments=_person,
    ),
    Subcommand(
        name="add-agent",
        summary="add an agent to a team; its token is shown once",
        examples=("kapelle team add-agent payments coder",),
        declare=_declare_agent,
        arguments=_agent,
    ),
    Subcommand(
        name="remove-agent",
        summary="remove an agent from a team, with its tokens",
        examples=("kapelle team remove-agent payments coder",),
        declare=_declare_agent,
        arguments=_agent,
    ),
)

_TOKENS = (
    Subcommand(
        name="create-token",
        summary="make an access token for an agent or a member; it is shown once",
        examples=(
            "kapelle team create-token payments agent:coder",
            "kapelle team create-token payments person:ada --scopes read,curate --days 30 --purpose laptop",
        ),
        declare=_declare_token,
        arguments=_token,
    ),
    Subcommand(
        name="list-tokens",
        summary="show the access tokens of a team's agents and members",
        examples=("kapelle team list-tokens payments",),
        declare=_declare_slug,
        arguments=_slug,
        view=View.LINES,
    ),
    Subcommand(
        name="revoke-token",
        summary="revoke an access token at once",
        examples=("kapelle team revoke-token payments 7",),
        declare=_declare_token_id,
        arguments=_token_id,
    ),
)

_POLICIES = (
    Subcommand(
        name="allow-host",
        summary="let a team's entries link to a host",
        examples=("kapelle team allow-host payments docs.acme.test",),
        declare=_declare_host,
        arguments=_host,
    ),
    Subcommand(
        name="disallow-host",
        summary="take back that a team's entries may link to a host",
        examples=("kapelle team disallow-host payments docs.acme.test",),
        declare=_declare_host,
        arguments=_host,
    ),
    Subcommand(
        name="language",
        summary="choose the language by whose endings a team's words are told apart",
        examples=("kapelle team language payments german",),
        declare=_declare_language,
        arguments=_language,
    ),
    Subcommand(
        name="personal-data",
        summary="decide what happens to personal data in a team's entries",
        examples=("kapelle team personal-data payments redact",),
        declare=_declare_policy,
        arguments=_policy,
    ),
)

GROUP = Group(
    name="team",
    summary="teams, their repositories, members, agents and rules",
    description="Create and look after teams, their repositories, members, agents and rules.",
    subcommands=(*_TEAMS, *_MEMBERS, *_TOKENS, *_POLICIES),
)
