"""Tokens of clouds, databases and the infrastructure that a cluster runs on."""

from typing import Final

from kapelle.domain.rules.scan.checksums import is_bech32, is_nkey_seed, jwt_part
from kapelle.domain.rules.scan.tokens import Token, token


def _is_jwt(text: str) -> bool:
    header, _, rest = text.partition(".")
    claims, _, _ = rest.partition(".")
    head = jwt_part(header)
    if head is None or not ({"alg", "enc", "typ"} & head.keys()):
        return False
    body = jwt_part(claims)
    # The sample of every tutorial: John Doe, 1234567890.
    return body is None or (str(body.get("sub")) != "1234567890" and body != {"some": "payload"})


def _is_proven_jwt(text: str) -> bool:
    return _is_jwt(text) and jwt_part(text.split(".")[1]) is not None


def _is_varied(text: str) -> bool:
    """Say whether a key id of capital letters is no word written large; it need not hold a number."""
    return len(set(text[4:])) >= _MIN_DISTINCT


def _is_not_example(text: str) -> bool:
    return "EXAMPLE" not in text


_MIN_DISTINCT: Final = 9

TOKENS: Final[tuple[Token, ...]] = (
    token(
        "aws-access-key-id",
        "an AWS access key id",
        "AKIA ASIA",
        "<T16>",
        free=True,
        check=_is_not_example,
        proof=_is_varied,
    ),
    token("aws-bedrock-key", "an AWS Bedrock key", "ABSK", "<B100,140>={0,2}", free=True),
    token("aws-session-token", "an AWS session token", "IQoJb3JpZ2luX2Vj FwoGZXIvYXdz", "<B100,2000>={0,2}", free=True),
    token("aws-mws-key", "an Amazon MWS key", "amzn.mws.", "<H8>-<H4>-<H4>-<H4>-<H12>", free=True),
    token("gcp-api-key", "a Google API key", "AIza", "<U35>", free=True),
    token("google-gemini-key", "a Google API key", "AQ.Ab8", "<U45,60>", free=True),
    token("google-oauth-secret", "a Google OAuth client secret", "GOCSPX-", "<U28>", free=True),
    token("google-oauth-token", "a Google OAuth access token", "ya29.", "<U60,400>", free=True),
    token("google-refresh-token", "a Google refresh token", "1//0", "<U40,120>"),
    token("google-hmac-key", "a Google storage HMAC key", "GOOG1E", "<C55,58>", free=True),
    token(
        "azure-client-secret",
        "an Azure client secret",
        "Q~",
        r"(?<![A-Za-z0-9_~.\-])[A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,37}",
        lead=4,
    ),
    token("azure-key", "an Azure key", "JQQJ99", "(?<![A-Za-z0-9])<W52>JQQJ99<W26>(?![A-Za-z0-9])", lead=52),
    token(
        "azure-devops-token", "an Azure DevOps token", "AZDO", "(?<![A-Za-z0-9])<W76>AZDO<W4>(?![A-Za-z0-9])", lead=76
    ),
    token(
        "azure-storage-key",
        "an Azure storage key",
        "+ASt AzFu ACDb AzSe",
        r"(?<![A-Za-z0-9+/])<B30,76>(?:\+ASt|AzFu|ACDb|AzSe)<B2,6>={0,2}",
        lead=76,
    ),
    token("azure-sas", "an Azure shared access signature", "&sig= ?sig=", "<B40,50>(?:%3D|=){0,2}"),
    token("digitalocean-token", "a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_ dosv1_", "<H64>", free=True),
    token("heroku-key", "a Heroku key", "HRKU-", "<U36,64>", free=True),
    token("cloudflare-origin-key", "a Cloudflare origin CA key", "v1.0-", "<H24>-<H146>", free=True),
    token("cloudflare-token", "a Cloudflare token", "cfut_ cfat_ cfk_", "<U40,56>", free=True),
    token("alibaba-key", "an Alibaba Cloud access key", "LTAI", "<W16,24>"),
    token("tencent-key", "a Tencent Cloud secret id", "AKID", "<W32>"),
    token("yandex-key", "a Yandex Cloud key", "AQVN", "<U35,38>"),
    token("yandex-token", "a Yandex Cloud token", "t1.", r"<U8,120>={0,2}\.<U86>={0,2}"),
    token("scaleway-key", "a Scaleway key", "SCW", "<C17>"),
    token("hetzner-token", "a Hetzner token", "hcloud_", "<W64>"),
    token(
        "planetscale-token",
        "a PlanetScale token",
        "pscale_tkn_ pscale_oauth_ pscale_pw_",
        r"[A-Za-z0-9_.\-]{32,64}",
        free=True,
    ),
    token("neon-key", "a Neon key", "napi_", "<L60,70>", free=True),
    token("supabase-token", "a Supabase token", "sbp_ sbp_oauth_", "<H40>", free=True),
    token("supabase-key", "a Supabase secret key", "sb_secret_", "<U22>_<U8>", free=True),
    token("databricks-token", "a Databricks token", "dapi doapi dose", "<H32>(?:-<D1>)?"),
    token("mongodb-atlas-secret", "a MongoDB Atlas secret", "mdb_sa_sk_ mdb_sa_id_", "<U20,60>", free=True),
    token("clickhouse-secret", "a ClickHouse Cloud secret", "4b1d", "<W38>"),
    token("turso-token", "a Turso token", "turso_", "<U40,200>"),
    token("xata-key", "a Xata key", "xau_", "<W20,60>", free=True),
    token("aiven-token", "an Aiven token", "AVNS_", "<U19,24>"),
    token("confluent-secret", "a Confluent Cloud secret", "cflt", "<B60>"),
    token("fly-token", "a Fly.io token", "fm1a_ fm1r_ fm2_ FlyV1", r"\s?(?:fm[12][ar]?_)?<B60,1500>={0,3}", free=True),
    token("fly-token", "a Fly.io token", "fo1_", "<U43>", free=True),
    token(
        "tailscale-key",
        "a Tailscale key",
        "tskey-",
        "(?:auth|api|client|scim|webhook|reusable)-<W6,40>-<W20,80>",
        free=True,
    ),
    token("netbird-key", "a NetBird token", "nbp_", "<W36>"),
    token("vault-token", "a Vault token", "hvs. hvb. hvr.", "<U24,400>", free=True),
    token(
        "vault-token",
        "a Vault token",
        "",
        r"\.<W24>(?:\.<W5>)?(?!\w|\.\w)",
        head=r"(?<![\w./-])[sb]",
        check=lambda text: any(c.isupper() for c in text) and any(c.islower() for c in text[2:]),
    ),
    token("onepassword-token", "a 1Password token", "ops_", "eyJ<B100,1500>={0,2}", free=True),
    token("onepassword-key", "a 1Password secret key", "A3-", "<C6>-(?:<C11>|<C6>-<C5>)-<C5>-<C5>-<C5>", free=True),
    token(
        "age-key",
        "an age secret key",
        "AGE-SECRET-KEY-1 age-secret-key-1",
        "(?:[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}|[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58})",
        free=True,
        proof=is_bech32,
    ),
    token("age-plugin-key", "an age plugin identity", "AGE-PLUGIN-", "<C2,30>-1<C40,200>"),
    token("nats-seed", "a NATS nkey seed", "SU SA SO SN SC SX", "<T56>", proof=is_nkey_seed),
    token("nats-seed", "a NATS nkey seed", "SU SA SO SN SC SX", "<T56>", free=True, check=is_nkey_seed),
    token("pomerium-key", "a Pomerium key", "pom_", "<W40,80>"),
    token(
        "jwt",
        "a JSON web token",
        "eyJ",
        r"(?:[A-Za-z0-9_-]{10,500})\.(?:eyJ|ey)?[A-Za-z0-9_-]{2,4000}\.[A-Za-z0-9_-]{16,700}",
        free=True,
        proof=_is_proven_jwt,
        check=_is_jwt,
    ),
    token(
        "jwe",
        "a JSON web token",
        "eyJ",
        r"[A-Za-z0-9_-]{10,500}\.[A-Za-z0-9_-]{0,700}\.[A-Za-z0-9_-]{8,24}\.[A-Za-z0-9_-]{2,4000}\.[A-Za-z0-9_-]{20,24}(?![\w-])",
        check=_is_jwt,
    ),
    token(
        "paseto",
        "a PASETO token",
        "v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.",
        "<U60,4000>",
        free=True,
    ),
    token(
        "kubeadm-token",
        "a kubeadm bootstrap token",
        "",
        r"\.(?=<L0,15><D1>)<L16>(?![\w-]|\.\w)",
        head=r"(?<![\w.-])<L6>",
    ),
    token("rke-token", "a Rancher token", "token-", "<L5>:<L54>", free=True),
    token("k3s-token", "a k3s join token", "K10", "<H64>::(?:server|node):<W6,64>", free=True),
    token("teleport-token", "a Teleport join token", "teleport_", "<H32>"),
    token("grafana-token", "a Grafana token", "glsa_", "<W32>_<H8>", free=True),
    token("grafana-token", "a Grafana Cloud token", "glc_", "eyJ<B40,400>={0,2}", free=True),
    token("grafana-token", "a Grafana key", "eyJrIjoi", "<W40,400>={0,3}", free=True),
    token("elastic-key", "an Elastic key", "essu_ essa_", "<W40,120>={0,2}", free=True),
)
