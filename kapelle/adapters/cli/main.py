"""The `kapelle` command: reads the command line, asks the service, shows the reply."""

import os
import sys
import uuid
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path

from kapelle.adapters.cli import blocks, config, parser, printing, request
from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.commands import Subcommand, View
from kapelle.adapters.cli.outcomes import ClientFault, ExitCode, Interrupted, NoAnswer
from kapelle.adapters.cli.surroundings import Surroundings
from kapelle.adapters.cli.talk import Talk

# The code of a refusal that says that a part of the service does not answer.
_UNAVAILABLE = "unavailable"
# How the service begins its answer to what goes on after its reply limit.
STILL_RUNNING = "Still running as operation "


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal's encoding lacks must not end the run.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    around = Surroundings(
        env=os.environ, folder=Path.cwd(), stdin=sys.stdin.buffer, stdout=sys.stdout, stderr=sys.stderr
    )
    try:
        code = run(sys.argv[1:] if argv is None else argv, around)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough, as in `kapelle memory list | head`; the interpreter must not flush again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except OSError as error:
        printing.complain(f"the answer cannot be written: {error.strerror}", around)
        return ExitCode.REFUSED
    return code


def run(argv: Sequence[str], around: Surroundings) -> ExitCode:
    """Run one command line in the given surroundings. Help and wrong usage leave by `SystemExit`, as in argparse."""
    given = parser.build().parse_args(argv)
    if given.subcommand is None:
        given.incomplete.print_help(around.stderr)
        return ExitCode.USAGE
    try:
        return _carry_out(given, given.subcommand, around)
    except ClientFault as fault:
        printing.complain(str(fault), around)
        return fault.exit_code


def _carry_out(given: Namespace, subcommand: Subcommand, around: Surroundings) -> ExitCode:
    flags = parser.flags(given)
    settled = config.resolve(flags, around.env, around.folder)
    if conversation := subcommand.conversation(given):
        return conversation(given, Talk(config=settled, flags=flags, around=around, ask=partial(_ask, settled)))
    bodies = Bodies(
        stdin=around.stdin,
        folder=around.folder,
        editor=config.editor(around.env),
        original=partial(_original_body, given, subcommand, settled),
    )
    question = request.Request(
        command=given.group,
        arguments=(subcommand.operation or subcommand.name, *subcommand.arguments(given, bodies)),
        request_id=flags.request_id or (uuid.uuid4().hex if subcommand.repeatable else ""),
        numbered=subcommand.view is View.ENTRIES,
        stepwise=subcommand.stepwise,
        doubtful=subcommand.view is View.ENTRY,
        moments=_moments(given),
        versioned=flags.json and subcommand.view in {View.ENTRIES, View.ENTRY},
    )
    reply = _ask(settled, question)
    if subcommand.follows:
        reply = _followed(reply, settled, question, around)
    printing.show(reply, subcommand.view, flags, around)
    return _ending(reply)


def _ending(reply: request.Reply) -> ExitCode:
    if reply.ok:
        return ExitCode.OK
    return ExitCode.NO_ANSWER if reply.code == _UNAVAILABLE else ExitCode.REFUSED


def _followed(
    reply: request.Reply, settled: config.Config, question: request.Request, around: Surroundings
) -> request.Reply:
    """Ask again, which changes nothing and waits as long as the service does, until it is done."""
    shown = _remarked(reply, 0, around)
    while reply.ok and reply.text.startswith(STILL_RUNNING):
        if not question.stepwise:
            printing.remark(reply.text, around)
        reply = _ask(settled, question)
        shown = _remarked(reply, shown, around)
    return reply


def _remarked(reply: request.Reply, shown: int, around: Surroundings) -> int:
    """Print the steps that are new, and return how many there are now."""
    for step in reply.steps[shown:]:
        printing.remark(step, around)
    return max(shown, len(reply.steps))


def _moments(given: Namespace) -> tuple[tuple[str, str], ...]:
    """Return the moments that were given; the service reads them, and says what is wrong with one."""
    names = ("as_of", "valid_from", "valid_until")
    return tuple((name, str(value)) for name in names if (value := getattr(given, name, "")))


def _original_body(given: Namespace, subcommand: Subcommand, settled: config.Config) -> str:
    if subcommand.starts_from is None:
        return ""
    reply = _ask(settled, request.Request(command="memory", arguments=("get", subcommand.starts_from(given))))
    if not reply.ok:
        raise ClientFault(reply.text)
    return blocks.parse(reply.text).body


def _ask(settled: config.Config, question: request.Request) -> request.Reply:
    # Half a second of importing, which help, wrong usage and a missing body need not wait for.
    from kapelle.adapters.cli import wire  # noqa: PLC0415

    try:
        return request.decode(*wire.ask(settled, request.encode(question, settled), soon=question.stepwise))
    except NoAnswer as fault:
        raise NoAnswer(f"{fault}; {_what_now(question)}") from None
    except KeyboardInterrupt:
        if not question.request_id:
            raise
        raise Interrupted(f"interrupted; {_what_now(question)}") from None


def _what_now(question: request.Request) -> str:
    if not question.request_id:
        return "it is unknown whether the request took effect"
    return (
        f"it is unknown whether it was stored. Ask again with --request-id {question.request_id}, "
        "and it is stored at most once"
    )
