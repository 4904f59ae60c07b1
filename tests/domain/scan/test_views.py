"""The views: what a reader sees, and where in the original it stands."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapelle.domain.rules.scan import views


def _canon(text: str) -> views.View:
    return views.canon(views.raw(text))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("plain text", "plain text"),
        ("a\u200bb\u2060c\u00add", "abcd"),
        ("a\U000e0041b\ufe0fc\u202ed", "abcd"),
        ("a\x00b\x07c", "abc"),
        ("ｔｏｋｅｎ", "token"),
        ("\U0001d42d\U0001d428\U0001d424", "tok"),
        ("a&#98;c &#x64; &amp;", "abc d &"),
        ("a&amp;#98;c", "abc"),
        ("a%62c", "abc"),
        ("a%2562c", "abc"),
        ("%D0%B0", "а"),
        ("a\\u0062c \\x64 \\u{65}", "abc d e"),
        ("a\\_b\\-c", "a_b-c"),
        ("one\\ntwo", "one\ntwo"),
        ("ab**cd**ef", "abcdef"),
        ("ab<b></b>cd<wbr>ef<!-- -->gh", "abcdefgh"),
        ("<password>", "<password>"),
        ("a:*:b", "a:*:b"),
        ("&#8203;a%E2%80%8Bb", "ab"),
        ("x\ud800y", "x\ufffdy"),
    ],
)
def test_the_canonical_view_is_what_a_reader_sees(written: str, read: str) -> None:
    assert _canon(written).text == read


def test_an_expanding_ligature_stays_as_it_is() -> None:
    assert len(_canon("\ufdfa" * 1_000).text) == 1_000


@pytest.mark.parametrize(
    ("written", "needle", "original"),
    [
        ("to ｘ@y now", "x@y", "ｘ@y"),
        ("to a\u200bb now", "ab", "a\u200bb"),
        ("to a&#98;c now", "abc", "a&#98;c"),
        ("to a%2562c now", "abc", "a%2562c"),
        ("a\u00adb to c**d**e now", "cde", "c**d**e"),
        ("ㅤto cd now", "cd", "cd"),
    ],
)
def test_a_span_of_the_canonical_view_leads_back_to_the_original(written: str, needle: str, original: str) -> None:
    view = _canon(written)
    at = view.text.index(needle)

    start, end = view.span(at, at + len(needle))

    assert written[start:end] == original


@pytest.mark.parametrize(
    ("written", "closed"),
    [
        ("abc\ndef", "abcdef"),
        ("> abc\n> def", "> abcdef"),
        ("abc\\\ndef", "abcdef"),
        ("abc\r\n    def", "abcdef"),
        ('"abc" + "def"', '"abcdef"'),
        ("abc\n\ndef", "abc\n\ndef"),
    ],
)
def test_the_joined_view_closes_wrapped_tokens(written: str, closed: str) -> None:
    assert views.joined(views.raw(written)).text == closed


def test_the_squeezed_text_is_the_text_of_the_squeezed_view() -> None:
    for text in ("a b 'c' + d\n> e", "ä b 'c' + d\n> e"):
        view = views.raw(text)

        assert views.squeezed(view).text == views.squeezed_text(view)


def test_a_run_that_decodes_to_text_is_read_and_points_at_the_run() -> None:
    run = base64.b64encode(b"export NAME=some value").decode()
    [inner] = views.decoded(views.raw(f"see {run} here"))

    assert inner.text == "export NAME=some value"
    assert inner.span(3, 5) == (4, 4 + len(run))


def test_look_alike_letters_are_folded_in_a_view_of_their_own() -> None:
    folded = views.folded(views.raw("раssword"))

    assert folded is not None
    assert folded.text == "password"
    assert views.folded(views.raw("password")) is None


@given(st.text())
def test_every_text_has_views_and_their_spans_lie_in_it(text: str) -> None:
    original = views.raw(text)
    view = views.canon(original)

    for some in (view, views.joined(view), views.squeezed(view)):
        for at in range(0, len(some.text), 7):
            start, end = some.span(at, at + 1)

            assert 0 <= start <= end <= len(text)
