"""Personal data: found whole, told from what only looks like it, and redacted exactly and once."""

from collections import Counter
from ipaddress import IPv4Address
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import scan_links, scan_personal
from kapelle.domain.rules.scan import personal
from kapelle.domain.rules.scan.hits import Confidence, Personal, PersonalHit

PIECES = (
    "lena.bo@siskin.io",
    "415-555-0123",
    "+44 7700 900123",
    "(415) 555-0123",
    "4539 1488 0343 6467",
    "4539148803436467",
    "DE75512108001245126199",
    "536-22-1234",
    "93.184.215.14",
    "2a02:26f0::5",
    "phone ",
    "call ",
    "ssn ",
    "born on ",
    "1990-02-03",
    "card ",
    "a",
    "1",
    "-",
    ".",
    "@",
    "+",
    "(",
    ")",
    ":",
    "/",
    " ",
    "\n",
    "[EMAIL]",
    "[PHONE]",
    "\u200b",
    "&#64;",
    "%40",
    "é",
    "\ud800",
    "\x00",
    "lena at siskin dot io",
    "[at]",
    "siskin.io",
    "0",
    "7700",
)


def kinds(text: str) -> list[str]:
    return [hit.kind for hit in scan_personal.find(text)]


def test_personal_data_is_found_whole_nearly_always() -> None:
    total: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for case in scan_personal.present():
        total[str(case.kind)] += 1
        missed[str(case.kind)] += not scan_personal.exact(case)
    assert total.total() >= 400
    assert missed.total() <= 0.02 * total.total(), missed


def test_what_only_looks_like_personal_data_raises_next_to_no_alarm() -> None:
    cases = list(scan_personal.absent())
    alarms = [case.name for case in cases if scan_personal.find(case.text)]
    assert len(cases) >= 200
    assert len(alarms) <= 0.005 * len(cases), alarms


def test_package_descriptions_hold_little_but_e_mail_addresses() -> None:
    pieces = list(scan_links.documents())
    others = [hit.kind for text in pieces for hit in scan_personal.find(text) if hit.kind is not Personal.EMAIL]
    assert not {Personal.CARD, Personal.IBAN, Personal.ID, Personal.DATE} & set(others)


def test_redacting_replaces_each_value_by_its_type_and_nothing_else() -> None:
    text = "Ask lena.bo@siskin.io or\u200b +44 7700 900123;\ncard 4539 1488 0343 6467, from 93.184.215.14."
    assert scan_personal.redacted(text) == "Ask [EMAIL] or\u200b [PHONE];\ncard [CARD], from [IP]."


def test_a_value_that_is_written_around_is_cut_from_the_original() -> None:
    assert scan_personal.redacted("x lena&#64;siskin.io y, l\u200bena＠siskin.io z") == "x [EMAIL] y, [EMAIL] z"


@pytest.mark.parametrize("case", [*scan_personal.present(seed=3)], ids=lambda case: case.name)
def test_redacting_again_changes_nothing(case: scan_personal.Case) -> None:
    once = scan_personal.redacted(case.text)
    assert case.value not in once
    assert scan_personal.redacted(once) == once


def test_placeholders_trigger_no_rule() -> None:
    text = "phone [PHONE], ssn [ID], mail [EMAIL], card [CARD], pay to [IBAN], from [IP], born on [DATE]"
    assert scan_personal.find(text) == ()
    assert scan_links.find(text) == ()


def test_a_number_is_not_taken_for_a_phone_because_a_placeholder_stands_before_it() -> None:
    assert kinds("[PHONE] 55501234") == []


@pytest.mark.parametrize(
    "text",
    [
        "noreply@siskin.io",
        "team-data@siskin.io",
        "support+tag@siskin.io",
        "lena@example.com",
        "lena@corp.example",
        "1234+lena@users.noreply.github.com",
        "git@github.com:team/app.git",
        "ssh lena@bastion.siskin.io",
        "https://lena:pw@git.siskin.io/x",
        "dev-list@lists.siskin.io",
        "icon@2x.png",
        "left-pad@1.3.0",
    ],
)
def test_addresses_of_nobody_pass(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "10.1.2.3",
        "192.168.0.9",
        "127.0.0.1",
        "203.0.113.9",
        "8.8.8.8",
        "version 4.18.0.1",
        "Chrome/118.0.5993.70",
        "fe80::1",
        "2001:db8::9",
        "34.120.0.0/16",
    ],
)
def test_addresses_that_are_nobodys_pass(text: str) -> None:
    assert kinds(text) == []


def test_an_address_in_words_is_of_low_confidence() -> None:
    (hit,) = scan_personal.find("write to lena dot bo at siskin dot io")
    assert (hit.kind, hit.confidence) == (Personal.EMAIL, Confidence.LOW)


def test_an_address_with_bracketed_signs_is_of_high_confidence() -> None:
    (hit,) = scan_personal.find("write to lena.bo [at] siskin [dot] io")
    assert (hit.kind, hit.confidence) == (Personal.EMAIL, Confidence.HIGH)


@pytest.mark.parametrize("number", ["4539 1488 0343 6468", "4242 4242 4242 4242", "9539148803436467"])
def test_numbers_that_no_card_has_pass(number: str) -> None:
    assert kinds(f"card {number}") == []


def test_an_account_number_with_a_wrong_check_digit_passes() -> None:
    assert kinds("pay to DE75512108001245126198") == []


def test_an_identity_number_without_its_name_passes() -> None:
    assert kinds("row 44051401359 was wrong") == []
    assert kinds("PESEL 44051401359 was wrong") == ["ID"]


def test_a_hit_says_what_it_is_and_never_the_value() -> None:
    (hit,) = scan_personal.find("lena.bo@siskin.io")
    assert (hit.rule, hit.what, personal.placeholder(hit)) == ("personal-email", "an e-mail address", "[EMAIL]")


def test_redacting_nothing_returns_the_text() -> None:
    assert personal.redact("as it was", ()) == "as it was"
    assert personal.redact("ab", (PersonalHit(kind=Personal.IP, start=0, end=1),)) == "[IP]b"


@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
def test_pieces_in_any_order_give_disjoint_spans_and_a_text_without_any(text: str) -> None:
    hits = scan_personal.find(text)
    assert all(one.end <= other.start for one, other in pairwise(hits))
    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
    once = personal.redact(text, hits)
    assert scan_personal.redacted(once) == once


@given(st.text(max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    once = scan_personal.redacted(text)
    assert scan_personal.redacted(once) == once


@given(st.ip_addresses(v=4).filter(lambda address: not str(address).endswith((".0", ".128"))))
def test_an_address_counts_when_it_is_public_and_only_then(address: IPv4Address) -> None:
    # The resolvers that everybody names are few enough to be left out of what is drawn here.
    assert (kinds(f"client {address} failed") == ["IP"]) == (address.is_global and not address.is_multicast)
