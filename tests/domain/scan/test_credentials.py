"""Credentials: found in every place and disguise, named and never repeated; and what is none is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scan_data import values
from benchmarks.scan_data.kinds import KINDS
from kapelle.domain.rules.scan import tokens_cloud, tokens_code, tokens_services
from kapelle.domain.rules.scan.credentials import findings
from kapelle.domain.rules.scan.places import part
from kapelle.domain.scan import Finding


def _found(text: str) -> list[Finding]:
    return findings(part("body", text))


@pytest.mark.parametrize("kind", KINDS)
def test_a_named_kind_is_found_for_many_draws(kind: str) -> None:
    missed = sum(not _found(f"Use {KINDS[kind](values.seeded(f'{kind} {turn}'))} here.") for turn in range(25))

    assert missed <= 1


def test_a_finding_names_the_rule_and_the_place_and_never_the_value() -> None:
    token = values.checked(values.seeded(1), "ghp_")

    [finding] = _found(f"One line.\n  and {token} here")

    assert (finding.rule, finding.what, finding.line, finding.column) == ("github-token", "a GitHub token", 2, 7)
    assert token[:8] not in repr(finding)


def test_a_place_behind_escapes_is_the_place_in_the_original() -> None:
    token = values.checked(values.seeded(2), "ghp_")

    [finding] = _found(f"&amp; &#106; {token[:9]}\u200b{token[9:]}")

    assert (finding.line, finding.column) == (1, 14)


def test_a_github_token_with_a_wrong_checksum_is_found_too() -> None:
    token = values.checked(values.seeded(3), "ghp_")

    assert _found(token[:-1] + ("a" if token[-1] != "a" else "b"))


def test_a_seed_in_pieces_is_found_only_when_its_checksum_fits() -> None:
    seed = values.nkey_seed(values.seeded(4))
    pieces = " ".join(seed[at : at + 6] for at in range(0, len(seed), 6))
    other = pieces[:-1] + ("A" if pieces[-1] != "A" else "B")

    assert _found(pieces)
    assert not _found(other)


def test_public_keys_are_no_credentials() -> None:
    for role in (20 << 3, 0, 14 << 3):
        assert not _found(f"signing key: {values.nkey_public(values.seeded(5), role)}")


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "GITHUB_TOKEN=ghp_" + "x" * 36,
        "sk_test_" + "4eC39HqLyjWDarjtT1" + "zdp7dc",
        "amqp://guest:guest@localhost:5672/",
        "postgres://postgres:postgres@127.0.0.1/app",
        "password: ${DB_PASSWORD}",
        "password: [REDACTED]",
        "DB_PASSWORD=********",
        "token: <TOKEN>",
    ],
)
def test_placeholders_and_toys_pass(text: str) -> None:
    assert not _found(text)


@pytest.mark.parametrize(
    "text",
    [
        "postgres://postgres:postgres@db.internal/app",
        "nats://app:Otter!42@nats.internal:4222",
        "redis://:tulip77x@c:6379",
    ],
)
def test_a_password_to_another_machine_is_found(text: str) -> None:
    assert _found(text)


@pytest.mark.parametrize(
    "text",
    ["password=" * 7_000, "https://ab:c4d@e " * 4_000, "the password is " * 4_000, "eyJ" * 20_000, "token " * 9_000],
)
def test_a_text_too_dense_to_check_is_refused(text: str) -> None:
    assert _found(text[:65_536]) or "eyJ" in text


def test_every_rule_has_a_name_of_its_own_words() -> None:
    rows = tokens_code.TOKENS + tokens_cloud.TOKENS + tokens_services.TOKENS
    described: dict[str, set[str]] = {}
    for row in rows:
        described.setdefault(row.rule, set()).add(row.what)
        assert row.what.startswith(("a ", "an "))
    assert len(described) >= 80


@given(st.text(alphabet=st.characters(), max_size=300))
def test_no_text_makes_it_raise(text: str) -> None:
    _found(text)


@pytest.mark.parametrize(
    "text", ["\ud800", "\x00", "a\udfffb\x00" * 50, "", "\n", "-----BEGIN", "%", "&#", "\\", "\\u12"]
)
def test_odd_texts_are_scanned(text: str) -> None:
    _found(text)
