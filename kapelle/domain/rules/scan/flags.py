"""Passwords on command lines, by the command: what stands behind `-p` depends on who reads it."""

import re
from collections.abc import Iterator
from typing import Final

from kapelle.domain.rules.scan.shapes import MEDIUM, WEAK, is_machine_drawn, typed_strength
from kapelle.domain.rules.scan.tokens import Hit, too_dense

_Q: Final = r"[\"'`]?"
_V: Final = r"(?P<value>[^\s\"'`|<>]{4,200})"
_MAX_ATTEMPTS: Final = 500
_BEFORE: Final = 48
_AFTER: Final = 300
# ("user", "password") of a call.
_ARGUMENTS: Final = r"\(\s{0,2}[\"'][\w.@\-]{1,64}[\"']\s{0,2},\s{0,2}[\"'](?P<value>[^\"'\n]{4,100})[\"']"
_GAP: Final = r"[^\n|;]{0,140}?"

# The literal that brings a row up, what follows it, and how much the value must look like a password.
_ROWS: Final[tuple[tuple[str, re.Pattern[str], int], ...]] = tuple(
    (literal, re.compile(pattern), need)
    for literal, pattern, need in (
        ("sshpass", rf"sshpass {_GAP}-p ?{_Q}{_V}", WEAK),
        ("mysql", rf"mysql(?:dump|admin|import|sh|binlog|check|show|slap)?\b{_GAP}\s-p{_Q}{_V}", WEAK),
        ("mariadb", rf"mariadb(?:-dump|-admin)?\b{_GAP}\s-p{_Q}{_V}", WEAK),
        ("redis-cli", rf"redis-cli {_GAP}(?:-a|--pass)[ =]{_Q}{_V}", WEAK),
        ("mongo", rf"mongo(?:sh|dump|restore|import|export)?\s{_GAP}\s-p ?{_Q}{_V}", WEAK),
        (" login", rf" login\b{_GAP}\s(?:-p|-P)[ =]?{_Q}{_V}", WEAK),
        ("vault login", rf"vault login (?:-\S+ ){{0,3}}{_Q}{_V}", MEDIUM),
        ("-pass", rf"-pass(?:in|out)? {_Q}pass:{_V}", WEAK),
        ("openssl enc", rf"openssl enc\b{_GAP}\s-k {_Q}{_V}", WEAK),
        (
            "echo",
            (
                r"echo (?:-[ne]{1,2} )?[\"']?(?P<value>[^\s\"'\n|]{4,100})[\"']? ?\| ?(?:sudo (?:-\w+ ){0,2}-S|passwd"
                r"|docker login|helm registry|gh auth|su |kinit|cryptsetup|gpg|base64(?! -{1,2}d))"
            ),
            WEAK,
        ),
        ("echo", rf"(?:echo|printf|<<<) {_Q}[\w.\-]{{1,32}}:{_V}{_Q} ?\| ?(?:sudo )?chpasswd", WEAK),
        ("<<<", rf"(?:sudo (?:-\w+ ){{0,2}}-S|passwd|docker login|kinit|cryptsetup)\b{_GAP}<<< ?{_Q}{_V}", WEAK),
        ("add_user", rf"add_user {_Q}[\w.\-]{{1,40}}{_Q} {_Q}{_V}", WEAK),
        ("change_password", rf"change_password {_Q}[\w.\-]{{1,40}}{_Q} {_Q}{_V}", WEAK),
        ("htpasswd", rf"htpasswd (?:-\w+ ){{0,4}}\S{{0,60}} ?{_Q}[\w.\-]{{1,40}}{_Q} {_Q}{_V}", WEAK),
        ("identified", rf"identified (?:with \S{{1,40}} )?by {_Q}{_V}", WEAK),
        ("ldap", rf"ldap(?:search|modify|add|whoami|passwd|delete)\b{_GAP}\s-w ?{_Q}{_V}", WEAK),
        ("sqlcmd", rf"sqlcmd\b{_GAP}\s-P ?{_Q}{_V}", WEAK),
        ("7z", rf"7z[ar]?\b{_GAP}\s-p{_Q}{_V}", WEAK),
        ("zip", rf"zip\b{_GAP}\s-P ?{_Q}{_V}", WEAK),
        ("smb", rf"smb(?:client|map|get)\b{_GAP}(?:-U ?{_Q}[\w.\\/\-]{{1,40}}%|\s-p ?{_Q}){_V}", WEAK),
        ("net use", rf"net use (?:\S{{1,80}} ){{1,2}}{_Q}{_V}", WEAK),
        ("storepass", rf"storepass {_Q}{_V}", WEAK),
        ("keypass", rf"keypass {_Q}{_V}", WEAK),
        ("freerdp", rf"freerdp\b{_GAP}/p:{_Q}{_V}", WEAK),
        ("lftp", rf"lftp\b{_GAP}-u {_Q}[\w.\-]{{1,40}},{_V}", WEAK),
        ("send", r"\bsend (?:-- )?[\"'](?P<value>[^\"'\n\\]{4,60})\\r", WEAK),
        ("snmp", rf"snmp(?:walk|get|set)\b{_GAP}\s-[AX] ?{_Q}{_V}", WEAK),
        ("ipmitool", rf"ipmitool\b{_GAP}\s-P ?{_Q}{_V}", WEAK),
        ("influx", rf"influx\b{_GAP}(?:-t|--token|-password) ?{_Q}{_V}", MEDIUM),
        ("requirepass", rf"requirepass[\"'`]?,?\s{{1,3}}{_Q}{_V}", WEAK),
        ("masterauth", rf"masterauth[\"'`]?,?\s{{1,3}}{_Q}{_V}", WEAK),
        ("auth ", rf"(?:^|>|\n) {{0,3}}AUTH (?:\w{{1,20}} )?{_Q}{_V}", WEAK),
        ("useradd", rf"useradd\b{_GAP}\s(?:-p|--password) ?{_Q}{_V}", WEAK),
        ("mc alias", rf"mc alias set \S{{1,80}} \S{{1,80}} \S{{1,80}} {_Q}{_V}", WEAK),
        ("oracle:thin", r"oracle:thin:[\w.\-]{1,40}/(?P<value>[^\s@/\"']{4,60})@", WEAK),
        ("sqlplus", rf"sqlplus (?:-\w+ ){{0,3}}{_Q}[\w.\-]{{1,40}}/(?P<value>[^\s@/\"']{{4,60}})@", WEAK),
        ("auth", rf"(?<![a-z])auth(?:_?cred(?:ential)?s?)?{_Q}\s{{0,2}}[:=]\s{{0,2}}{_Q}[\w.\-]{{1,40}}:{_V}", WEAK),
        (
            "auth",
            rf"auth(?:entication|enticate)?\s?=?\s?{_ARGUMENTS}",
            WEAK,
        ),
        ("login(", rf"login{_ARGUMENTS}", WEAK),
        ("credential", rf"credentials?{_ARGUMENTS}", WEAK),
        ("wpa_passphrase", rf"wpa_passphrase \S{{1,40}} {_Q}{_V}", WEAK),
        (
            "jwt.",
            r"jwt\.(?:sign|verify|encode|decode)\([^,\n]{1,80},\s{0,2}[\"'](?P<value>[^\"'\n]{8,200})[\"']",
            MEDIUM,
        ),
        ("kubectl", rf"--docker-password[ =]{_Q}{_V}", WEAK),
    )
)
# A user and a password for a command that no row names. With some commands `-p` is a port, a path or a question.
_LOGIN: Final = re.compile(rf" (?:-u|--?user(?:name)?)[ =]?\S{{1,60}} {_GAP}-p[ =]?{_Q}{_V}")
_NO_LOGIN: Final = re.compile(r"\b(?:mysql|mariadb|psql|docker run|podman run|mkdir|install|pytest|ssh|useradd)\b")
# Literals that stand inside of their pattern.
_INNER: Final = frozenset({"<<<", "auth "})
_USER: Final = re.compile(
    rf"-(?:(?<=\s-)(?:[a-zA-Z]{{0,4}}u|[Ua])|-user|-proxy-user|-basic-auth|-auth)"
    rf"[ =]?{_Q}[\w.@\-]{{1,64}}:{_V}"
)
_USER_LITERALS: Final = ("curl", " -u", "--user", "--proxy-user", "--basic-auth", "--auth", " -a")
_PGPASS: Final = re.compile(
    r"(?<![\w/.:])[\w.*\-]{1,80}:(?:\d{2,5}|\*):[\w.*\-]{1,40}:[\w.\-]{1,40}:(?P<value>[^\s:\"'`]{4,100})"
)


def hits(text: str, low: str) -> Iterator[Hit]:
    """Yield the passwords that commands in the text carry; `low` is its lower case."""
    for row in [row for row in _ROWS if row[0] in low]:
        yield from _row_hits(text, low, *row)
    yield from _users(text, low)
    if " -u" in low or " --user" in low:
        yield from _logins(text, low)
    if ":" in text:
        yield from _pgpass(text)


def _row_hits(text: str, low: str, literal: str, pattern: re.Pattern[str], need: int) -> Iterator[Hit]:
    at = low.find(literal)
    for _ in range(_MAX_ATTEMPTS):
        if at < 0:
            return
        if literal in _INNER:
            match = pattern.search(text, max(0, at - _BEFORE), at + _AFTER)
        else:
            # Rows are in lower case where the case says nothing; a value is read from the text itself.
            match = pattern.match(text, at) or pattern.match(low, at)
        if match and _is_secret(text[match.start("value") : match.end("value")], need):
            yield _hit(match)
        at = low.find(literal, at + len(literal))
    if at >= 0:
        yield too_dense(at)


def _hit(match: re.Match[str]) -> Hit:
    return Hit("command-password", "a password on a command line", match.start("value"), match.end("value"))


def _users(text: str, low: str) -> Iterator[Hit]:
    if not any(literal in low for literal in _USER_LITERALS):
        return
    for match in _USER.finditer(text):
        if _is_secret(match["value"], WEAK):
            yield _hit(match)


def _logins(text: str, low: str) -> Iterator[Hit]:
    for match in _LOGIN.finditer(text):
        before = low[max(0, match.start() - _BEFORE) : match.start()].rpartition("\n")[2]
        if not _NO_LOGIN.search(before) and _is_secret(match["value"], MEDIUM):
            yield _hit(match)


def _pgpass(text: str) -> Iterator[Hit]:
    at = text.find(":5432:")
    for _ in range(_MAX_ATTEMPTS):
        if at < 0:
            return
        match = _PGPASS.search(text, max(0, at - 80), at + 250)
        if match and _is_secret(match["value"], WEAK):
            yield Hit("pgpass", "a password of a PostgreSQL password file", match.start("value"), match.end("value"))
        at = text.find(":5432:", at + 6)
    if at >= 0:
        yield too_dense(at)


def _is_secret(value: str, need: int) -> bool:
    value = value.rstrip(",;)]}")
    if value.startswith("eyJ"):
        # An object in base64: what it holds is scanned as text.
        return False
    return typed_strength(value) >= need or is_machine_drawn(value)
