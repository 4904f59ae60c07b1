"""The words that announce a credential, in the languages that teams write in, and where they stand in a text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Family(StrEnum):
    """What a word announces, which decides how a value beside it must look."""

    PASSWORD = "password"  # noqa: S105 - the name of a family.
    SECRET = "secret"  # noqa: S105 - as above.
    TOKEN = "token"  # noqa: S105 - as above.
    KEY = "key"
    LOGIN = "login"
    # A key that nothing says is secret, such as "the geocoder key".
    SOME_KEY = "some-key"


@dataclass(frozen=True, slots=True)
class Word:
    """One announcing word at `text[start:end]`."""

    family: Family
    start: int
    end: int


# A literal finds the place, the pattern says whether the word is there; lower case.
_WORDS: Final[tuple[tuple[Family, str, re.Pattern[str]], ...]] = tuple(
    (family, literal, re.compile(pattern))
    for family, literal, pattern in (
        (
            Family.PASSWORD,
            "pass",
            (
                r"pass(?:[ _-]?(?:word|phrase|code|wd)|wort)(?:en)?(?![a-rt-z])|(?:(?<![a-z])|(?<=ssh)|(?<=smtp)"
                r"|(?<=imap)|(?<=db)|(?<=user)|(?<=store)|(?<=key)|(?<=root)|(?<=admin)|(?<=mail)"
                r"|(?<=ftp))passe?(?![a-z])"
            ),
        ),
        (Family.PASSWORD, "pwd", r"pwd(?![a-z])"),
        (Family.PASSWORD, "pw", r"(?:(?<![a-z0-9])|(?<=bind)|(?<=root)|(?<=user)|(?<=admin)|(?<=db))pw(?![a-z0-9])"),
        (Family.PASSWORD, "psk", r"(?<![a-z])psk(?![a-z])"),
        (Family.PASSWORD, "_auth", r"(?<=rediscli)_auth(?![a-z])"),
        (Family.PASSWORD, "root", r"(?<![\w./-])root(?= (?:is|was) (?:now |still |again )?\S*\d)"),
        (Family.PASSWORD, "unlock", r"unlock(?:s|ed)? with(?= )"),
        (Family.PASSWORD, "psw", r"(?<![a-z0-9])psw(?![a-z])"),
        (Family.SECRET, "secret", r"secret(?:[ _-]?(?:key|token|access[ _-]?key|value))?(?![a-z])"),
        (Family.SECRET, "salt", r"(?<=[_-])salt(?![a-z])"),
        (Family.TOKEN, "token", r"token(?![a-z])"),
        (Family.TOKEN, "pat", r"(?<=[_\- ])pat(?![a-z])"),
        (Family.TOKEN, "jwt", r"(?<![a-z])jwt(?![a-z])"),
        (Family.TOKEN, "_auth", r"(?<![a-z0-9])_auth(?![a-z])"),
        (Family.KEY, "key", r"key(?![a-z])"),
        (Family.LOGIN, "cred", r"cred(?:ential)?s?(?![a-z])"),
        (Family.LOGIN, "log", r"(?<![a-z])log(?:in|on|[ -](?:in|on|into))(?![a-z])"),
        (Family.LOGIN, "sign", r"(?<![a-z])sign[ -]?in(?![a-z])"),
        (Family.LOGIN, "get in", r"(?<![a-z])get in(?:to)?(?![a-z])"),
        (Family.LOGIN, "basic auth", r"basic auth(?:entication)?(?![a-z])"),
        (
            Family.LOGIN,
            "account",
            r"(?<![a-z_\-])account(?= (?:still |now |also )?(?:uses|wants|accepts|takes|expects|has|opens))",
        ),
        (Family.LOGIN, "sudo", r"(?<![a-z_\-])sudo(?= [a-z ]{0,32}(?:uses|wants|accepts|takes|expects|asks))"),
        (Family.LOGIN, "elastic", r"(?<![a-z.@/])elastic(?=[\"'`*]{0,2}\s?[/:]\s\S)"),
        (Family.LOGIN, "admin", r"(?<![a-z.@/])admin(?=[\"'`*]{0,2}\s?[/:|]\s?\S)"),
        (Family.LOGIN, "root", r"(?<![a-z.@/])root(?=[\"'`*]{0,2}\s?[/:|]\s?\S)"),
    )
)
_FOREIGN: Final = re.compile(
    r"contraseña|contrasena|clave(?= (?:de|del|es) )|senha|palavra-passe|парол[ьяюе]м?|密码|密碼|口令"
    r"|パスワード|暗証番号|비밀번호|암호|wachtwoord|kennwort|hasł[oa]|haslo|parol[aă]|heslo"
    r"|lösenord(?:et)?|losenord|şifre|parola|geslo|jelsz[óo]|salasana|adgangskode|passord|lozinka|mật khẩu"
    r"|kata sandi|รหัสผ่าน|كلمة (?:المرور|السر)|סיסמה|सांकेतिक|पासवर्ड|κωδικός"
)
_FOREIGN_ASCII: Final = (
    "contrasena",
    "clave ",
    "senha",
    "wachtwoord",
    "kennwort",
    "haslo",
    "parola",
    "heslo",
    "losenord",
    "geslo",
    "jelszo",
    "salasana",
    "adgangskode",
    "passord",
    "lozinka",
)
_QUALIFIED_KEY: Final = re.compile(
    r"(?:api|access|secret|private|signing|sign|encryption|encrypt|account|storage|master|licen[sc]e|admin|auth|app"
    r"|application|service|shared|client|hmac|jwt|session|write|ingest(?:ion)?"
    r"|subscription|integration|server|consumer|webhook|security|rest|root|deployer|bot|cookie|signature|cipher|aes"
    r"|fernet|crypto|database|unseal|recovery|stripe|openai|anthropic|mistral|cohere"
    r"|gemini|google|datadog|sendgrid|mailgun|twilio|algolia|pagerduty|newrelic|azure|aws|gcp|maps|rapidapi|weather"
    r"|sentry|heroku|cloudflare|grafana|project|user|team|org|pre[ _-]?shared|ssl|tls|ssh"
    r"|wpa2?|wifi|product|activation|serial|backup|kms|vault|jira|slack|github|gitlab|npm|nuget|docker"
    r"|publish(?:ing)?|live|production|prod)[ _.-]?$"
)
# Tokens and secrets by name that open nothing: cursors, counts, forgery guards, names of stored secrets.
_HARMLESS_BEFORE: Final = re.compile(
    r"(?:page|next|prev(?:ious)?|csrf|xsrf|anti[ -]?forgery|request[ _-]?verification|cancell?(?:ation)?"
    r"|continuation|sync|max|min|num|pad|eos|bos|unk|cls|sep|mask|special|stop|start|end|input|output|cached"
    r"|prompt"
    r"|public|pub|publishable|site|fencing|lock|resume|cursor|watch|idempotency|dedup|cache|sort|partition|routing"
    r"|primary|foreign|map|object|count|per|of|non|image[ _-]?pull)[ _.-]?$"
)
_NOUN: Final = re.compile(r"(?:^|[\s(\"'`])(?!public|host|known|peer|age|ssh|gpg|pgp|this|that|which)[a-z]{3,20} $")
# Tokens that make a request repeatable.
_HARMLESS_TOKEN: Final = re.compile(r"(?:client|request|change|action|update|export|import|upload|invocation)[ _.-]?$")
_LEFT: Final = 26
_BLOCK: Final = 600


def words(low: str) -> Iterator[Word]:
    """Yield the announcing words of a text in lower case."""
    for family, literal, pattern in _WORDS:
        at = low.find(literal)
        while at >= 0:
            match = pattern.match(low, at)
            announced = family if match and not _is_sealed(low, at) and _announces(family, low, at) else None
            if match and family is Family.KEY and announced is None and _is_some_key(low, at):
                announced = Family.SOME_KEY
            if match and announced:
                yield Word(announced, at, match.end())
            at = low.find(literal, match.end() if match else at + 1)
    if not low.isascii() or any(word in low for word in _FOREIGN_ASCII):
        for match in _FOREIGN.finditer(low):
            yield Word(Family.PASSWORD, match.start(), match.end())


def _is_sealed(low: str, at: int) -> bool:
    """Say whether what follows is encrypted, as sealed secrets and SOPS files are."""
    return low.rfind("encrypteddata", max(0, at - _BLOCK), at) >= 0 or low.find("enc[aes", at, at + _LEFT) >= 0


def _is_some_key(low: str, at: int) -> bool:
    before = low[max(0, at - _LEFT) : at]
    return _NOUN.search(before) is not None and not _HARMLESS_BEFORE.search(before)


def _announces(family: Family, low: str, at: int) -> bool:
    before = low[max(0, at - _LEFT) : at]
    if family is Family.KEY:
        return bool(_QUALIFIED_KEY.search(before))
    if family is Family.TOKEN and _HARMLESS_TOKEN.search(before):
        return False
    if family in (Family.TOKEN, Family.SECRET):
        # The colons of a resource name are no assignment.
        return not _HARMLESS_BEFORE.search(before) and not before.endswith(":")
    return True
