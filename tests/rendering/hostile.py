"""Random entries made of everything that could break a Markdown file, and a judge that parses what became of them.

`python -m tests.rendering.hostile --entries 5000` renders that many and says what was wrong.
"""

import argparse
import random
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kapelle.domain.entries import Entry, Kind, Status
from kapelle.domain.rules.rendering import anchor, team_memory
from kapelle.domain.rules.rendering_text import INLINE_CHARACTERS, normalised

SNIPPETS = (
    *("# heading", "### m-00000000 forged", "## Facts", "Setext", "==="),
    *("---", "- - -", "***", "___", "#", "##"),
    *("```", "````", "~~~", "```text", "`````\n", "`"),
    *("``", "` ``", "`a`", "`a b`.", "``a`b``", "(`x`)", "`x`,`@y`"),
    *("<b>", "</div>", "<script>alert(1)</script>", "<!--"),
    *("-->", "<!-- x -->", "<img src=x onerror=y>", "<?php", "<a@b.c>"),
    *("[x](http://evil.test)", "![i](//evil.test/i.png)", "[ref]: http://evil.test 'x'"),
    *("[ref]", "[^1]", "[^1]: note"),
    *("| a | b |", "|---|---|", "@dana", "@acme/team"),
    *("x@y.zz", "me@example.com", "\\@dana", "&#64;dana", "&commat;dana"),
    *("#12", "GH-12", "xGH-12y", "acme/payments#3"),
    *("fixes #9", "0123abc", "deadbeef1", "https://evil.test/x", "www.evil.test"),
    *("http://a.test?b=@c#1", "mailto:a@b.cc", "@~/.ssh/id_rsa", "@./docs/x.md"),
    *("@import @/etc/passwd", ":tada:", "$x$", "*b*"),
    *("**bold**", "_i_", "__dunder__", "~~no~~", "> quote"),
    *("- item", "* item", "+ item", "1. one", "1) one", "    code"),
    *("\tcode", "\\", "\\\\", "\\`", "&amp;", "&lt;b&gt;"),
    *("line  ", "{{ x }}", "{% raw %}", "C#", "a_b_c", "R&D", "50 %"),
    *("\u202eabc\u202c", "\u200b", "\u2066x\u2069", "\ufeff"),
    *("\U000e0041\U000e0042", "a\u0301", "\u2028", "\x1b[31m", "\x00"),
    *("👩\u200d💻", "❤\ufe0f", "\ufe0f\ufe0e\ufe0f", "\u3164", "نص"),
    *("\u200f", "\xa0", "\xad", "ünï", "漢字", "plain words here"),
)  # fmt: skip
GLUE = (" ", " ", " ", "", "\n", "\n\n", ". ", ", ", "\r\n", "\t")
HEADERS = 2
_LIVE = re.compile(r"[@\uff20]|#\d|gh-\d|://|www\.", re.IGNORECASE)
_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_NAMES = ("Conventions", "Decisions", "Events", "Facts", "Gotchas", "Preferences", "Procedures")
_HEADINGS = dict(zip(Kind, _NAMES, strict=True))


def entries(count: int, chance: random.Random) -> tuple[Entry, ...]:
    """Return entries with texts of snippets; their ids are any."""
    ids = chance.sample(range(1, 50 * count + 50), count)
    return tuple(_entry(number, chance) for number in ids)


def _entry(number: int, chance: random.Random) -> Entry:
    return Entry(
        id=number,
        kind=chance.choice(tuple(Kind)),
        status=Status.CURATED,
        title=_text(chance, 4)[:200],
        body=_text(chance, chance.choice((1, 3, 6, 25))),
        tags=tuple(_text(chance, 1) for _ in range(chance.randrange(3))),
        source=chance.choice(("person:", "agent:demo/", "")) + _text(chance, 1),
        created_at=_BEGINNING + timedelta(hours=chance.randrange(9000)),
    )


def _text(chance: random.Random, most: int) -> str:
    return "".join(chance.choice(SNIPPETS) + chance.choice(GLUE) for _ in range(chance.randint(1, most)))


def faults(found: Sequence[Entry], file: str) -> list[str]:
    """Say what is wrong with the file that these entries were rendered to; nothing if all is well."""
    tokens = _MARKDOWN.parse(file)
    return [
        *_wrong_headings(tokens, found),
        *_alive(tokens),
        *_changed(tokens, found),
    ]


def _wrong_headings(tokens: Sequence[Token], found: Sequence[Entry]) -> Iterator[str]:
    ranked = [
        (token.tag, tokens[at + 1].content.split(" ")[0] if token.tag == "h3" else tokens[at + 1].content)
        for at, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    expected = {("h1", "Team memory: payments"), *(("h2", _HEADINGS[entry.kind]) for entry in found)}
    expected |= {("h3", anchor(entry.id)) for entry in found}
    if len(ranked) != len(expected) or set(ranked) != expected:
        yield f"headings are {ranked}"


def _alive(tokens: Sequence[Token]) -> Iterator[str]:
    blocks = [token.type for token in tokens]
    if blocks.count("html_block") != HEADERS:
        yield "there is HTML"
    forbidden = {"table_open", "bullet_list_open", "ordered_list_open", "blockquote_open", "hr", "code_block"}
    yield from (f"there is a {kind}" for kind in blocks if kind in forbidden)
    for child in (child for token in tokens for child in token.children or ()):
        if child.type not in {"text", "code_inline"}:
            yield f"there is a {child.type}: {child.content!r}"
        elif child.type == "text" and _LIVE.search(child.content):
            yield f"alive: {child.content!r}"


def _changed(tokens: Sequence[Token], found: Sequence[Entry]) -> Iterator[str]:
    """Compare the shown text of each body with the body, its code marks and spaces aside."""
    shown: dict[str, str] = {}
    name = ""
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h3":
            name = tokens[at + 1].content.split(" ")[0]
        elif name and name not in shown and token.type in {"fence", "paragraph_open"}:
            shown[name] = token.content if token.type == "fence" else _plain(tokens[at + 1])
    for entry in found:
        body = normalised(entry.body)
        short = len(body) <= INLINE_CHARACTERS and "\n" not in body and "\t" not in body
        told = shown.get(anchor(entry.id), "")
        if body.strip() and (_bare(told) != _bare(body) if short else told != f"{body}\n"):
            yield f"{entry.id} reads {told!r} instead of {body!r}"


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _bare(text: str) -> str:
    return text.replace("`", "").replace(" ", "").replace("\xa0", "")


def main() -> int:
    """Render as many entries as the command line asks for, fifty a file, and return whether any file was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    chance = random.Random(wanted.seed)  # noqa: S311 - a run that can be repeated
    files = (entries(50, chance) for _ in range(0, wanted.entries, 50))
    wrong = [fault for found in files for fault in faults(found, team_memory("payments", found))]
    sys.stdout.write("".join(f"{fault}\n" for fault in wrong[:20]))
    sys.stdout.write(f"{wanted.entries} entries, {len(wrong)} faults\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
