"""Links: what a browser would open is named, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import scan_links
from benchmarks.scan_link_forms import HARMLESS, HOSTILE
from kapelle.domain.rules.scan import link_hosts, links, views

HOSTS = frozenset({"git.tern.dev", "*.wiki.tern.dev", "bücher.tern.dev", "Docs.Tern.Dev", "[2a02::7]"})
PIECES = (
    "https://",
    "http:/",
    "//",
    "\\\\",
    "[x](",
    "](",
    "]: ",
    "<a href=",
    "'",
    '"',
    ">",
    ")",
    "@",
    ":",
    "/",
    "git.tern.dev",
    "evil.io",
    "www.",
    "www.a.com",
    ".com/x",
    "&#47;",
    "%2f",
    "javascript:",
    "data:",
    "${X}",
    "{{x}}",
    "<host>",
    "[::1]",
    "0x7f",
    "\u200b",
    "。",
    "ｅ",
    "\n",
    "\t",
    " ",
    "url(",
    "?next=",
    "\ud800",
    "\x00",
    "é",
    "xn--",
    "a@b.io:c",
)


def found(text: str, hosts: frozenset[str] = HOSTS) -> list[str]:
    return [hit.what for hit in scan_links.find(text, hosts)]


def test_the_sets_are_large_enough_to_say_something() -> None:
    assert len(HOSTILE) >= 100
    assert len(HARMLESS) >= 150


def test_every_hostile_form_is_found_with_the_host_that_a_browser_would_open() -> None:
    assert [case.form for case in scan_links.hostile() if not scan_links.named(case)] == []


def test_harmless_forms_raise_next_to_no_alarm() -> None:
    cases = list(scan_links.harmless())
    alarms = [case.form for case in cases if scan_links.find(case.text)]
    assert len(alarms) <= 0.005 * len(cases), alarms


def test_a_hostile_form_stays_hostile_with_other_hosts() -> None:
    assert [case.form for case in scan_links.hostile(seed=4) if not scan_links.named(case)] == []


def test_fuzzed_urls_are_read_as_the_whatwg_parser_reads_them() -> None:
    assert [url for url in scan_links.fuzzed(5000, seed=9) if not scan_links.agrees(url)] == []


def test_package_descriptions_without_their_urls_are_left_alone() -> None:
    pieces = [scan_links.without_urls(text) for text in scan_links.documents()]
    alarms = sum(1 for text in pieces if scan_links.find(text))
    assert len(pieces) > 500
    assert alarms <= 0.01 * len(pieces)


@pytest.mark.parametrize(
    "url",
    [
        "https://git.tern.dev/a",
        "https://GIT.TERN.DEV",
        "https://git.tern.dev.:443/a",
        "https://docs.tern.dev",
        "https://deep.er.wiki.tern.dev/",
        "https://bücher.tern.dev/",
        "https://xn--bcher-kva.tern.dev/",
        "https://b%C3%BCcher.tern.dev/",
        "http://[2a02:0::7]/",
        "https://me:secret@git.tern.dev/a",
    ],
)
def test_allowed_hosts_pass_however_they_are_spelt(url: str) -> None:
    assert found(url) == []


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://wiki.tern.dev/", "wiki.tern.dev"),
        ("https://evilwiki.tern.dev/", "evilwiki.tern.dev"),
        ("https://git.tern.dev.evil.io/", "git.tern.dev.evil.io"),
        ("https://sub.git.tern.dev/", "sub.git.tern.dev"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://[::1]/", "[::1]"),
    ],
)
def test_what_only_resembles_an_allowed_host_is_refused(url: str, host: str) -> None:
    assert found(url) == [f"a link to {host}, which is not an allowed host"]


@pytest.mark.parametrize(
    "text",
    ["http://localhost:3000/x", "http://127.0.0.1:8080", "http://redis:6379", "http://api.prod.svc.cluster.local/x"],
)
def test_names_of_the_readers_own_machine_and_cluster_pass_without_being_listed(text: str) -> None:
    assert found(text, frozenset()) == []


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a",
        "https://api.example.org",
        "https://<host>/a",
        "http://$HOST:8080/",
        "https://{{ host }}/x",
        "https://...",
    ],
)
def test_placeholders_and_reserved_examples_pass(text: str) -> None:
    assert found(text, frozenset()) == []


@pytest.mark.parametrize(
    "text",
    [
        "git.tern.dev moved",
        "we compared stripe.com and adyen.com",
        "kubernetes.io is the prefix",
        "uses socket.io and Next.js",
    ],
)
def test_bare_hosts_in_prose_pass(text: str) -> None:
    assert found(text, frozenset()) == []


def test_a_port_does_not_make_another_host() -> None:
    assert found("https://git.tern.dev:8443/x") == []


def test_a_hit_names_neither_user_information_nor_path_nor_query() -> None:
    (what,) = found("https://hunter:Tr0ub4dor@evil.io:81/private/plan?token=abc#frag")
    assert what == "a link to evil.io, which is not an allowed host"


def test_a_hit_starts_where_the_link_starts_in_the_original() -> None:
    text = "first\u200b line &amp; more\n\nsee https&#58;//evil.io/x"
    (hit,) = scan_links.find(text, HOSTS)
    assert text[hit.start :].startswith("https&#58;//")


def test_each_host_is_reported_once_at_its_first_place() -> None:
    text = "https://evil.io/a https://other.io/b https://EVIL.io/c"
    hits = scan_links.find(text, HOSTS)
    assert [(hit.start, hit.what.split(",")[0]) for hit in hits] == [
        (0, "a link to evil.io"),
        (18, "a link to other.io"),
    ]


def test_a_text_full_of_foreign_hosts_reports_a_bounded_number() -> None:
    text = " ".join(f"https://h{number}.io" for number in range(500))
    assert len(scan_links.find(text, HOSTS)) == links.MAX_HITS


def test_no_views_hold_no_links() -> None:
    assert links.find((), HOSTS) == ()


def test_a_host_that_no_browser_reads_resolves_to_nothing() -> None:
    assert link_hosts.resolved("exa mple") is None
    assert link_hosts.resolved("x" * 5000) is None


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_pieces_of_links_in_any_order_never_raise(text: str) -> None:
    for hit in scan_links.find(text, HOSTS):
        assert 0 <= hit.start < len(text)


@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    scan_links.find(f"https://{text}", HOSTS)
    links.find((views.View(text),), HOSTS)
