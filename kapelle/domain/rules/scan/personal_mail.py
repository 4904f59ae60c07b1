"""E-mail addresses, plain and written around. Addresses of roles, robots, programs and examples are nobody's."""

import re
from collections.abc import Iterator
from typing import Final

from kapelle.domain.rules.scan.hits import Confidence, Personal
from kapelle.domain.rules.scan.personal_spans import Span
from kapelle.domain.rules.scan.reading import line_before
from kapelle.domain.rules.scan.top_level import TOP_LEVEL

_MAX_LOCAL: Final = 64
_LOCAL: Final = "abcdefghijklmnopqrstuvwxyz0123456789.!#$%&'*+/=?^_`{|}~-"
_LOCAL_KEPT: Final = "abcdefghijklmnopqrstuvwxyz0123456789._%+'-"
_DOMAIN: Final = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}([^\W\d_]{2,24}|xn--[a-z0-9-]{2,59})")

_RESERVED: Final = (
    "example.com example.org example.net example test invalid localhost local localdomain internal intranet lan "
    "corp home.arpa svc private"
).split()
_BELOW_RESERVED: Final = tuple("." + name for name in _RESERVED)
_PLACEHOLDER_DOMAINS: Final = frozenset(
    "domain.com domain.tld yourdomain.com your-domain.com yourcompany.com your-company.com mydomain.com "
    "mycompany.com company.com foo.com "
    "bar.com foobar.com test.com sample.com somewhere.com somedomain.com email.tld host.com server.com site.com "
    "placeholder.com".split()
)
# Robots, mailing lists, and the a@b.com of every test.
_NOBODYS_DOMAIN: Final = re.compile(
    r"noreply|^lists?\.|^googlegroups\.com$|^groups\.io$|^[a-z]{1,2}\.(?:com|org|net|de|io)$"
)
_ROLES: Final = frozenset(
    "admin administrator root postmaster hostmaster webmaster abuse noc security info contact hello support "
    "help helpdesk service services "
    "sales marketing billing accounts accounting finance legal privacy compliance dpo gdpr press media pr jobs "
    "careers hr recruiting "
    "office team ops devops sre oncall on-call platform infra infrastructure engineering dev developers eng it "
    "sysadmin alerts alert "
    "alerting monitoring notifications notification notify news newsletter mailer-daemon mailer daemon bounce "
    "bounces reply replies feedback "
    "survey orders order shop store ci cd build builds builder bot bots robot automation deploy deployer "
    "release releases svc service-account "
    "git svn hg cvs ssh user username users you your-email your.email youremail yourname your-name someone "
    "somebody anyone foo bar baz "
    "test tests tester testing example sample demo dummy fake nobody anonymous guest default system unknown "
    "local maintainers maintainer "
    "committee board list lists mailing-list users dev-list announce discuss community moderators webhooks "
    "webhook api inbound incoming mail "
    "email e-mail enquiries inquiries general management partners vendor vendors procurement invoices invoice "
    "payments payroll "
    "opensource oss open-source conduct security-team psirt cert csirt bugs bug bugreport issues tickets "
    "ticket changes".split()
)
_ROLE_PARTS: Final = re.compile(
    r"no-?reply|do-?not-?reply|\bteam\b|\bbot\b|mailer-daemon|notifications?\b|-(?:dev|users|announce|list"
    r"|admins?|owners?|alerts?|oncall)$|\[bot\]"
)
_COMMANDS: Final = re.compile(r"\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|sshfs|autossh)\b[^\n|;&]{0,60}$")
_MAIL_WORDS: Final = re.compile(
    r"(?:mail|contact|reach|write to|owner|cc|author|reporter|ping|ask)\b[^\n]{0,24}$|mailto:$|<$"
)

_AT: Final = re.compile(r"[\[({<]\s?(?:at|@)\s?[\])}>]|\s(?:at|@)\s")
_DOT: Final = r"(?:\s{0,3}[\[({<]\s?(?:dot|\.)\s?[\])}>]\s{0,3}|\sdot\s|\.)"
_SPELT_DOMAIN: Final = re.compile(rf"\s{{0,3}}((?:[a-z0-9][a-z0-9-]{{0,62}}{_DOT}){{1,5}})([a-z]{{2,18}})(?![\w-])")
_ALSO_WORDS: Final = frozenset(
    "py sh rs md so cc pl ps to in is it at me be do am my no as by name one work run product".split()
)
_SPELT_LOCAL: Final = re.compile(r"([a-z0-9][\w+-]*(?:(?:\.|\s?[\[({]\s?dot\s?[\])}]\s?|\sdot\s)[\w+-]+){0,3})\s{0,3}$")
_ANY_DOT: Final = re.compile(_DOT)


def addresses(low: str) -> Iterator[Span]:
    """Yield the e-mail addresses of a view in lower case."""
    if "@" in low:
        yield from _plain(low)
    if "dot" in low or "at]" in low or "at)" in low or "at}" in low or "at>" in low:
        yield from _spelt(low)


def _plain(low: str) -> Iterator[Span]:
    at = low.find("@")
    while at >= 0:
        domain = _DOMAIN.match(low, at + 1)
        if domain is not None:
            start = _local_start(low, at)
            if start < at and _is_someone(low, start, at, domain):
                confidence = _confidence(low, start, domain)
                if confidence is not None:
                    yield Span(Personal.EMAIL, start, domain.end(), confidence)
        at = low.find("@", at + 1)


def _local_start(low: str, at: int) -> int:
    lowest = max(0, at - _MAX_LOCAL)
    head = low[lowest:at]
    start = at - (len(head) - len(head.rstrip(_LOCAL_KEPT)))
    while start > lowest and low[start - 1].isalnum() and not low[start - 1].isascii():
        start -= 1
        head = low[lowest:start]
        start -= len(head) - len(head.rstrip(_LOCAL_KEPT))
    while start < at and low[start] in ".%+'-":
        start += 1
    return start


def _is_someone(low: str, start: int, at: int, domain: re.Match[str]) -> bool:
    if _is_user_of_a_url(low, start) or _is_remote(low, start, domain.end()):
        return False
    return not is_nobody(low[start:at], domain[0])


def is_nobody(local: str, domain: str) -> bool:
    """Tell whether an address in lower case is a role's, a robot's, or an example."""
    if (
        domain in _PLACEHOLDER_DOMAINS
        or _NOBODYS_DOMAIN.search(domain)
        or domain in _RESERVED
        or domain.endswith(_BELOW_RESERVED)
    ):
        return True
    base = local.split("+", maxsplit=1)[0].strip("'\"")
    return base in _ROLES or local in _ROLES or _ROLE_PARTS.search(local) is not None


def _is_user_of_a_url(low: str, start: int) -> bool:
    before = low[max(0, start - 80) : start]
    if before.endswith("//"):
        return True
    token = before.rsplit(maxsplit=1)[-1] if before and not before[-1].isspace() else ""
    scheme = token.rfind("://")
    return scheme >= 0 and "/" not in token[scheme + 3 :] and "?" not in token[scheme + 3 :]


def _is_remote(low: str, start: int, end: int) -> bool:
    path = low[end : end + 2]
    if path[:1] == ":" and path[1:] and (path[1] in "~/." or path[1].isalpha()):
        return True
    line = line_before(low, start, 80)
    return (
        any(command in line for command in ("ssh", "scp", "sftp", "rsync", "mosh"))
        and _COMMANDS.search(line) is not None
    )


def _confidence(low: str, start: int, domain: re.Match[str]) -> Confidence | None:
    top, after = domain[1], low[domain.end() : domain.end() + 1]
    # The product of two matrices is followed by a bracket, too: `a@b.to(device)`.
    called = after == "(" and top in _ALSO_WORDS
    if after.isalnum() or after in ("_", "@") or called or re.match(r"\d+\.\d", domain[0]):
        return None
    if top in TOP_LEVEL or top.startswith("xn--"):
        return Confidence.HIGH
    return Confidence.LOW if _MAIL_WORDS.search(low[max(0, start - 32) : start]) and top not in _ENDINGS else None


_ENDINGS: Final = frozenset(
    "png jpg jpeg gif svg webp ico json yaml yml toml xml html css js ts tsx jsx go java txt log csv tar gz tgz "
    "zip whl exe service socket timer svc".split()
)


def _spelt(low: str) -> Iterator[Span]:
    for match in _AT.finditer(low):
        domain = _SPELT_DOMAIN.match(low, match.end())
        local = _SPELT_LOCAL.search(low[max(0, match.start() - _MAX_LOCAL) : match.start()]) if domain else None
        if domain is None or local is None:
            continue
        bracketed = match[0].strip()[0] in "[({<"
        name = _ANY_DOT.sub(".", domain[1]) + domain[2]
        spelt_out = "dot" in domain[1]
        known = domain[2] in TOP_LEVEL and (bracketed or domain[2] not in _ALSO_WORDS)
        if known and (bracketed or spelt_out) and not is_nobody(_ANY_DOT.sub(".", local[1]), name):
            start = match.start() - len(local[0])
            yield Span(Personal.EMAIL, start, domain.end(), Confidence.HIGH if bracketed else Confidence.LOW)
