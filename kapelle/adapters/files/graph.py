"""The knowledge graph of the MCP memory server: entities with observations, and relations between them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kapelle.adapters.files.items import Item, item, kind_of, shortened, tags_of, texts_of
from kapelle.domain.portable import LINKS, NAME_CHARACTERS

Placed = tuple[str, Mapping[str, Any]]


def recognises(record: Mapping[str, Any]) -> bool:
    """Tell whether an object is a line of such a graph."""
    return record.get("type") in {"entity", "relation"} and ("name" in record or "from" in record)


def items(entities: Sequence[Placed], relations: Sequence[Placed]) -> Iterator[Item]:
    """Yield one item an entity, with its relations as sentences and links, and one for each relation that has none."""
    names = {str(entity.get("name")) for _, entity in entities}
    by_origin: dict[str, list[Mapping[str, Any]]] = {}
    for place, relation in relations:
        if str(relation.get("from")) in names:
            by_origin.setdefault(str(relation.get("from")), []).append(relation)
        else:
            yield Item(place=place, problem="it is a relation of an entity that is not in the file")
    for place, entity in entities:
        yield _entity(place, entity, by_origin.get(str(entity.get("name")), []), names)


def _entity(place: str, entity: Mapping[str, Any], relations: Sequence[Mapping[str, Any]], names: set[str]) -> Item:
    name, sort = str(entity.get("name") or ""), str(entity.get("entityType") or "")
    sentences = texts_of(list(entity.get("observations") or []))
    sentences += [f"{relation.get('relationType', 'relates to')} {relation.get('to', '')}" for relation in relations]
    ends = [str(relation.get("to")) for relation in relations if str(relation.get("to")) in names - {name}]
    return item(
        place,
        {
            "id": name[:NAME_CHARACTERS],
            "kind": kind_of(sort),
            "title": shortened(name),
            "body": "\n".join(f"- {sentence}" for sentence in sentences) or name,
            "tags": tags_of(sort),
            "links": [{"kind": "relates_to", "to": end[:NAME_CHARACTERS]} for end in dict.fromkeys(ends)][:LINKS],
        },
    )
