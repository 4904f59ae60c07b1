"""What is typed becomes exactly one request."""

import io
import json
import re
from argparse import Namespace
from pathlib import Path

import pytest

from kapelle.adapters.cli import parser, request
from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.config import Config, Flags
from kapelle.adapters.cli.outcomes import UsageFault
from kapelle.operations import OPERATIONS

BODIES = Bodies(stdin=io.BytesIO(b"from stdin\n"), folder=Path(), editor="")


def parsed(line: str) -> Namespace:
    return parser.build().parse_args(line.split("|"))


def asked(line: str) -> list[str]:
    given = parsed(line)
    return [given.group, given.subcommand.name, *given.subcommand.arguments(given, BODIES)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("memory|search|flaky|test", ["memory", "search", "flaky test", ""]),
        ("memory|search|--kind|gotcha|flaky test", ["memory", "search", "flaky test", "gotcha"]),
        ("memory|search|--|--weird", ["memory", "search", "--weird", ""]),
        ("memory|get|12", ["memory", "get", "12"]),
        ("memory|get|#12", ["memory", "get", "12"]),
        ("memory|list", ["memory", "list"]),
        ("memory|propose|fact|T|B", ["memory", "propose", "fact", "T", "B", ""]),
        ("memory|propose|fact|T|-|-t|a|--tag|b", ["memory", "propose", "fact", "T", "from stdin", "a,b"]),
        ("memory|propose|--tag|a|fact|T|B", ["memory", "propose", "fact", "T", "B", "a"]),
        ("memory|add|fact|T|B", ["memory", "add", "fact", "T", "B", ""]),
        ("memory|accept|12", ["memory", "accept", "12"]),
        ("memory|edit|12|fact|T|B|-t|a", ["memory", "edit", "12", "fact", "T", "B", "a"]),
        ("memory|forget|12", ["memory", "forget", "12"]),
        ("memory|export", ["memory", "export"]),
        ("memory|export|--pr", ["memory", "export", "pr"]),
        ("memory|history|12", ["memory", "history", "12"]),
        ("memory|feedback|12|helpful", ["memory", "feedback", "12", "helpful"]),
        ("memory|operation|an-id", ["memory", "operation", "an-id"]),
        ("memory|scan|T|B|-t|a", ["memory", "scan", "T", "B", "a"]),
        ("memory|conflicts", ["memory", "conflicts"]),
        ("memory|resolve|3|keep-both", ["memory", "resolve", "3", "keep-both"]),
        ("memory|backfill", ["memory", "backfill"]),
        ("memory|backfill|--apply", ["memory", "backfill", "apply"]),
        ("team|create|payments", ["team", "create", "payments"]),
        ("team|create|payments|All of payments", ["team", "create", "payments", "All of payments"]),
        ("team|list", ["team", "list"]),
        ("team|show|payments", ["team", "show", "payments"]),
        ("team|link-repo|payments|https://h/a/b", ["team", "link-repo", "payments", "https://h/a/b"]),
        ("team|add-member|payments|ada", ["team", "add-member", "payments", "ada"]),
        ("team|add-member|payments|ada|viewer", ["team", "add-member", "payments", "ada", "viewer"]),
        ("team|remove-member|payments|ada", ["team", "remove-member", "payments", "ada"]),
        ("team|allow-host|payments|*.acme.test", ["team", "allow-host", "payments", "*.acme.test"]),
        ("team|disallow-host|payments|*.acme.test", ["team", "disallow-host", "payments", "*.acme.test"]),
        ("team|remove-agent|payments|coder", ["team", "remove-agent", "payments", "coder"]),
        ("team|personal-data|payments|off", ["team", "personal-data", "payments", "off"]),
        ("team|add-agent|payments|coder", ["team", "add-agent", "payments", "coder"]),
        (
            "team|create-token|payments|person:ada|--scopes|read,curate|--days|30|--purpose|laptop",
            ["team", "create-token", "payments", "person:ada", "read,curate", "30", "laptop"],
        ),
        ("team|list-tokens|payments", ["team", "list-tokens", "payments"]),
        ("team|revoke-token|payments|#7", ["team", "revoke-token", "payments", "7"]),
        ("memory|cancel|8d5f3a52", ["memory", "cancel", "8d5f3a52"]),
        ("memory|operations", ["memory", "operations"]),
        ("memory|operations|600", ["memory", "operations", "600"]),
    ],
)
def test_a_line_becomes_the_arguments_of_its_operation(line: str, expected: list[str]) -> None:
    assert asked(line) == expected


# What `import` and `export --format` ask for, page by page and chunk by chunk.
OF_FILES = {"export-lines", "import-lines", "import-report"}


def test_every_operation_of_the_service_has_a_sub_command_and_none_is_invented() -> None:
    typed = {
        (group.command or group.name, one.operation or one.name) for group in parser.GROUPS for one in group.subcommands
    }
    served = {(command, name) for command, operations in OPERATIONS.items() for name in operations}
    # Doors of the service itself ask these; an import and an export to a file are conversations of several requests.
    unsaid = {("tokens", "show")} | {("memory", name) for name in OF_FILES}

    assert unsaid <= served
    assert typed == served - unsaid | {("memory", "import")}


def test_every_write_of_memory_can_be_asked_for_again() -> None:
    repeatable = {
        one.operation or one.name
        for group in parser.GROUPS
        if (group.command or group.name) == "memory"
        for one in group.subcommands
        if one.repeatable
    }

    writes = {name for name, operation in OPERATIONS["memory"].items() if not operation.reads}
    # A hold is done at once, and two of them hold no more than one. An export may write to a repository.
    assert repeatable == writes - OF_FILES - {"hold", "lift-hold"} | {"export"}


@pytest.mark.parametrize("line", ["memory|accept|twelve", "memory|get|-1", "memory|resolve|²|keep-both"])
def test_an_id_that_is_no_number_is_wrong_usage(line: str) -> None:
    with pytest.raises((UsageFault, SystemExit)):
        asked(line)


def test_a_tag_with_a_comma_would_become_two() -> None:
    with pytest.raises(UsageFault, match="repeat --tag"):
        asked("memory|add|fact|T|B|--tag|a,b")


@pytest.mark.parametrize(
    "line",
    [
        "--team|ops|--user|ada|--json|memory|list",
        "memory|--team|ops|--user|ada|--json|list",
        "memory|list|--team|ops|--as-person|ada|--json",
        "--team|ops|memory|--user|ada|list|--json",
    ],
)
def test_common_options_stand_anywhere(line: str) -> None:
    assert parser.flags(parsed(line)) == Flags(team="ops", user="ada", json=True)


@pytest.mark.parametrize(
    "line",
    [
        "memory|list|--user|ada|--source|agent:demo/coder",
        "memory|list|--timeout|0",
        "memory|list|--timeout|soon",
        "memory|list|--tea|ops",
        "memory|remember|x",
        "memory|get",
    ],
)
def test_wrong_usage_ends_with_code_2(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(line)

    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_every_example_in_the_help_is_a_line_that_parses() -> None:
    for group in parser.GROUPS:
        for one in group.subcommands:
            for example in one.examples:
                words = re.findall(r"'[^']*'|[^ |]+|\|", example)
                start, end = words.index("kapelle"), len(words)
                if "|" in words[start:]:
                    end = start + words[start:].index("|")
                given = parser.build().parse_args([word.strip("'") for word in words[start + 1 : end]])
                assert given.subcommand is one


def test_a_request_names_one_caller() -> None:
    config = Config(nats_url="nats://h", team="demo", user="ada", source="", timeout=1)
    question = request.Request(command="memory", arguments=("accept", "12"), request_id="r-1")

    assert json.loads(request.encode(question, config)) == {
        "command": "memory",
        "team": "demo",
        "args": ["accept", "12"],
        "user": "ada",
        "request_id": "r-1",
    }


def test_a_listing_asks_for_numbers_as_an_agent_without_a_request_id() -> None:
    config = Config(nats_url="nats://h", team="demo", user="", source="agent:demo/coder", timeout=1)
    question = request.Request(command="memory", arguments=("list",), numbered=True)

    assert json.loads(request.encode(question, config)) == {
        "command": "memory",
        "team": "demo",
        "args": ["list"],
        "source": "agent:demo/coder",
        "ids": True,
    }
