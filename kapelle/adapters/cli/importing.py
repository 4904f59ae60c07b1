"""`kapelle memory import`: sends a file chunk by chunk, and tells what became of every item in it."""

import hashlib
import json
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kapelle.adapters.cli.bodies import Bodies
from kapelle.adapters.cli.commands import Subcommand, View
from kapelle.adapters.cli.neutral import for_terminal
from kapelle.adapters.cli.outcomes import ClientFault, ExitCode, UsageFault
from kapelle.adapters.cli.progress import Bar
from kapelle.adapters.cli.talk import PAUSE_SECONDS, Talk
from kapelle.adapters.files import formats
from kapelle.adapters.files.formats import Format
from kapelle.adapters.files.items import Item, UnknownFormat

# Where chunks end must not depend on the server: the same file makes the same requests. Escaping may double a chunk,
# which leaves it well under the 1 MiB that a server takes unless told otherwise.
CHUNK_LINES = 200
CHUNK_BYTES = 256 * 1024
_STILL_SECONDS = 10.0
_SHOWN = ("created", "duplicate", "refused", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fate:
    """What became of one item."""

    place: str
    state: str
    detail: str


def declare(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE", help="the file; a folder of notes; - reads standard input")
    parser.add_argument(
        "--format", choices=[str(one) for one in Format], help="the file's format; left out, it is found by looking"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would become of each line, and store nothing")


def no_request(_: Namespace, __: Bodies) -> tuple[str, ...]:
    """Fill the place of the one request that other sub-commands make."""
    raise NotImplementedError


def run(given: Namespace, talk: Talk) -> ExitCode:
    """Send the file, wait for its end, and report."""
    items = _items(given, talk)
    lines = [item for item in items if item.line]
    fates = [_Fate(place=item.place, state="refused", detail=item.problem) for item in items if item.problem]
    if lines:
        fates += _foreseen(lines, talk) if given.dry_run else _imported(lines, talk)
    return _report(items, fates, talk, dry=bool(given.dry_run))


def _items(given: Namespace, talk: Talk) -> tuple[Item, ...]:
    wanted = Format(given.format) if given.format else None
    path = talk.around.folder / given.file
    try:
        if given.file == "-":
            return formats.read(_decoded(talk.around.stdin.read(), "standard input"), name="-", wanted=wanted)
        if not path.is_dir():
            return formats.read(_decoded(path.read_bytes(), given.file), name=path.name, wanted=wanted)
        return tuple(item for file in sorted(path.rglob("*.md")) for item in _of_folder(file, path, wanted))
    except OSError as error:
        raise UsageFault(f"{given.file} cannot be read: {error.strerror}") from None
    except UnknownFormat as unknown:
        raise UsageFault(str(unknown)) from None


def _of_folder(file: Path, folder: Path, wanted: Format | None) -> Iterator[Item]:
    name = file.relative_to(folder).as_posix()
    for item in formats.read(_decoded(file.read_bytes(), name), name=name, wanted=wanted):
        yield item if item.place == name else Item(place=f"{name}, {item.place}", line=item.line, problem=item.problem)


def _decoded(content: bytes, origin: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageFault(f"{origin} is not UTF-8 text") from None


def _name(lines: Sequence[Item]) -> str:
    """Return the import's name, made of what the lines say: the same file is the same import, whenever it is sent."""
    whole = hashlib.sha256()
    for item in lines:
        whole.update(hashlib.sha256(item.line.encode()).digest())
    return whole.hexdigest()


def _chunks(lines: Sequence[Item]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines in chunks, each with the number of its first line, counted from 1."""
    chunk: list[str] = []
    size = 0
    for number, item in enumerate(lines, start=1):
        own = len(item.line.encode())
        if chunk and (len(chunk) == CHUNK_LINES or size + own > CHUNK_BYTES):
            yield number - len(chunk), chunk
            chunk, size = [], 0
        chunk.append(item.line)
        size += own
    yield len(lines) - len(chunk) + 1, chunk


def _foreseen(lines: Sequence[Item], talk: Talk) -> Iterator[_Fate]:
    name, total = _name(lines), str(len(lines))
    for first, chunk in _chunks(lines):
        reply = talk.insist("import-lines", name, str(first), total, "\n".join(chunk), "dry-run")
        yield from (_fate(line, lines) for line in reply.entries or ())


def _imported(lines: Sequence[Item], talk: Talk) -> Iterator[_Fate]:
    name, total = _name(lines), str(len(lines))
    bar = Bar(talk.around.stderr)

    def send(first: int, chunk: Sequence[str]) -> None:
        talk.insist("import-lines", name, str(first), total, "\n".join(chunk))

    try:
        for first, chunk in _chunks(lines):
            bar.show(first - 1, len(lines), "sent")
            send(first, chunk)
        _wait(name, bar, talk, nudge=lambda: send(first, chunk))
    except ClientFault as fault:
        raise type(fault)(f"{fault}; the same command again goes on from what was taken") from None
    finally:
        bar.clear()
    yield from _ended(name, lines, talk)


def _wait(name: str, bar: Bar, talk: Talk, *, nudge: Callable[[], None]) -> None:
    """Wait until every line is done. `nudge` starts an import again that stands still, as when Temporal lost it."""
    before, since = -1, time.monotonic()
    while True:
        counts = _counts(talk.insist("import-report", name).entries or ())
        done = sum(counts[state] for state in _SHOWN)
        bar.show(done, counts["lines"], ", ".join(f"{counts[state]} {state}" for state in _SHOWN))
        if done >= counts["lines"]:
            return
        if done != before:
            before, since = done, time.monotonic()
        elif time.monotonic() - since > _STILL_SECONDS:
            nudge()
            since = time.monotonic()
        time.sleep(PAUSE_SECONDS)


def _counts(entries: Sequence[str]) -> Counter[str]:
    return Counter({name: int(count) for name, _, count in (entry.partition(": ") for entry in entries)})


def _ended(name: str, lines: Sequence[Item], talk: Talk) -> Iterator[_Fate]:
    """Yield what became of each line, page by page: how many a reply holds, the service decides."""
    after = "0"
    while page := talk.insist("import-report", name, after).entries:
        yield from (_fate(line, lines) for line in page)
        after = page[-1].partition(" ")[0]


def _fate(line: str, lines: Sequence[Item]) -> _Fate:
    head, _, detail = line.partition(": ")
    number, _, state = head.partition(" ")
    return _Fate(place=lines[int(number) - 1].place, state=state, detail=detail)


def _report(items: Sequence[Item], fates: Sequence[_Fate], talk: Talk, *, dry: bool) -> ExitCode:
    """Print each item's fate in the order of the file, then how many had which."""
    places = {item.place: at for at, item in enumerate(items)}
    whole = talk.flags.full or not talk.around.stdout.isatty()
    for fate in sorted(fates, key=lambda fate: places[fate.place]):
        if talk.flags.json:
            print(
                json.dumps({"place": fate.place, "state": fate.state, "detail": fate.detail}), file=talk.around.stdout
            )
        elif whole or fate.state != "created":
            print(for_terminal(f"{fate.place}: {fate.state} {fate.detail}".rstrip()), file=talk.around.stdout)
    counts = Counter(fate.state for fate in fates)
    told = ", ".join(f"{counts[state]} {state}" for state in _SHOWN)
    talk.around.stdout.flush()
    print(f"{len(fates)} {'would be' if dry else 'done'}: {told}", file=talk.around.stderr)
    return ExitCode.REFUSED if counts["refused"] or counts["failed"] else ExitCode.OK


SUBCOMMAND = Subcommand(
    name="import",
    summary="bring entries in from a file, and tell what became of each",
    description=(
        "Bring entries in from a file: lines of JSON from `export --format jsonl`, Markdown with one entry a heading,\n"
        "memories of mem0, notes of basic-memory, or the graph of an MCP memory server. Each is judged as every write\n"
        "is. The same file again goes on where it was interrupted, and changes nothing once it is done.\n"
        "Entries arrive as proposed, unless a maintainer brings back what the file says was curated."
    ),
    examples=(
        "kapelle memory import memory.jsonl",
        "kapelle memory import notes/ --dry-run",
        "kapelle memory import mem0.json --format mem0",
    ),
    declare=declare,
    arguments=no_request,
    view=View.LINES,
    conversation=lambda _: run,
)
