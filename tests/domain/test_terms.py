"""What search takes for a word, on the side of the entry and on the side of the query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapelle.domain.rules.terms import count_words, query_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("src/api/app.py", {"src/api/app.py", "src", "api", "app.py", "app", "py"}),
        ("getUserById", {"getuserbyid", "get", "user", "by", "id"}),
        ("HTTPServer2", {"httpserver2", "http", "server2"}),
        ("SCREAMING_SNAKE", {"screaming_snake", "screaming", "snake"}),
        ("ADR-016", {"adr-016", "adr", "016"}),
        ("kapelle::domain", {"kapelle::domain", "kapelle", "domain"}),
        ("10.0.0.1:5432", {"10.0.0.1:5432", "10", "0", "1", "5432"}),
        ("TypeError: 'NoneType'", {"typeerror", "type", "error", "nonetype", "none"}),
        ("it's", {"it", "s"}),
        ("C++ and C++17, C# too", {"c++", "and", "17", "c#", "too"}),
        (".NET 8", {".net", "net", "8"}),
        ("see a.End", {"see", "a.end", "a", "end"}),
        ("Straße ＦＵＬＬ", {"strasse", "full"}),
    ],
)
def test_compounds_are_words_whole_and_by_every_part(text: str, words: set[str]) -> None:
    assert set(query_words(text)) == words
    assert set(count_words(text)) == words


@pytest.mark.parametrize("text", ["", " ", '"', "*", "& !|()", "🚀🎉", "\ud83d", "\0", "--", "'"])
def test_signs_alone_are_no_words(text: str) -> None:
    assert query_words(text) == ()


@pytest.mark.parametrize(
    ("sentence", "query"),
    [
        ("数据库连接池的大小是十", "连接"),
        ("数据库连接池的大小是十", "池"),
        ("東京タワーは芝公園にある", "タワ"),
        ("서울특별시에서 배포한다", "특별시"),
        ("ระบบฐานข้อมูลหลัก", "ข้อมูล"),
    ],
)
def test_the_middle_of_a_sentence_without_spaces_is_found(sentence: str, query: str) -> None:
    assert set(query_words(query)) <= set(count_words(sentence))


def test_a_plain_word_counts_once_each_time() -> None:
    assert count_words("deploy, Deploy and deploy-job") == {"deploy": 3, "and": 1, "deploy-job": 1, "job": 1}


def test_a_query_is_cut_to_its_first_distinct_words() -> None:
    assert query_words("b a b c", limit=2) == ("b", "a")


@given(st.text(max_size=400))
def test_every_text_is_found_by_itself(text: str) -> None:
    assert set(query_words(text)) <= set(count_words(text))
    assert all(word and " " not in word for word in count_words(text))


@pytest.mark.parametrize("unit", ["a", "a.", "aB", "a_", "数", "+", "ab ", "://", ".a"])
def test_the_longest_body_of_any_shape_is_read(unit: str) -> None:
    # A pattern that backtracks would not come back from this.
    assert all(len(word) <= 120 for word in count_words(unit * (65_536 // len(unit))))
