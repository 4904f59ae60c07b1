"""Loaders of labelled sets, on small files of the published shapes; and the scores."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.retrieval_scores import Answer, score
from benchmarks.retrieval_sets import Question, UnknownForm, load

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_1_date_time": "1:00 pm on 1 May, 2024",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "I adopted a turtle."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red kite", "img_url": ["x"]},
            ],
            "session_2_date_time": "2:00 pm on 2 May, 2024",
            "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "It is called Kilo."}],
        },
        "observation": {
            "session_1_observation": {"Ada": [["Ada adopted a turtle.", "D1:1"]], "Bo": []},
            "session_2_observation": {"Ada": [["Ada's turtle is called Kilo.", ["D2:1", "D1:1"]]]},
        },
        "session_summary": {},
        "event_summary": {},
        "qa": [
            {"question": "What is the turtle called?", "answer": "Kilo", "evidence": ["D2:1"], "category": 4},
            {"question": "What do they own?", "answer": "x", "evidence": ["D1:1; D1:2"], "category": 1},
            {"question": "Which cat?", "adversarial_answer": "x", "evidence": ["D1:1"], "category": 5},
            {"question": "Nothing known?", "answer": "x", "evidence": [], "category": 3},
        ],
    }
]
LONG_MEM_EVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What did I study?",
        "answer": "Botany",
        "question_date": "2024/05/01",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2024/01/01", "2024/01/02"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I studied botany.", "has_answer": True},
                {"role": "assistant", "content": "Lovely."},
            ],
            [{"role": "user", "content": "It rains."}],
        ],
        "answer_session_ids": ["s1"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "multi-session",
        "question": "How tall is my horse?",
        "answer": "Unknown",
        "haystack_session_ids": ["s3"],
        "haystack_sessions": [[{"role": "user", "content": "I ride."}]],
        "answer_session_ids": ["s3"],
    },
    {
        "question_id": "q3",
        "question_type": "temporal-reasoning",
        "question": "When did I ride?",
        "answer": "May",
        "haystack_session_ids": ["s4", "s4"],
        "haystack_sessions": [[{"role": "user", "content": "I rode."}], [{"role": "user", "content": "Again."}]],
        "answer_session_ids": ["s4"],
    },
]
LABELLED = {
    "docs": [{"id": 1, "group": "g", "title": "T", "text": "x"}],
    "queries": [{"id": 7, "group": "g", "text": "t?", "rel": [1]}],
}


def _written(file: Path, content: object) -> Path:
    text = json.dumps(content).encode()
    file.write_bytes(gzip.compress(text) if file.suffix == ".gz" else text)
    return file


def test_locomo_is_read_as_turns_and_as_observations(tmp_path: Path) -> None:
    turns, observations = load(_written(tmp_path / "locomo10.json", LOCOMO))
    assert turns.name == "locomo10-turns"
    assert {note.id: note.text for note in turns.notes} == {
        "conv-1/D1:1": "Ada: I adopted a turtle.",
        "conv-1/D1:2": "Bo: Look! [shows a red kite]",
        "conv-1/D2:1": "Ada: It is called Kilo.",
    }
    assert [(q.text, set(q.relevant), q.topic) for q in turns.questions] == [
        ("What is the turtle called?", {"conv-1/D2:1"}, "single-hop"),
        ("What do they own?", {"conv-1/D1:1", "conv-1/D1:2"}, "multi-hop"),
    ]
    assert [(q.text, len(q.relevant)) for q in observations.questions] == [
        ("What is the turtle called?", 1),
        ("What do they own?", 2),
    ]


def test_long_mem_eval_gives_each_question_a_history_of_its_own(tmp_path: Path) -> None:
    (found,) = load(_written(tmp_path / "longmemeval_s.json", LONG_MEM_EVAL))
    assert [(q.group, q.topic, sorted(q.relevant)) for q in found.questions] == [
        ("q1", "single-session-user", ["q1/s1/0/0"]),
        ("q2_abs", "abstention", []),
        # Without labels of turns, all turns of the answering sessions; one stands twice here.
        ("q3", "temporal-reasoning", ["q3/s4/0/0", "q3/s4/1/0"]),
    ]
    assert {note.text for note in found.notes if note.group == "q1"} == {
        "user: I studied botany.",
        "assistant: Lovely.",
        "user: It rains.",
    }


def test_the_first_questions_bring_only_the_notes_of_their_groups(tmp_path: Path) -> None:
    (found,) = load(_written(tmp_path / "longmemeval_s.json", LONG_MEM_EVAL))
    assert {note.group for note in found.first(1).notes} == {"q1"}
    assert found.first(None) is found


@pytest.mark.parametrize("name", ["set.json", "set.json.gz"])
def test_a_labelled_set_is_read_gzipped_or_not(tmp_path: Path, name: str) -> None:
    (found,) = load(_written(tmp_path / name, LABELLED))
    assert (found.name, found.notes[0].id, set(found.questions[0].relevant)) == ("set", "1", {"1"})


@pytest.mark.parametrize("content", [[], {}, [{"question": "?"}], {"notes": []}])
def test_what_is_none_of_the_forms_is_refused(tmp_path: Path, content: object) -> None:
    with pytest.raises(UnknownForm, match=r"other\.json"):
        load(_written(tmp_path / "other.json", content))


def test_scores_are_those_worked_out_by_hand() -> None:
    one = Question(id="1", group="g", text="?", relevant=frozenset({"a", "b"}))
    none = Question(id="2", group="g", text="?", relevant=frozenset(), forbidden=frozenset({"x"}))
    scores = score([Answer(question=one, found=("c", "a", "d", "e", "f", "b")), Answer(question=none, found=("x",))])
    assert (scores.recall_5, scores.recall_10, scores.mrr) == (50.0, 100.0, 50.0)
    # Gains at places 2 and 6, over those of places 1 and 2.
    assert scores.ndcg == pytest.approx(100 * (0.63093 + 0.35621) / 1.63093, abs=0.01)
    assert (scores.questions, scores.forbidden, scores.silent) == (1, 1, 0.0)
