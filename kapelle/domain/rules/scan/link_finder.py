"""Where in a text a browser, a Markdown or HTML renderer, a chat or a version control system would find a destination.

Each finder jumps from one rare character to the next and looks around over bounded windows, so that all are linear.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from kapelle.domain.rules.scan.link_bare import bare_hosts
from kapelle.domain.rules.scan.top_level import TOP_LEVEL

_MAX_SCHEME: Final = 24
_MAX_LABEL: Final = 999
_WINDOW: Final = 400
_NAME: Final = "abcdefghijklmnopqrstuvwxyz"
_SCHEME: Final = "abcdefghijklmnopqrstuvwxyz0123456789+.-"

# Ports, paths and queries do not decide the host, so that only the authority is read.
_AUTHORITY: Final = re.compile(
    r"[/\\]*((?:\$\{[^}\n]{0,80}\}|\$\([^)\n]{0,80}\)|\{\{[^}\n]{0,80}\}\}|\{[^{}\n]{0,80}\}|<[^<>\n/]{1,80}>"
    r"|[^/\\?#\s<>\"`])*)"
)
_SLASHED: Final = re.compile(r":[\\/]")
_FILE: Final = re.compile(r"[/\\]{0,3}[\w.~%-]")
_DIRECT: Final = re.compile(r"https?:(?=[a-z0-9-]{1,63}\.[a-z])")
_WRAPPED: Final = str.maketrans("", "", "\t\r\n")
_WEB: Final = frozenset({"http", "https", "ftp", "ws", "wss"})
_REMOTE: Final = frozenset(
    "ftps sftp ssh git svn hg bzr rsync git+ssh git+https git+http git+git svn+ssh svn+https ssh+git hg+https "
    "hg+http gopher irc ircs "
    "rtsp rtmp smb cifs afp nfs telnet ldap ldaps vnc rdp webcal feed dav davs view-source intent".split()
)
# Addresses that programs use to reach their own services. A browser opens none of them.
_SERVICES: Final = frozenset(
    "postgres postgresql mysql mariadb mssql sqlserver oracle redis rediss valkey nats tls amqp amqps mongodb "
    "mongodb+srv kafka s3 s3a s3n "
    "gs gcs az azure abfs abfss wasb wasbs hdfs viewfs tcp tcp4 tcp6 udp udp4 udp6 unix dns xds etcd etcds zk "
    "zookeeper memcached "
    "memcache sqlite sqlite3 duckdb bolt bolt+s bolt+ssc neo4j neo4j+s neo4j+ssc mqtt mqtts stomp clickhouse "
    "clickhouses cassandra scylla "
    "oci docker docker-image docker-daemon containers-storage containerd cri npipe chrome-extension chrome "
    "moz-extension app res asset "
    "assets package jar classpath urn npm pkg crate cockroachdb cockroach pulsar pulsar+ssl grpc grpcs "
    "http+unix otlp statsd syslog "
    "smtp smtps imap imaps pop3 pop3s temporal spiffe vault secret op arn ipc inproc pgm zmq memory mem fake "
    "null stdin stdout snowflake "
    "bigquery redshift athena trino presto hive elasticsearch es opensearch influxdb prometheus rabbitmq celery "
    "sqs sns pubsub "
    "jdbc odbc ray dask spark yarn k8s kubernetes consul nomad dapr vscode-remote vscode-resource ssm tsdb "
    "timescaledb env flatpak snap "
    "driver workspace project link catalog github gitlab resource mcp ui kapelle test mock".split()
)
_FORBIDDEN: Final = frozenset("javascript vbscript livescript data file filesystem ms-msdt search-ms".split())
_BARE_FORBIDDEN: Final = re.compile(
    r"(?:java|vb|live)script:(?=[^\s\"'`]{1,80}[(=`])|data:(?=(?:text/html|text/javascript|image/svg"
    r"|application/(?:x-)?(?:javascript|ecmascript|xhtml|xml))[^\s,]{0,60},)"
    r"|<\s{0,2}(?:(?:java|vb|live)script|data|file):(?=[^\s>])"
)
_ATTRIBUTES: Final = frozenset(
    "href src action formaction srcset data poster cite background ping longdesc manifest codebase url location "
    "icon lowsrc dynsrc".split()
)
_ASSIGNED: Final = re.compile(r"=[ \t\r\n]{0,4}[\"']?[ \t\r\n]{0,4}")
_OPENED: Final = re.compile(r"(?:\]\(|\]:)[ \t\r\n]{0,8}<?")
# What begins so stays on the page's own host; an empty destination too.
_RELATIVE: Final = ("", "#", ".", "?", "]", "[", "(", ")")
_CSS: Final = re.compile(r"(?:url\(|@import)[ \t\r\n]{0,4}[\"']?")
_QUOTED: Final = re.compile(r"[\"'(`]//(?=[a-z0-9-]{1,63}\.[a-z0-9.-]{2,200}[\"'/)`:?#])")
_SCHEMED: Final = re.compile(r"[\x00-\x20]*([a-z][a-z0-9+.-]{0,23}):")
_SCP: Final = re.compile(r"@((?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,24}):(?=[a-z~/._-])", re.IGNORECASE)
_SHARE: Final = re.compile(r"\\\\((?:[A-Za-z0-9-]{1,63}\.){1,8}([A-Za-z]{2,18}))\\(?=[\w$])")
_WWW: Final = re.compile(r"www[0-9]{0,2}\.(?=[a-z0-9-])")
_WWW_HOST: Final = re.compile(r"www[0-9]{0,2}(?:\.[\w-]{1,63}){1,8}")


class Form(Enum):
    """How a destination was written, which decides how its host is judged."""

    # Behind slashes, or resolved from a renderer's destination.
    AUTHORITY = auto()
    # Without a scheme, or a remote: private names may be named.
    NAME = auto()
    # A scheme that is refused whatever it opens.
    SCHEME = auto()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place in a view and the authority, name or scheme that is found there."""

    start: int
    form: Form
    value: str


def candidates(text: str, low: str) -> Iterator[Candidate]:
    """Yield every destination of a text; `low` is the same text in lower case, character by character."""
    if ":" in low:
        yield from _urls(text, low)
        yield from _bare_schemes(low)
    yield from _destinations(text, low)
    if "@" in low:
        yield from _remotes(text)
    if "//" in low:
        yield from _quoted(text, low)
    if "\\\\" in low:
        yield from _shares(text)
    if "www" in low:
        yield from _www(text, low)
    for start, host in bare_hosts(text, low):
        yield Candidate(start, Form.NAME, host)


def _authority(text: str, start: int) -> str:
    match = _AUTHORITY.match(text, start)
    return match[1] if match else ""


def _urls(text: str, low: str) -> Iterator[Candidate]:
    for match in _SLASHED.finditer(low):
        colon = match.start()
        head = low[max(0, colon - _MAX_SCHEME) : colon]
        scheme = head[len(head.rstrip(_SCHEME)) :].lstrip("0123456789+.-")
        if scheme:
            yield from _url(text, colon, scheme)
    for match in _DIRECT.finditer(low):
        yield Candidate(match.start(), Form.AUTHORITY, _authority(text, match.end()))


def _url(text: str, colon: int, scheme: str) -> Iterator[Candidate]:
    start = colon - len(scheme)
    two = text[colon + 2 : colon + 3] in ("/", "\\")
    if scheme in _WEB or scheme.endswith(("http", "https")):
        yield Candidate(start, Form.AUTHORITY, _authority(text, colon + 1))
    elif scheme == "file" and two and _FILE.match(text, colon + 3):
        yield Candidate(start, Form.SCHEME, scheme)
    elif two and len(scheme) > 1 and scheme not in _SERVICES:
        form = Form.AUTHORITY if scheme in _REMOTE else Form.NAME
        yield from _other(start, form, _authority(text, colon + 1))


def _other(start: int, form: Form, authority: str) -> Iterator[Candidate]:
    if form is Form.AUTHORITY:
        yield Candidate(start, form, authority)
    else:
        name = authority.rpartition("@")[2].split(":")[0].rstrip(".,;)'")
        if _FULL_NAME.fullmatch(name) and name.rpartition(".")[2].lower() in TOP_LEVEL:
            yield Candidate(start, form, name)


_FULL_NAME: Final = re.compile(r"(?:[\w-]{1,63}\.)+[A-Za-z]{2,24}")


def _bare_schemes(low: str) -> Iterator[Candidate]:
    if "script:" not in low and "data:" not in low and "file:" not in low:
        return
    for match in _BARE_FORBIDDEN.finditer(low):
        yield Candidate(match.start(), Form.SCHEME, match[0].strip("< \t\r\n:"))


def _destinations(text: str, low: str) -> Iterator[Candidate]:
    if "](" in low or "]:" in low:
        for match in _OPENED.finditer(low):
            if _points_away(low, match):
                yield from _destination(text[match.end() : match.end() + _WINDOW], match.end())
    if "=" in low:
        yield from _assignments(text, low)
    if "url(" in low or "@import" in low:
        for match in _CSS.finditer(low):
            yield from _destination(text[match.end() : match.end() + _WINDOW], match.end())


def _assignments(text: str, low: str) -> Iterator[Candidate]:
    for match in _ASSIGNED.finditer(low):
        named = low[match.start() - 1 : match.start()] in _BEFORE_VALUE
        if named or text[match.end() : match.end() + 1] in _SLASHES:
            yield from _assigned(text, low, match)


def _points_away(low: str, match: re.Match[str]) -> bool:
    if low[match.end() : match.end() + 1] in _RELATIVE:
        return False
    return low.startswith("](", match.start()) or _defines(low, match.start())


def _defines(low: str, bracket: int) -> bool:
    """Tell whether the bracket closes the label of a reference definition: its line begins with the label."""
    lo = max(0, bracket - _MAX_LABEL)
    line = low[low.rfind("\n", lo, bracket) + 1 : bracket] if "\n" in low[lo:bracket] else low[lo:bracket]
    return line.lstrip(" \t>-*+").startswith("[")


def _assigned(text: str, low: str, match: re.Match[str]) -> Iterator[Candidate]:
    head = low[max(0, match.start() - _MAX_SCHEME) : match.start()].rstrip(" \t\r\n")
    bare = head.rstrip(_NAME)
    name = head[len(bare) :]
    window = text[match.end() : match.end() + _WINDOW]
    if name in ("srcset", "imagesrcset"):
        yield from _sources(window, match.end())
    elif name in _ATTRIBUTES:
        yield from _destination(window, match.end())
    elif window[:1] in ("/", "\\") and head.rstrip(_PARAMETER)[-1:] in ("?", "&", ";"):
        yield from _relative(window, match.end())


_BEFORE_VALUE: Final = frozenset(_NAME + " \t\r\n")
_SLASHES: Final = frozenset("/\\")
_PARAMETER: Final = _NAME + "0123456789_-.[]"


def _sources(window: str, start: int) -> Iterator[Candidate]:
    at = 0
    for source in re.split(r"[\"'>]", window, maxsplit=1)[0].split(","):
        yield from _destination(source.strip(), start + at)
        at += len(source) + 1


def _destination(window: str, start: int) -> Iterator[Candidate]:
    """Read a destination as a browser does: no tabs or line breaks, a scheme, or slashes that keep the page's."""
    window = window.translate(_WRAPPED)
    scheme = _SCHEMED.match(window.lower())
    if scheme is None:
        yield from _relative(window, start)
        return
    rest = window[scheme.end() :]
    if scheme[1] in _FORBIDDEN and rest[:1].strip("\"')>|"):
        yield Candidate(start, Form.SCHEME, scheme[1])
    elif scheme[1] in _WEB:
        yield Candidate(start, Form.AUTHORITY, _authority(rest, 0))


def _relative(window: str, start: int) -> Iterator[Candidate]:
    head = window.lstrip("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x1b\x1f ")[: _WINDOW // 2]
    if head[:1] in ("/", "\\") and head[1:2] in ("/", "\\"):
        authority = _authority(head, 0)
        if "." in authority or "[" in authority or authority.isdigit() or not authority.isascii():
            yield Candidate(start, Form.AUTHORITY, authority)


def _quoted(text: str, low: str) -> Iterator[Candidate]:
    for match in _QUOTED.finditer(low):
        yield Candidate(match.start() + 1, Form.NAME, _authority(text, match.end()).split(":")[0].rstrip(")'"))


def _shares(text: str) -> Iterator[Candidate]:
    for match in _SHARE.finditer(text):
        before = text[match.start() - 1] if match.start() else " "
        if match[2].lower() in TOP_LEVEL and not (before.isalnum() or before in "\\:/"):
            yield Candidate(match.start(), Form.NAME, match[1])


def _remotes(text: str) -> Iterator[Candidate]:
    for match in _SCP.finditer(text):
        head = text[max(0, match.start() - 64) : match.start()]
        if head and (head[-1].isalnum() or head[-1] in "_-.}>") and "://" not in head[-64:].split()[-1]:
            yield Candidate(match.start() + 1, Form.NAME, match[1])


def _www(text: str, low: str) -> Iterator[Candidate]:
    for match in _WWW.finditer(low):
        host = _WWW_HOST.match(text, match.start())
        # A host of its own: www, a name, a top-level domain.
        if (
            host
            and _begins_here(low, match.start())
            and host[0].count(".") > 1
            and host[0].rpartition(".")[2].isalpha()
        ):
            yield Candidate(match.start(), Form.NAME, host[0])


def _begins_here(low: str, start: int) -> bool:
    before = low[start - 1] if start else " "
    return not (before.isalnum() or before in "_.-@") and (before != "/" or low[max(0, start - 2) : start] == "//")
