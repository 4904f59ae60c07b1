"""The arguments that carry an entry's text: kind, title, body and tags."""

from argparse import ArgumentParser, Namespace

from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.outcomes import UsageFault
from kapelle.domain.entries import Kind

KINDS = ", ".join(Kind)


def declare(parser: ArgumentParser) -> None:
    """Declare kind, title, body and tags on `parser`."""
    parser.add_argument("kind", metavar="KIND", help=f"one of {KINDS}")
    declare_without_kind(parser)
    for name, what in (("--valid-from", "from when on"), ("--valid-until", "until before when")):
        parser.add_argument(name, metavar="TIME", default="", help=f"{what} it holds, such as 2026-03-03T12:00:00Z")


def declare_as_of(parser: ArgumentParser) -> None:
    """Declare the moment that a read is about."""
    parser.add_argument(
        "--as-of", metavar="TIME", default="", help="what the team knew at this moment, such as 2026-03-03T12:00:00Z"
    )


def declare_without_kind(parser: ArgumentParser) -> None:
    """Declare title, body and tags on `parser`."""
    parser.add_argument("title", metavar="TITLE", help="one line that says what it is about")
    parser.add_argument(
        "body",
        metavar="BODY",
        nargs="?",
        help="the text itself; - reads standard input; left out, it is written in $VISUAL or $EDITOR",
    )
    parser.add_argument("--file", "-f", metavar="PATH", help="read the body from this file")
    parser.add_argument("--tag", "-t", metavar="TAG", action="append", default=[], help="a tag; may be repeated")


def arguments(given: Namespace, bodies: Bodies) -> tuple[str, ...]:
    """Return kind, title, body and the joined tags. Raises as `arguments_without_kind` does."""
    return str(given.kind), *arguments_without_kind(given, bodies)


def arguments_without_kind(given: Namespace, bodies: Bodies) -> tuple[str, ...]:
    """Return title, body and the joined tags.

    Raises:
        UsageFault: the body cannot be had, or a tag holds the comma that separates tags.
    """
    tags = [str(tag) for tag in given.tag]
    if any("," in tag for tag in tags):
        raise UsageFault("a tag cannot hold a comma; repeat --tag for several tags")
    return str(given.title), bodies.read(given.body, given.file), ",".join(tags)
