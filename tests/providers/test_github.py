"""The way to GitHub: authentication, proxies and certificates, and how often a request is sent."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from activities.export_push import File, open_pull, push
from kapelle.domain.exports import BRANCH
from kapelle.domain.rules.rendering import blob_id
from kapelle.providers.github import GitHub, open_github
from kapelle.providers.github_faults import GitHubFault
from kapelle.settings import PREFIX, Secret, Settings, SettingsError
from tests.doubles.certificates import certify
from tests.doubles.github import server
from tests.doubles.github.api import Answer
from tests.doubles.github.server import TOKEN, GitHubDouble, running_github
from tests.doubles.proxy import running_proxy

FILE = File(content=b"# Team memory\n", blob=blob_id(b"# Team memory\n"))
PLAIN = Settings(
    database_url=Secret(""), nats_url=Secret(""), payload_keys=Secret(""), digest_key=Secret(""), github_pause=0.0
)


@pytest.fixture
def double(tmp_path: Path) -> Iterator[GitHubDouble]:
    with running_github(tmp_path) as running:
        yield running


def with_token(double: GitHubDouble, token: str = TOKEN) -> GitHub:
    return GitHub(replace(PLAIN, github_url=double.url, github_token=Secret(token)))


def export(github: GitHub, name: str) -> str:
    """Export a file as the activities do, and return the pull request's address."""
    with github.open(name) as repository:
        pushed = push(repository, FILE, None, lambda _step: None)
        opened = open_pull(repository, pushed, "body", lambda _step: None)
    assert opened.pull is not None
    return opened.pull.url


def test_an_export_goes_through_a_proxy_and_trusts_a_bundle_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certified = certify(tmp_path)
    with running_github(tmp_path / "github", tls=certified.context) as double, running_proxy() as proxy:
        repository = double.repository()
        for name in ("NO_PROXY", "no_proxy", "https_proxy", "all_proxy", "ALL_PROXY", "CURL_CA_BUNDLE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certified.bundle))
        assert export(with_token(double), repository.name) == f"{double.web}/acme/payments/pull/1"

        # Another library of the process may use the same variable.
        assert double.place in proxy.tunnels
        assert repository.git.head(BRANCH) is not None


def test_a_certificate_of_nobody_that_is_known_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certified = certify(tmp_path)
    with running_github(tmp_path / "github", tls=certified.context) as double:
        double.repository()
        for name in ("HTTPS_PROXY", "https_proxy", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(GitHubFault, match="certificate is not trusted") as caught:
            with_token(double).find("acme/payments")
        assert caught.value.permanent
        assert double.log == []


def test_a_proxy_that_is_not_there_is_told_without_its_address(
    double: GitHubDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://user:secret@127.0.0.1:9")
    with pytest.raises(GitHubFault, match="the proxy does not let us through") as caught:
        with_token(double).find("acme/payments")
    assert "secret" not in str(caught.value)
    assert not caught.value.permanent


def test_an_app_authenticates_with_its_key_and_exports(double: GitHubDouble, tmp_path: Path) -> None:
    repository = double.repository()
    settings = _app(double, tmp_path)
    assert export(GitHub(settings), repository.name).endswith("/pull/1")
    assert double.log[0].path == f"/app/installations/{server.INSTALLATION}/access_tokens"


def test_an_app_with_another_key_is_refused(double: GitHubDouble, tmp_path: Path) -> None:
    double.repository()
    settings = _app(double, tmp_path)
    _app(double, tmp_path / "other")
    with pytest.raises(GitHubFault, match="does not accept the token"):
        GitHub(settings).find("acme/payments")


def _app(double: GitHubDouble, folder: Path) -> Settings:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    file = folder / "app.pem"
    folder.mkdir(exist_ok=True)
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
    )
    double.app_key = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return replace(
        PLAIN,
        github_url=double.url,
        github_app_id=server.APP_ID,
        github_app_key_file=str(file),
        github_app_installation=server.INSTALLATION,
    )


def test_a_token_that_is_not_known_is_refused(double: GitHubDouble) -> None:
    double.repository()
    with pytest.raises(GitHubFault, match="an admin must renew it"):
        with_token(double, "ghp_other").find("acme/payments")


@pytest.mark.parametrize("kind", ["drop_after", "status"])
def test_a_write_without_an_answer_is_sent_once(double: GitHubDouble, kind: server.Kind) -> None:
    repository = double.repository()
    double.plan("PUT", "/contents", kind, times=99, answer=Answer(status=502, body="<html>Unicorn</html>"))
    with pytest.raises(GitHubFault) as caught:
        export(with_token(double), repository.name)
    assert not caught.value.permanent
    assert [one.method for one in double.log].count("PUT") == 1


def test_a_name_belongs_to_the_github_that_has_its_host() -> None:
    github = GitHub(replace(PLAIN, github_token=Secret(TOKEN)))
    enterprise = GitHub(replace(PLAIN, github_url="https://git.acme.dev/api/v3", github_token=Secret(TOKEN)))
    assert github.name_of("https://github.com/acme/payments") == "acme/payments"
    assert github.name_of("https://git.acme.dev/acme/payments") is None
    assert enterprise.name_of("https://git.acme.dev/acme/payments") == "acme/payments"


def test_without_a_token_or_an_app_there_is_no_github() -> None:
    assert open_github(PLAIN) is None
    assert open_github(replace(PLAIN, github_app_id="1", github_app_installation=1)) is None


@pytest.mark.parametrize(
    "url", ["http://github.acme.dev/api/v3", "github.com", "https://u:p@github.acme.dev", "https://"]
)
def test_an_address_that_would_show_the_token_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=f"{PREFIX}GITHUB_URL must look like"):
        Settings.from_env({f"{PREFIX}GITHUB_URL": url})


def test_what_differs_from_githubs_description_is_found(double: GitHubDouble) -> None:
    found = server.violations(
        "pulls/create", {"x": "1"}, {"head": "h", "title": 3}, Answer(status=201, body={"number": "1"})
    )
    said = "\n".join(found)
    assert "asked with ['x']" in said
    assert '"base" is a required property' in said
    assert '"html_url" is a required property' in said
    assert list(server.violations("pulls/get", {}, {}, Answer(status=299, body={}))) == [
        "pulls/get does not answer 299"
    ]
    assert double.violations == []
