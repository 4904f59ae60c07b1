"""Hosts that are written without a scheme.

Most text of that shape is a label key, an image, a module or code, so that few are links: a host with a port or a path,
or one that the text tells its reader to open.
"""

import re
from collections.abc import Iterator
from typing import Final

from kapelle.domain.rules.scan.reading import line_before

# Top-level names that are next to never a file's ending or an attribute in code.
_CLEAR: Final = frozenset(
    "com net org edu gov mil biz xyz top online shop club website icu vip mobi asia monster quest lol tech wiki "
    "click buzz cyou rest "
    "eu uk de fr nl ru cn jp br pl cz ch se dk fi es pt gr hu ro kr tw hk sg au nz ca mx us ua tr il za ir vn "
    "th ph ar cl pe ve kz by "
    "be at ie lt lv ee sk si hr bg rs lu su".split()
)
# Top-level names that are also words of code or files: a host needs more than one path segment, a port, or a command
# that opens it.
_AMBIGUOUS: Final = frozenset(
    "io dev app ai me cc tv gg ly co info in live site store space cloud pro sh so im is it ws fm to".split()
)
_NOT_HOSTS: Final = frozenset({"asp.net", "vb.net", "ado.net", "ml.net", "paint.net", "json.net"})
# Hosts that name packages, images and API groups rather than pages when they are written without a scheme.
_NAMESPACES: Final = (
    "k8s.io kubernetes.io x-k8s.io github.com gitlab.com bitbucket.org golang.org gopkg.in go.uber.org "
    "google.golang.org docker.io ghcr.io "
    "quay.io gcr.io pkg.dev ecr.aws azurecr.io nvcr.io mcr.microsoft.com helm.sh cert-manager.io argoproj.io "
    "istio.io fluxcd.io "
    "crossplane.io knative.dev tekton.dev terraform.io opencontainers.org schema.org w3.org kubernetes.dev "
    "external-secrets.io "
    "traefik.io projectcalico.org cilium.io linkerd.io keda.sh coreos.com openshift.io rancher.io longhorn.io "
    "kyverno.io "
    "gateway.networking.k8s.io temporal.io go.temporal.io go.opentelemetry.io opentelemetry.io"
).split()
_BELOW_NAMESPACES: Final = tuple("." + name for name in _NAMESPACES)
_PLACE: Final = re.compile(r"\.([a-z]{2,10})(?![a-z0-9_-])")
_FOLLOWED: Final = re.compile(r":[0-9]{2,5}(?![0-9])|/(?![/*])")
_REPOSITORY: Final = re.compile(r":[~a-z][\w./~-]{0,100}\.git(?!\w)")
_ENDED: Final = re.compile(r"(?!\.?[\w/@(=:+-])")
_HOST_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789.-"
_TOKEN: Final = re.compile(r"[^\s\"'`<>()|,;\[\]{}]{0,300}")
_SPARED_BEFORE: Final = re.compile(
    r"(?:(?:apiversions?|apigroups?|groups?|images?|repository|registry|packages?|modules?|finalizers?"
    r"|annotations?|labels?|xmlns|uses|base|key|source|target"
    r"|storageclassname|provisioner|controller|driver|topologykey|ingressclassname"
    r"|containerimage)[\"']?\s*[:=]\s*(?:-\s*)?"
    r"|^\s*(?:from|import|require|replace|module|package|use)\s+(?:\w+\s+)?|\bimport\s|(?<![\w-])(?:docker"
    r"|podman|nerdctl|crane|skopeo|buildah|ctr|cosign)\s[\w -]{0,40}"
    r"|(?<![\w-])go\s+(?:get|install|mod|run|build|test)[\w\s./-]{0,24}|(?<![\w-])kubectl\s[\w\s/=.-]{0,40}"
    r"|(?<![\w-])helm\s[\w\s/=.-]{0,40}|oci:/"
    r"|(?:label|annotation|finalizer|image|module|package|api group|taint)s?\s)[\"'`(\[]*$"
)
# As far as the rules here read before and after a host.
_BEFORE: Final = 64
_AFTER: Final = 328
_LABEL_KEY: Final = re.compile(r"[a-z0-9]([\w.~-]{0,62})")
_VERSION_PATH: Final = re.compile(r"/v[0-9]+(?:(?:alpha|beta)[0-9]+)?$")
_TAGGED: Final = re.compile(r"(?::[0-9]{1,5})?/[\w./-]+(?::[\w][\w.-]{0,127}|@sha256:[0-9a-f]+|@v[0-9].*|@latest|=.*)$")
_MODULE_VERSION: Final = re.compile(r"[\"'`]?\s+v[0-9]+\.[0-9]")
_ARITHMETIC: Final = re.compile(r"\s(?:[*+/]|[<>=]=)\s")
_INVITED: Final = re.compile(
    r"(?<![\w-])(?:visit|browse(?: to)?|(?:go|goes|going|went) to|navigate to|head (?:over )?to|(?:log"
    r"|sign) ?(?:in|on|up) (?:at|on)"
    r"|(?:downloads?|downloaded|fetched|installed) from|(?:uploads?|uploaded|posts?|posted|sends?|sent) (?:(?:it"
    r"|them|logs|data) )?to)\s+[\"'`*_<(]{0,3}$"
)
_COMMANDED: Final = re.compile(r"(?<![\w-])(?:curl|wget)\s+(?:-[\w-]+\s+){0,4}[\"'`]?$")
_OPENS: Final = re.compile(
    r"(?<![\w-])(?:visit|browse(?: to)?|open|to|see|at|from|via|read|curl|wget)\s+(?:-[\w-]+\s+){0,4}[\"'`*_<(]{0,3}$"
)


def bare_hosts(text: str, low: str) -> Iterator[tuple[int, str]]:
    """Yield place and host of what would be opened as a link though it has no scheme."""
    found: set[str] = set()
    # What stands around a host decides, so that the same surroundings need no second look.
    judged: set[str] = set()
    for match in _PLACE.finditer(low):
        top = match[1]
        if (top in _CLEAR or top in _AMBIGUOUS) and not _goes_on(low, match.end()):
            start = _host_start(text, low, match.start())
            host = low[start : match.end()]
            around = low[max(0, start - _BEFORE) : match.end() + _AFTER]
            if start < 0 or host in found or around in judged:
                continue
            judged.add(around)
            if _opens(low, start, match.end(), top):
                found.add(host)
                yield start, text[start : match.end()]


def _goes_on(low: str, end: int) -> bool:
    """Tell whether a dot and a further part of the same name follow."""
    return low[end : end + 1] == "." and low[end + 1 : end + 2].isalnum()


def _opens(low: str, start: int, end: int, top: str) -> bool:
    if _REPOSITORY.match(low, end):
        return True
    if _FOLLOWED.match(low, end):
        return _is_link(low, start, end, top)
    if _ENDED.match(low, end):
        before = line_before(low, start, 48)
        return (top in _CLEAR and _INVITED.search(before) is not None) or _COMMANDED.search(before) is not None
    return False


def _host_start(text: str, low: str, dot: int) -> int:
    """Return where the host before a top-level domain begins, or -1 if it is part of something longer."""
    head = low[max(0, dot - 255) : dot]
    start = dot - len(head) + len(head.rstrip(_HOST_CHARACTERS))
    lowest = max(0, start - 63)
    while (
        start > lowest and not text[start - 1].isascii() and (text[start - 1].isalnum() or text[start - 1] in "。．｡")
    ):
        start -= 1
    while start < dot and low[start] in ".-":
        start += 1
    before = low[start - 1] if start else " "
    return -1 if start >= dot or before in "/\\@_$%{}~+#&." or before.isalnum() else start


def _is_link(low: str, start: int, end: int, top: str) -> bool:
    host = low[start:end]
    if host in _NOT_HOSTS or host in _NAMESPACES or host.endswith(_BELOW_NAMESPACES):
        return False
    match = _TOKEN.match(low, end)
    rest = match[0].rstrip(".:!?*_") if match else ""
    if _spared(low, start, end, rest):
        return False
    port, path = rest.startswith(":"), rest.lstrip(":0123456789")
    if top in _CLEAR:
        return port or bool(path.strip("/")) or rest == "/"
    return port or path.count("/") > 1 or _OPENS.search(line_before(low, start, 48)) is not None


def _spared(low: str, start: int, end: int, rest: str) -> bool:
    """Label keys and API groups, images with a tag, modules with a version: names that look like a host and a path."""
    if _VERSION_PATH.fullmatch(rest) or _TAGGED.match(rest):
        return True
    after = low[end + len(rest) : end + len(rest) + 24]
    one_segment = rest.startswith("/") and _LABEL_KEY.fullmatch(rest[1:]) is not None
    if one_segment and (after[:1] == "=" or (_key_position(low, start) and re.match(r"[\"']?\s?[:=]", after))):
        return True
    if _MODULE_VERSION.match(after) or _ARITHMETIC.match(after):
        return True
    line = line_before(low, start, 64)
    return _SPARED_BEFORE.search(line) is not None


def _key_position(low: str, start: int) -> bool:
    line = line_before(low, start, 64)
    return line.rstrip(" \t\"'`")[-1:] in ("", "-", "{", ",", "*")
