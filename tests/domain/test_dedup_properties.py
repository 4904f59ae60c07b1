"""Duplicates under small changes of every text in the labelled pairs: no single change of a fact is ever overlooked."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.dedup import MODEL, pairs
from kapelle.domain.dedup import Same
from kapelle.domain.rules import dedup

PAIRS = pairs()
TEXTS = tuple(dict.fromkeys(text for pair in PAIRS for text in (pair.a, pair.b)))
ENVIRONMENTS = ("staging", "production", "sandbox", "dev")
WITH_NUMBERS = tuple(text for text in TEXTS if re.search(r"\d", text))
WITH_ENVIRONMENTS = tuple(text for text in TEXTS if re.search(r"\b(?:staging|production)\b", text))


def is_same(one: str, other: str, similarity: float | None = 1.0) -> bool:
    model = None if similarity is None else MODEL
    return isinstance(dedup.compare(dedup.statement("", one), dedup.statement("", other), similarity, model), Same)


@given(st.sampled_from(WITH_NUMBERS), st.data())
def test_another_number_is_never_the_same(text: str, data: st.DataObject) -> None:
    found = data.draw(st.sampled_from(list(re.finditer(r"\d+", text))))
    other = data.draw(st.integers(min_value=0, max_value=10**6))
    assume(other != int(found.group()))
    changed = f"{text[: found.start()]}{other}{text[found.end() :]}"
    assert not is_same(text, changed)
    assert not is_same(text, changed, None)


@given(st.sampled_from(TEXTS), st.sampled_from(("not", "never", "may", "only")), st.data())
def test_one_more_negation_modal_or_quantifier_is_never_the_same(text: str, word: str, data: st.DataObject) -> None:
    words = text.split(" ")
    at = data.draw(st.integers(min_value=0, max_value=len(words)))
    changed = " ".join([*words[:at], word, *words[at:]])
    # "May 5" is a date.
    assume(word != "may" or not re.search(rf"\d\S* {word}\b|\b{word} \d", changed))
    assert not is_same(text, changed)


@given(st.sampled_from(WITH_ENVIRONMENTS), st.sampled_from(ENVIRONMENTS))
def test_another_environment_is_never_the_same(text: str, environment: str) -> None:
    changed = re.sub(r"\b(?:staging|production)\b", environment, text, count=1)
    assume(changed != text)
    assert not is_same(text, changed)


@given(st.sampled_from(PAIRS), st.floats(min_value=-1, max_value=1))
def test_the_order_of_the_two_texts_does_not_matter(pair: object, similarity: float) -> None:
    assert isinstance(pair, type(PAIRS[0]))
    assert is_same(pair.a, pair.b, similarity) == is_same(pair.b, pair.a, similarity)


@given(st.sampled_from(TEXTS))
def test_a_text_is_the_same_as_itself_and_as_itself_in_other_white_space(text: str) -> None:
    assume("`" not in text)  # White space in code may carry meaning.
    assert is_same(text, text, None)
    assert is_same(text, f"  {text.replace(' ', '  ')}\n", None)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_read_and_compared(one: str, other: str) -> None:
    assert is_same(one, other) == is_same(other, one)
