"""`kapelle memory export --format`: the memory as a file, page by page."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from kapelle.adapters.cli.outcomes import ExitCode, UsageFault
from kapelle.adapters.cli.talk import Conversation, Talk
from kapelle.domain import portable
from kapelle.domain.entries import Entry, Status
from kapelle.domain.portable import Record
from kapelle.domain.rules.rendering import team_memory
from kapelle.domain.rules.rendering_agents import agents_section


def declare(parser: ArgumentParser) -> None:
    """Declare the options of an export to a file."""
    parser.add_argument(
        "--format",
        choices=tuple(_FORMATS),
        help="jsonl: everything, for import; markdown, agents-md: current and curated",
    )
    parser.add_argument("--output", "-o", metavar="FILE", help="write to this file instead of printing")


def conversation(given: Namespace) -> Conversation | None:
    """Return how to export to a file, None if that is not what was asked for.

    Raises:
        UsageFault: the options contradict each other.
    """
    if given.format and given.pr:
        raise UsageFault("give --pr or --format, not both")
    if given.output and not given.format:
        raise UsageFault(f"--output needs --format, one of {', '.join(_FORMATS)}")
    return run if given.format else None


def run(given: Namespace, talk: Talk) -> ExitCode:
    """Fetch the memory and write it."""
    lines = list(_lines(talk))
    content = _FORMATS[given.format](talk.config.team, lines)
    if given.output:
        _replace(talk.around.folder / given.output, content, given.output)
    else:
        talk.around.stdout.write(content)
        talk.around.stdout.flush()
    print(f"{len(lines)} entries exported" if given.format == "jsonl" else "exported", file=talk.around.stderr)
    return ExitCode.OK


def _lines(talk: Talk) -> Iterator[str]:
    """Yield every entry's line, page by page: how many a reply holds, the service decides."""
    after = "0"
    while page := talk.insist("export-lines", after).entries:
        yield from page
        after = portable.read(page[-1]).name


def _replace(path: Path, content: str, name: str) -> None:
    """Put a whole file in the place of an old one, or leave that as it is."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_text(content, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise UsageFault(f"{name} cannot be written: {error.strerror}") from None


def _jsonl(_team: str, lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _markdown(team: str, lines: Iterable[str]) -> str:
    records = [portable.read(line) for line in lines]
    return team_memory(team, _current(records), _origins(records))


def _agents_md(team: str, lines: Iterable[str]) -> str:
    return agents_section(team, _current([portable.read(line) for line in lines]))


def _current(records: Iterable[Record]) -> tuple[Entry, ...]:
    """Return the entries that are curated and hold now."""
    now = datetime.now(UTC)
    return tuple(
        _entry(record)
        for record in records
        if record.restored.status is Status.CURATED and record.restored.current and _holds(record, now)
    )


def _holds(record: Record, now: datetime) -> bool:
    begins, ends = record.restored.valid_from, record.restored.valid_until
    return (begins is None or begins <= now) and (ends is None or ends > now)


def _entry(record: Record) -> Entry:
    draft = record.draft
    return Entry(
        id=int(record.name),
        kind=draft.kind,
        status=record.restored.status or Status.PROPOSED,
        title=draft.title,
        body=draft.body,
        tags=draft.tags,
        source=record.restored.source or "",
        created_at=record.restored.created_at or datetime.now(UTC),
    )


def _origins(records: Iterable[Record]) -> Mapping[int, int]:
    """Return for each entry that took another's place the oldest one of that line."""
    origins: dict[int, int] = {}
    for record in records:
        for link in record.links:
            if link.kind == "supersedes":
                origins[int(record.name)] = origins.get(int(link.to), int(link.to))
    return origins


_FORMATS: Mapping[str, Callable[[str, Iterable[str]], str]] = {
    "jsonl": _jsonl,
    "markdown": _markdown,
    "agents-md": _agents_md,
}
