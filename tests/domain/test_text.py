"""The hash of a text: what may vary in writing, and what never may."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapelle.domain.text import normalised, text_hash

EQUAL = (
    ("Use   pnpm,\n in the web repo", "use pnpm, in the web repo"),
    ("KEEP THE CHANGELOG", "Keep the changelog"),
    ("Run the tests.", "Run the tests"),
    ("Never do this!", "never do this"),
    ("Run `x`.", "Run `x`"),
    ("ＡＢＣ costs １２", "ABC costs 12"),
    ("It\u2019s \u201cdone\u201d", 'It\'s "done"'),
    ("5\u20137 days \u2212 about", "5-7 days - about"),
    ("zero\u200bwidth and soft\u00adhyphen", "zerowidth and softhyphen"),
    ("a\u00a0b", "a b"),
    ("line\r\nend", "line\nend"),
    ("**never** do it", "never do it"),
    ("*do not* do it", "do not do it"),
    ("- one lone point", "one lone point"),
    ("* first\n* second", "- first\n- second"),
    ("## Deploy\n\nPress the button", "Deploy\n\nPress the button"),
    ("set `foo_bar` to 1", "set foo_bar to 1"),
    ("hello\n   world", "hello world"),
    ("  indented as a whole", "indented as a whole"),
    ("caf\u00e9", "cafe\u0301"),
)

DIFFERENT = (
    ("offset -1", "offset 1"),
    ("`!x`", "`x`"),
    ("!x", "x"),
    ("v1.0", "v10"),
    ("foo_bar", "foo bar"),
    ("10\u00b2", "102"),
    ("1\u00bd", "112"),
    ("2\u2460", "21"),
    ("10 MB", "10 Mb"),
    ("`Foo`", "`foo`"),
    ("getUser", "getuser"),
    ("$PATH", "$path"),
    ("/Users/x", "/users/x"),
    ("-A", "-a"),
    ("`a  b`", "`a b`"),
    ("```\na  b\n```", "```\na b\n```"),
    ("```\nif x:\n    y\nz\n```", "```\nif x:\n    y\n    z\n```"),
    ("spec:\n  a: 1\n  b: 2", "spec:\n  a: 1\nb: 2"),
    ("if x:\n  y\n  z", "if x:\n  y\nz"),
    ("# PermitRootLogin yes", "PermitRootLogin yes"),
    ("# rm x\nrm y", "# rm x rm y"),
    ("- stop\n- database", "stop database"),
    ("- 5", "5"),
    ("+ a\n- b", "- a\n- b"),
    ("~~old~~ rule", "old rule"),
    ("delete *tmp*", "delete tmp"),
    ("x**y", "x*y"),
    ("__init__", "init"),
    ("cd ..", "cd"),
    ("Run make .", "Run make"),
    ("Does it work?", "Does it work"),
    ("we do it in Maßen", "we do it in Massen"),
    ("send US invoices", "send us invoices"),
    ("use `not` here", "use not here"),
    ("a < b", "a > b"),
    ("x == y", "x != y"),
    ("1,000", "1.000"),
)


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_writing_alone_makes_no_other_text(one: str, other: str) -> None:
    assert text_hash("t", one) == text_hash("t", other)
    assert text_hash(one, "b") == text_hash(other, "b")


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_may_change_the_meaning_makes_another_text(one: str, other: str) -> None:
    assert text_hash("t", one) != text_hash("t", other)


def test_a_word_moved_between_title_and_body_makes_another_text() -> None:
    assert len({text_hash("a b", "c"), text_hash("a", "b c"), text_hash("a b c", "")}) == 3


def test_a_hash_has_thirty_two_bytes_even_of_nothing_and_of_a_lone_surrogate() -> None:
    assert len(text_hash("", "")) == len(text_hash("\ud83d", "x")) == 32


@given(st.text())
def test_normalising_again_changes_nothing_in_letters_and_spaces(text: str) -> None:
    plain = "".join(char if char.isalpha() else " " for char in text)
    assert normalised(normalised(plain)) == normalised(plain)


@given(
    st.integers(min_value=0), st.integers(min_value=0), st.sampled_from(("{} s", "-{}", "v{}.1", "`{}`", "a{}b", "{}²"))
)
def test_different_numbers_never_give_equal_texts(one: int, other: int, frame: str) -> None:
    assert (normalised(frame.format(one)) == normalised(frame.format(other))) == (one == other)


@given(st.text(alphabet="`~*_-#> \nab1.\t", max_size=200))
def test_no_mixture_of_marks_breaks_the_rule(text: str) -> None:
    assert text_hash("t", text) == text_hash("t", text.replace("\n", "\r\n"))
