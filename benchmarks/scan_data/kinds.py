"""Named kinds of credentials: how one of each looks, and where and how disguised a note holds it."""

import base64
import html
import json
from collections.abc import Callable
from random import Random
from typing import Final
from urllib.parse import quote

from benchmarks.scan_data.values import (
    ALNUM,
    BASE32,
    HEX,
    URL_SAFE,
    base64_of,
    checked,
    draw,
    jwt,
    nkey_seed,
    password,
    pem,
    uuid,
)

_LOWER: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_UPPER: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_DIGITS: Final = "123456789"
_BASE64: Final = ALNUM + "+/"

Kind = Callable[[Random], str]


def _shape(*parts: str | tuple[str, int]) -> Kind:
    """Return a kind that is literal parts and drawn ones (alphabet, length) in a row."""

    def make(random: Random) -> str:
        return "".join(
            part if isinstance(part, str) else "".join(random.choice(part[0]) for _ in range(part[1])) for part in parts
        )

    return make


KINDS: Final[dict[str, Kind]] = {
    "github classic": lambda random: checked(random, "ghp_"),
    "github oauth": lambda random: checked(random, "gho_"),
    "github app": lambda random: checked(random, "ghs_"),
    "github user": lambda random: checked(random, "ghu_"),
    "github refresh": lambda random: checked(random, "ghr_", 76),
    "github fine grained": _shape("github_pat_", (_UPPER, 22), "_", (ALNUM, 59)),
    "gitlab": _shape("glpat-", (URL_SAFE, 20)),
    "gitlab runner": _shape("glrt-", (URL_SAFE, 20)),
    "gitlab deploy": _shape("gldt-", (URL_SAFE, 20)),
    "bitbucket": _shape("ATBB", (ALNUM, 24), ("0123456789ABCDEF", 8)),
    "atlassian": _shape("ATATT3xFfGF0", (URL_SAFE, 172), "=", ("0123456789ABCDEF", 8)),
    "buildkite": _shape("bkua_", (HEX, 40)),
    "circleci": _shape("CCIPAT_", (ALNUM, 22), "_", (HEX, 40)),
    "sourcegraph": _shape("sgp_", (HEX, 16), "_", (HEX, 40)),
    "sentry": _shape("sntryu_", (HEX, 64)),
    "npm": lambda random: checked(random, "npm_"),
    "pypi": _shape("pypi-AgEIcHlwaS5vcmc", (URL_SAFE, 140)),
    "rubygems": _shape("rubygems_", (HEX, 48)),
    "crates": _shape("cio", (ALNUM, 32)),
    "nuget": _shape("oy2", (_LOWER, 43)),
    "docker hub": _shape("dckr_pat_", (URL_SAFE, 27)),
    "artifactory": _shape("AKCp", (ALNUM, 69)),
    "sonarqube": _shape("squ_", (HEX, 40)),
    "postman": _shape("PMAK-", (HEX, 24), "-", (HEX, 34)),
    "linear": _shape("lin_api_", (ALNUM, 40)),
    "figma": _shape("figd_", (URL_SAFE, 40)),
    "notion": _shape("ntn_", (_DIGITS, 11), (ALNUM, 35)),
    "airtable": _shape("pat", (ALNUM, 14), ".", (HEX, 64)),
    "pulumi": _shape("pul-", (HEX, 40)),
    "terraform cloud": _shape((ALNUM, 14), ".atlasv1.", (URL_SAFE, 67)),
    "doppler": _shape("dp.pt.", (ALNUM, 43)),
    "netlify": _shape("nfp_", (ALNUM, 36)),
    "prefect": _shape("pnu_", (ALNUM, 36)),
    "jetbrains": _shape("perm:", (ALNUM, 12), ".", (ALNUM, 10), ".", (ALNUM, 30)),
    "aws key id": _shape("AKIA", (BASE32, 16)),
    "aws temporary key id": _shape("ASIA", (BASE32, 16)),
    "google api": _shape("AIza", (URL_SAFE, 35)),
    "google oauth secret": _shape("GOCSPX-", (URL_SAFE, 28)),
    "google access": _shape("ya29.a0", (URL_SAFE, 140)),
    "azure client secret": _shape((ALNUM, 3), "8Q~", (ALNUM + "_.-", 34)),
    "digitalocean": _shape("dop_v1_", (HEX, 64)),
    "heroku": _shape("HRKU-AA", (URL_SAFE, 58)),
    "cloudflare origin": _shape("v1.0-", (HEX, 24), "-", (HEX, 146)),
    "alibaba": _shape("LTAI", (ALNUM, 20)),
    "planetscale": _shape("pscale_tkn_", (URL_SAFE, 43)),
    "neon": _shape("napi_", (_LOWER, 64)),
    "supabase": _shape("sbp_", (HEX, 40)),
    "databricks": _shape("dapi", (HEX, 32)),
    "fly": lambda random: "fm2_" + base64_of(random, 150),
    "tailscale": _shape("tskey-auth-k", (ALNUM, 11), "CNTRL-", (ALNUM, 32)),
    "vault service": _shape("hvs.", (URL_SAFE, 95)),
    "vault batch": _shape("hvb.", (URL_SAFE, 140)),
    "vault old": lambda random: "s." + draw(random, ALNUM, 24),
    "1password": _shape("ops_eyJ", (ALNUM, 380)),
    "grafana": _shape("glsa_", (ALNUM, 32), "_", (HEX, 8)),
    "kubeadm": lambda random: draw(random, _LOWER, 6) + "." + draw(random, _LOWER, 16),
    "rancher": _shape("token-", ("abcdefghijkm", 5), ":", (_LOWER, 54)),
    "docker swarm": _shape("SWMTKN-1-", (_LOWER, 50), "-", (_LOWER, 25)),
    "nats user seed": nkey_seed,
    "nats account seed": lambda random: nkey_seed(random, 0),
    "jwt": jwt,
    "openai": _shape("sk-", (ALNUM, 20), "T3BlbkFJ", (ALNUM, 20)),
    "openai project": _shape("sk-proj-", (URL_SAFE, 74), "T3BlbkFJ", (URL_SAFE, 74)),
    "anthropic": _shape("sk-ant-api03-", (URL_SAFE, 93), "AA"),
    "openrouter": _shape("sk-or-v1-", (HEX, 64)),
    "hugging face": _shape("hf_", (ALNUM[:52], 34)),
    "groq": _shape("gsk_", (ALNUM, 52)),
    "replicate": _shape("r8_", (ALNUM, 37)),
    "perplexity": _shape("pplx-", (ALNUM, 48)),
    "xai": _shape("xai-", (ALNUM, 80)),
    "langsmith": _shape("lsv2_pt_", (HEX, 32), "_", (HEX, 10)),
    "pinecone": _shape("pcsk_", (ALNUM, 5), "_", (ALNUM, 63)),
    "nvidia": _shape("nvapi-", (URL_SAFE, 64)),
    "cerebras": _shape("csk-", (_LOWER, 48)),
    "slack bot": _shape("xoxb-", (_DIGITS, 12), "-", (_DIGITS, 13), "-", (ALNUM, 24)),
    "slack app": _shape("xapp-1-A", (_UPPER, 10), "-", (_DIGITS, 13), "-", (HEX, 64)),
    "slack webhook": _shape("https://hooks.slack.com/services/T", (_UPPER, 9), "/B", (_UPPER, 10), "/", (ALNUM, 24)),
    "discord webhook": _shape("https://discord.com/api/webhooks/", (_DIGITS, 19), "/", (URL_SAFE, 68)),
    "discord bot": _shape("MT", (ALNUM, 24), ".", (ALNUM, 6), ".", (URL_SAFE, 38)),
    "telegram": _shape((_DIGITS, 10), ":AA", (URL_SAFE, 33)),
    "twilio": _shape("SK", (HEX, 32)),
    "sendgrid": _shape("SG.", (URL_SAFE, 22), ".", (URL_SAFE, 43)),
    "mailgun": _shape("key-", (HEX, 32)),
    "mailchimp": _shape((HEX, 32), "-us14"),
    "stripe live": _shape("sk_live_", (ALNUM, 24)),
    "stripe restricted": _shape("rk_live_", (ALNUM, 99)),
    "stripe webhook": _shape("whsec_", (ALNUM, 32)),
    "shopify": _shape("shpat_", (HEX, 32)),
    "square": _shape("EAAA", (URL_SAFE, 60)),
    "hubspot": lambda random: "pat-na1-" + uuid(random),
    "new relic": _shape("NRAK-", (_UPPER, 27)),
    "dynatrace": _shape("dt0c01.", (BASE32, 24), ".", (BASE32, 64)),
    "mapbox": _shape("sk.eyJ", (ALNUM, 70), ".", (ALNUM, 22)),
    "launchdarkly": lambda random: "sdk-" + uuid(random),
}

BLOCKS: Final[dict[str, Kind]] = {
    "rsa key": lambda random: pem(random, "RSA PRIVATE " + "KEY", 600),
    "pkcs8 key": lambda random: pem(random, "PRIVATE " + "KEY", 600),
    "encrypted key": lambda random: pem(random, "ENCRYPTED PRIVATE " + "KEY", 600),
    "ec key": lambda random: pem(random, "EC PRIVATE " + "KEY", 120),
    "openssh key": lambda random: pem(random, "OPENSSH PRIVATE " + "KEY", 300),
    "pgp key": lambda random: pem(random, "PGP PRIVATE " + "KEY BLOCK", 600),
    "service account": lambda random: json.dumps({"private_key": pem(random, "PRIVATE " + "KEY", 600) + "\n"}),
    "putty key": lambda random: "Private-Lines: 2\n" + base64_of(random, 90),
    "kubernetes secret": lambda random: (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  pw: "
        + base64.b64encode(password(random).encode()).decode()
    ),
    "kubernetes string": lambda random: f"kind: Secret\nmetadata:\n  name: db\nstringData:\n  root: {password(random)}",
    "kubeconfig": lambda random: (
        "client-key-data: " + base64.b64encode(pem(random, "RSA PRIVATE " + "KEY", 300).encode()).decode()
    ),
    "docker login": lambda random: json.dumps(
        {"auths": {"registry": {"auth": base64.b64encode(f"bot:{password(random)}".encode()).decode()}}}
    ),
    "wireguard": lambda random: "[Interface]\nPrivateKey = " + base64_of(random, 32),
}

PLACES: Final[dict[str, str]] = {
    "alone": "{}",
    "sentence": "Use {} for the smoke test.",
    "assignment": "TOKEN={}",
    "fence": "```sh\nexport TOKEN={}\nmake deploy\n```",
    "code": "Set it to `{}` and restart.",
    "heading": "## {}",
    "quotation": "> Kim: try {}\n> me: works",
    "table": "| env | value |\n|---|---|\n| staging | {} |",
    "list": "- one\n- {}\n- two",
    "link text": "[{}](https://github.com/acme/app)",
    "image text": "![{}](https://github.com/acme/a.png)",
    "comment": "<!-- {} -->",
    "footnote": "See note.[^1]\n\n[^1]: {}",
    "json": '{{"k": "{}", "n": 1}}',
    "glued": "value={},next=1;",
    "end": "It was {}.",
    "bold": "It was **{}** all along",
}


def _inserted(mark: str, at: int = 7) -> Callable[[str], str]:
    return lambda text: text[:at] + mark + text[at:]


# Cyrillic letters that look like those.
_CYRILLIC: Final = str.maketrans(
    "aeopcxsAEOPCTBHKM",
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0455\u0410\u0415\u041e\u0420\u0421\u0422\u0412\u041d\u041a\u041c",
)

DISGUISES: Final[dict[str, Callable[[str], str]]] = {
    "zero width": _inserted("\u200b"),
    "zero width everywhere": "\u200d".join,
    "word joiner": _inserted("\u2060", 3),
    "soft hyphen": _inserted("\u00ad"),
    "bidi": _inserted("\u2066"),
    "variation": _inserted("\ufe0f"),
    "tag character": _inserted("\U000e0041"),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "full width prefix": lambda text: "".join(chr(ord(c) + 0xFEE0) for c in text[:4]) + text[4:],
    "mathematical": lambda text: "".join(chr(ord(c) - 97 + 0x1D41A) if "a" <= c <= "z" else c for c in text),
    "look-alikes": lambda text: text[:12].translate(_CYRILLIC) + text[12:],
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "percent in part": lambda text: text[:3] + f"%{ord(text[3]):02x}" + quote(text[4:], safe=""),
    "percent twice": lambda text: text[:2] + f"%25{ord(text[2]):02X}" + text[3:],
    "entity": lambda text: text[:3] + f"&#{ord(text[3])};" + text[4:],
    "hex entity": lambda text: text[:3] + f"&#x{ord(text[3]):x};" + text[4:],
    "named entities": lambda text: html.escape(text).replace("_", "&lowbar;").replace("-", "&#45;"),
    "u escape": lambda text: f"\\u{ord(text[0]):04x}" + text[1:],
    "x escape": lambda text: text[:2] + f"\\x{ord(text[2]):02x}" + text[3:],
    "markdown escape": lambda text: text.replace("_", "\\_").replace("-", "\\-").replace(".", "\\."),
    "emphasis": lambda text: text[:9] + "**" + text[9:15] + "**" + text[15:],
    "tags": _inserted("<b></b>", 9),
    "break tag": _inserted("<wbr>"),
    "split by comment": _inserted("<!-- -->"),
    "wrapped": _inserted("\n", 14),
    "wrapped and indented": _inserted("\n    ", 14),
    "wrapped with backslash": _inserted("\\\n", 14),
    "wrapped in a quotation": lambda text: "> " + _inserted("\n> ", 14)(text),
    "wrapped with carriage return": _inserted("\r\n", 14),
    "spaced": lambda text: " ".join(text[at : at + 5] for at in range(0, len(text), 5)),
    "no-break space": _inserted("\u00a0"),
    "concatenated": lambda text: f'"{text[:10]}" + "{text[10:]}"',
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 of a file": lambda text: base64.b64encode(f"export TOKEN={text}\nexport MODE=prod\n".encode()).decode(),
    "base64 for urls": lambda text: base64.urlsafe_b64encode(f"t={text}".encode()).decode().rstrip("="),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(f"T={text}".encode())).decode(),
    "base64 wrapped": lambda text: _wrapped(base64.b64encode(f"# env\nexport TOKEN={text}\n".encode()).decode()),
    "hexadecimal": lambda text: text.encode().hex(),
}


def _wrapped(text: str) -> str:
    return "\n".join(text[at : at + 40] for at in range(0, len(text), 40))


# Those that a disguise is tried on.
DISGUISED: Final = (
    "github classic",
    "github fine grained",
    "aws key id",
    "slack bot",
    "stripe live",
    "openai project",
    "anthropic",
    "npm",
    "gitlab",
    "hugging face",
    "nats user seed",
    "jwt",
    "vault service",
    "sendgrid",
)

IDENTIFIERS: Final[tuple[str, ...]] = (
    "Reverted {hex40} because it broke the retry path; see {hex8}.",
    "first bad commit is {hex40}",
    "Image pinned to ghcr.io/acme/api@sha256:{hex64}",
    "sha256sum of the tarball: {hex64}  app-2.1.0.tar.gz",
    "md5: {hex32} matches the mirror",
    "Request {u} timed out; correlation id {u}.",
    "run id {u} is stuck in ContinueAsNew",
    "trace_id={hex32} span_id={hex16}",
    "traceparent: 00-{hex32}-{hex16}-01",
    '"integrity": "sha512-{b64}"',
    "github.com/nats-io/nats.go v1.31.0 h1:{b64s}=",
    "httpx==0.27.0 --hash=sha256:{hex64}",
    'checksum = "{hex64}"',
    "cache key: deps-{hex16}-{hex16} missed",
    "kid {hex40} was rotated out",
    "NATS account public key {npub} may publish",
    "authorization {{ users = [ {{ nkey: {npub} }} ] }}",
    "/nix/store/{low32}-openssl-3.0.13/lib",
    "static/js/main.{hex8}.chunk.js was not cached",
    "ETag: W/{hex32}",
    "tx 0x{hex64} confirmed",
    "SM{hex32} delivered; account AC{hex32}",
    "charge ch_3{al23}, customer cus_{al14}",
    "kubectl logs api-7d9f8b6c4-x2x9z -n payments",
    "S3 version id {url32} restored",
    "vpc-0{hex16} subnet-0{hex16} ami-0{hex16}",
    "set `OPENAI_API_KEY=sk-...` before running",
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "mask it as `ghp_************abcd` in logs",
    "the token starts with `xoxb-` for bots",
    "regex: `ghp_[A-Za-z0-9]{{36}}` and `AKIA[0-9A-Z]{{16}}`",
    "NKEY seeds start with SU, SA or SO",
    "-----BEGIN PUBLIC KEY-----\n{b64}\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n-----END CERTIFICATE-----",
    "kind: SealedSecret\nspec:\n  encryptedData:\n    password: Ag{b64}{b64}",
    "password: ENC[AES256_GCM,data:{b64s},iv:{b64s},type:str]",
    "config blob: eyJyZXBsaWNhcyI6IDMsICJyZWdpb24iOiAiZXUtd2VzdC0xIn0=",
)
