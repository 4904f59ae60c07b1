"""Notes as basic-memory keeps them: Markdown with front matter, one note a file."""

import re
from collections.abc import Mapping

from kapelle.adapters.files.items import Item, item, kind_of, moment_of, shortened, tags_of, texts_of
from kapelle.domain.portable import LINK_KINDS, LINKS, NAME_CHARACTERS

_FENCE = "---"
_FIELD = re.compile(r"([A-Za-z_][\w-]*):\s*(.*)")
_ENTRY = re.compile(r"\s*-\s+(.*)")
_RELATION = re.compile(r"^- (?P<kind>[^\[\]\n]*?)\s*\[\[(?P<to>[^\]\n]+)\]\]", re.MULTILINE)
_HEADING = re.compile(r"\A#\s+(.+?)\s*#*\s*(?:\n|\Z)")
_KNOWN = frozenset({"title", "type", "tags", "permalink", "created", "modified"})

Fields = Mapping[str, str | list[str]]


def recognises(text: str) -> bool:
    """Tell whether a text begins with front matter."""
    lines = text.split("\n")
    return lines[0].rstrip() == _FENCE and any(line.rstrip() == _FENCE for line in lines[1:])


def note(text: str, place: str, stem: str) -> Item:
    """Return a note as an item; `stem` is its file's name without ending, which is its title unless it has one."""
    fields, body = _parted(text)
    title = str(fields.get("title") or stem)
    if (heading := _HEADING.match(body)) and heading[1] == title:
        body = body[heading.end() :]
    links = [
        {"kind": kind if (kind := one["kind"].strip().lower()) in LINK_KINDS else "relates_to", "to": one["to"].strip()}
        for one in _RELATION.finditer(body)
    ]
    more = {name: value for name, value in fields.items() if name not in _KNOWN}
    return item(
        place,
        {
            "id": title[:NAME_CHARACTERS],
            "kind": kind_of(fields.get("type")),
            "title": shortened(title),
            "body": body.strip() or title,
            "tags": tags_of(*texts_of(fields.get("tags"))),
            "created_at": moment_of(fields.get("created")),
            "metadata": {"note": more} if more else {},
            "links": [link for link in links if link["to"] != title][:LINKS],
        },
    )


def _parted(text: str) -> tuple[Fields, str]:
    """Part a note into the fields of its front matter and what follows."""
    lines = text.split("\n")
    end = next(at for at, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE)
    return _fields(lines[1:end]), "\n".join(lines[end + 1 :]).lstrip("\n")


def _fields(lines: list[str]) -> Fields:
    """Read what front matter of notes holds: texts, and lists in either form. What is nested deeper is left out."""
    fields: dict[str, str | list[str]] = {}
    name = ""
    for line in lines:
        if found := _FIELD.fullmatch(line.rstrip()):
            name = found[1]
            fields[name] = _value(found[2])
        elif name and (entry := _ENTRY.fullmatch(line.rstrip())):
            before = fields[name]
            fields[name] = [*(before if isinstance(before, list) else []), _plain(entry[1])]
    return {name: value for name, value in fields.items() if value}


def _value(text: str) -> str | list[str]:
    if text.startswith("[") and text.endswith("]"):
        return [plain for part in text[1:-1].split(",") if (plain := _plain(part))]
    return _plain(text)


def _plain(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
