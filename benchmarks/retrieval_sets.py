"""Sets of notes and questions: the product's own, and those that a user has, told apart by their shape.

* a folder with `notes.jsonl` and `questions.jsonl`, as `eval_data`;
* `{"docs": [{id, group, title, text}], "queries": [{id, group, text, rel, forbidden, topic}]}`, perhaps gzipped;
* the published files of LoCoMo and of LongMemEval.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

# States that no search may return.
HIDDEN = frozenset({"superseded", "expired", "quarantined", "forgotten"})
_TURN = re.compile(r"D\d+:\d+")
# LoCoMo's fifth category asks for what was never said, about turns that say something else.
_ADVERSARIAL = 5
_LOCOMO_TOPICS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


class UnknownForm(Exception):
    """The file is none of the forms that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One entry to be stored. `group` is its team; `state` is curated, proposed, or one of the hidden ones."""

    id: str
    group: str
    title: str
    text: str
    kind: str = "fact"
    state: str = "curated"
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One query, the notes that answer it (none: nothing should be found) and notes that must not be found."""

    id: str
    group: str
    text: str
    relevant: frozenset[str]
    forbidden: frozenset[str] = frozenset()
    topic: str = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """A named set."""

    name: str
    notes: tuple[Note, ...]
    questions: tuple[Question, ...]

    def first(self, questions: int | None) -> "Set":
        """Return the first so many questions, with the notes of their groups; everything, if None."""
        if questions is None:
            return self
        asked = self.questions[:questions]
        groups = {question.group for question in asked}
        return replace(self, questions=asked, notes=tuple(note for note in self.notes if note.group in groups))


def load(path: Path) -> tuple[Set, ...]:
    """Read the set at `path`; LoCoMo makes two, of its turns and of its observations.

    Raises:
        UnknownForm: if the content is in none of the forms.
    """
    if path.is_dir():
        return (_own(path),)
    raw = path.read_bytes()
    content: Any = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)  # What JSON holds.
    name = path.name.split(".")[0]
    if isinstance(content, dict) and "docs" in content:
        return (_labelled(name, content),)
    first = content[0] if isinstance(content, list) and content else {}
    if "haystack_sessions" in first:
        return (_long_mem_eval(name, content),)
    if "conversation" in first:
        return tuple(found for found in _locomo(name, content) if found.notes)
    raise UnknownForm(f"{path.name} is neither a labelled set, nor LoCoMo's, nor LongMemEval's")


def _own(folder: Path) -> Set:
    notes = [
        Note(
            id=row["id"],
            group=row["team"],
            title=row["title"],
            text=row["body"],
            kind=row["kind"],
            state=row.get("state", "curated"),
            tags=tuple(row.get("tags", ())),
        )
        for row in _lines(folder / "notes.jsonl")
    ]
    questions = [
        Question(
            id=row["id"],
            group=row["team"],
            text=row["text"],
            relevant=frozenset(row["answers"]),
            forbidden=frozenset(row.get("forbidden", ())),
            topic=row["group"],
        )
        for row in _lines(folder / "questions.jsonl")
    ]
    return Set(name="own", notes=tuple(notes), questions=tuple(questions))


def _lines(file: Path) -> Iterator[Any]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _labelled(name: str, content: Any) -> Set:
    notes = tuple(
        Note(id=str(doc["id"]), group=str(doc["group"]), title=doc["title"], text=doc["text"])
        for doc in content["docs"]
    )
    questions = tuple(
        Question(
            id=str(query["id"]),
            group=str(query["group"]),
            text=query["text"],
            relevant=frozenset(map(str, query["rel"])),
            forbidden=frozenset(map(str, query.get("forbidden", ()))),
            topic=query.get("topic", "all"),
        )
        for query in content["queries"]
    )
    return Set(name=name, notes=notes, questions=questions)


def _locomo(name: str, content: Any) -> Iterator[Set]:
    samples = [(str(sample["sample_id"]), sample) for sample in content]
    for part, notes_of in (("turns", _turns), ("observations", _observations)):
        notes: list[Note] = []
        questions: list[Question] = []
        for group, sample in samples:
            said = tuple(notes_of(group, sample))
            notes.extend(note for note, _ in said)
            questions.extend(_locomo_questions(group, sample["qa"], said))
        yield Set(name=f"{name}-{part}", notes=tuple(notes), questions=tuple(questions))


def _turns(group: str, sample: Any) -> Iterator[tuple[Note, frozenset[str]]]:
    """Yield the turns of a conversation, each with its own id as the evidence that it is."""
    for session, turns in sample["conversation"].items():
        for turn in turns if re.fullmatch(r"session_\d+", session) else ():
            seen = f" [shows {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text = f"{turn['speaker']}: {turn.get('text', '')}{seen}"
            note = Note(id=f"{group}/{turn['dia_id']}", group=group, title="", text=text)
            yield note, frozenset({turn["dia_id"]})


def _observations(group: str, sample: Any) -> Iterator[tuple[Note, frozenset[str]]]:
    """Yield what was noted of each speaker, with the turns that it was noted from."""
    observed = sample.get("observation") or {}
    facts = [fact for session in observed.values() for by_speaker in session.values() for fact in by_speaker]
    for number, (text, evidence) in enumerate(facts):
        note = Note(id=f"{group}/O{number}", group=group, title="", text=text)
        yield note, frozenset(_TURN.findall(str(evidence)))


def _locomo_questions(
    group: str, asked: Iterable[Any], said: tuple[tuple[Note, frozenset[str]], ...]
) -> Iterator[Question]:
    """Yield the questions that some note answers; their evidence names turns, at times several in one string."""
    for number, question in enumerate(asked):
        evidence = frozenset(_TURN.findall(str(question.get("evidence", ""))))
        relevant = frozenset(note.id for note, turns in said if turns & evidence)
        if relevant and question["category"] != _ADVERSARIAL:
            topic = _LOCOMO_TOPICS.get(question["category"], "other")
            yield Question(
                id=f"{group}/Q{number}", group=group, text=question["question"], relevant=relevant, topic=topic
            )


def _long_mem_eval(name: str, content: Any) -> Set:
    """Each question has a history of its own, and is a group; the entries are turns."""
    notes: list[Note] = []
    questions: list[Question] = []
    for item in content:
        turns = tuple(_history(item))
        notes.extend(note for note, _ in turns)
        abstains = item["question_id"].endswith("_abs")
        relevant = frozenset() if abstains else frozenset(note.id for note, answers in turns if answers)
        questions.append(
            Question(
                id=item["question_id"],
                group=item["question_id"],
                text=item["question"],
                relevant=relevant,
                topic="abstention" if abstains else item["question_type"],
            )
        )
    # Files without the label of turns say nothing of a question's answer; it would count as one that has none.
    known = [question for question in questions if question.relevant or question.topic == "abstention"]
    return Set(name=name, notes=tuple(notes), questions=tuple(known))


def _history(item: Any) -> Iterator[tuple[Note, bool]]:
    """Yield the turns with whether each answers: by its own label, or else by its session's."""
    group, sessions = item["question_id"], item["haystack_sessions"]
    names = item.get("haystack_session_ids") or list(map(str, range(len(sessions))))
    labelled = any(turn.get("has_answer") for session in sessions for turn in session)
    answering = frozenset(item.get("answer_session_ids") or ())
    for place, (session, turns) in enumerate(zip(names, sessions, strict=True)):
        for number, turn in enumerate(turns):
            # A session may stand twice in one history.
            note_id = f"{group}/{session}/{place}/{number}"
            note = Note(id=note_id, group=group, title="", text=f"{turn['role']}: {turn['content']}")
            yield note, bool(turn.get("has_answer")) if labelled else session in answering
