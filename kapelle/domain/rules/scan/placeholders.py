"""What stands where a secret would stand and is none: placeholders, references, code, digests and names."""

import re
from typing import Final

from kapelle.domain.rules.scan.checksums import is_nkey_public

_MARKS: Final = re.compile(
    r"\$\{|\$\(|^\$argon2\w{1,2}\$v=\d+\$m=\d+,t=\d+,p=\d+\$?$|(?<![A-Za-z0-9])\$(?:[a-z_]|[A-Z][A-Za-z_]*(?![A-Za-z0-9_]))|\{\{|\}\}|%\(|#\{|<[^<>\s]{1,60}>"
    r"|\(\?[=:!<]|\*{3}|\.{3}|…|•{2}|x{4}|X{4}|_{4}|-{4}|#{4}|0{8}|%[A-Z_]{3,}%|\{[A-Za-z_.\[\]]{2,40}\}"
)
_WORDS: Final = re.compile(
    r"example|placeholder|change[_\- ]?(?:me|it|this)|replace|redact|masked|dummy|insert|fix[_\- ]?me|your[_\-A-Z]"
    r"|^your|^my[_\-]|to[_\-]?do\b"
    r"|fill[_\- ]?in|goes[_\-]?here|not[_\-]?a[_\-]?real|not[_\-]?real|(?<![a-z0-9])fake|fake(?![a-z0-9])"
    r"|invalid|sanitized|removed|hidden"
    r"|1234567890|abcd[-_]?1234|1234[-_]?abcd|a1b2c3|1a2b3c|0123456789|abcdefghij",
    re.IGNORECASE,
)
# Words that name a kind of value, a state of it, or a toy; alone they are never a secret.
_STOP: Final = frozenset(
    """
    password passwd passphrase pass pwd secret secrets token tokens key keys apikey api_key api-key credential
    credentials creds login user username admin root guest test testing tests tester demo sample foo bar baz qux
    foobar hello world string str text bytes int bool boolean object any none null nil undefined true false yes
    no on off required optional default empty blank unset disabled enabled missing wrong expired revoked locked
    rotated stored hashed encrypted plaintext plain generated random unknown secure insecure weak strong invalid
    valid correct incorrect secretstr password1 password123 value values name field type number char varchar env
    environment variable vault literal prompt stdin file auto manual basic bearer digest mypassword mysecret
    mytoken mypass mykey secretkey privatekey publickey s3cr3t secret123 pass123 test123 passw0rd 123456
    12345678 1234 12345 abc123 xyz abc
    """.split()
)
_REFERENCE: Final = re.compile(
    # Look-ups and calls, attribute paths, environment names, files, references of secret stores.
    r"(?i:^(?:os|process|env|environ|getenv|config|settings|self|this|var|local|data|module|secrets?|vault|ref|sops"
    r"|op|arn|aws|gcp|azure|ssm|kwargs|args"
    r"|params?|request|response|req|res|ctx|context|opts?|options|values|input|inputs|steps|github|gitlab|matrix"
    r"|vars|github_env|params|credentials|keychain|file|env_var|props|state|cfg|conf|session|user|client|lookup"
    r"|await|new|function|async|lambda|return|http|https)(?:[.:\[(/]|$))"
    r"|://|\w\(|\)$|\w\[|^\[|^\{|^\(|^&[a-z_\-]+$|^@[a-z]|^!(?:Ref|Sub|Get|Join|Import|reference|vault)|^\\|::|=>"
    r"|->|^/|^~/|^\./|^\.\./|^[A-Za-z]:\\|^--?[A-Za-z]"
    r"|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^%[a-z]$|^%\(|^\$(?![A-Z][A-Za-z]+\d)|\.(?:txt|pem|key|json|ya?ml|env|toml"
    r"|ini|cfg|crt|pub|sql|gz|sh|py|js|ts|go|rs|md|html?|conf|properties|tfvars|log)$"
)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HEX: Final = re.compile(r"(?:0x)?(?:[0-9a-f]{6,}|[0-9A-F]{6,})")
_DIGEST: Final = re.compile(
    r"(?:sha(?:1|224|256|384|512)|md5|h1|blake2b|blake3)[-:=][A-Za-z0-9+/=_\-]{16,}|SHA256:[A-Za-z0-9+/=]{40,}",
    re.IGNORECASE,
)
_DOCUMENTED: Final = frozenset(
    {"4eC39HqLyjWDarjtT1" + "zdp7dc", "eyJzdWIiOiIxMjM0NTY3" + "ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwi"}
)
_MIN_DISTINCT: Final = 5
_REPEATS: Final = re.compile(r"(.)\1{7}|(.{2,4})\2{3}")


def is_placeholder(value: str) -> bool:
    """Say whether a value only shows where a secret would go."""
    if len(set(value)) < _MIN_DISTINCT and len(value) >= 2 * _MIN_DISTINCT:
        return True
    return bool(_MARKS.search(value) or _WORDS.search(value)) or is_stop_word(value) or is_documented(value)


def is_stop_word(value: str) -> bool:
    """Say whether a value is a word that names a kind of value, a state or a toy."""
    return value.strip("\"'`.,;:!?()[]{}<>*_-").lower() in _STOP


def is_documented(value: str) -> bool:
    """Say whether a value is a published sample that many documents repeat."""
    return any(sample in value for sample in _DOCUMENTED)


def is_filler(value: str) -> bool:
    """Say whether a long value is visibly not random: one part repeated, or few characters."""
    return bool(_REPEATS.search(value)) or len(set(value)) < min(_MIN_DISTINCT + len(value) // 12, 12)


def is_reference(value: str) -> bool:
    """Say whether a value points at a secret that is kept elsewhere, or is code that reads or computes one."""
    return bool(_REFERENCE.search(value))


def is_uuid(value: str) -> bool:
    """Say whether a value is a UUID, which names a thing far more often than it opens one."""
    return _UUID.fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Say whether a value is a hexadecimal number of at least six digits, as commits and digests are."""
    return _HEX.fullmatch(value) is not None


def is_public(value: str) -> bool:
    """Say whether a value is of a kind that is meant to be public: a labelled digest, or the public half of a key."""
    return bool(_DIGEST.match(value)) or is_nkey_public(value)
