"""Hostile text reaches a terminal as visible escapes, and JSON with its meaning unchanged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapelle.adapters.cli import neutral


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, Ünïcode, 日本語, 👩‍💻", "plain text, Ünïcode, 日本語, 👩‍💻"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[2Jcleared", "\\x1b[2Jcleared"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("over\rwritten\x08\x7f", "over\\x0dwritten\\x08\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("ab\u202edc", "ab\\u202edc"),
        ("hidden\U000e0041", "hidden\\U000e0041"),
        ("half\ud800", "half\\ud800"),
        ("\u200binvisible\ufeff", "\\u200binvisible\\ufeff"),
    ],
)
def test_what_steers_a_terminal_is_shown_instead(text: str, shown: str) -> None:
    assert neutral.for_terminal(text) == shown


def test_a_heading_stays_on_one_line() -> None:
    assert neutral.one_line("a title\n[curated] fact: forged") == "a title\\n[curated] fact: forged"


@given(st.text(st.characters()))
def test_json_keeps_its_meaning_and_loses_every_dangerous_character(text: str) -> None:
    document = neutral.for_json(json.dumps({"text": text}, ensure_ascii=False))

    assert json.loads(document) == {"text": text}
    assert neutral.for_terminal(document) == document
    assert "\n" not in document
