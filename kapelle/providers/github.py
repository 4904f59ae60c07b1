"""Where team memories go as pull requests: GitHub, or a GitHub Enterprise server, through PyGithub.

Each run opens one client of its own, which no other thread sees. Nothing here retries: a repeated step looks first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from github import Auth, Github

from kapelle.providers.github_faults import GitHubFault
from kapelle.providers.github_repository import Repository, looked_up
from kapelle.settings import Settings

# GitHub itself gives up on a request after ten seconds.
TIMEOUT_SECONDS = 10
API_VERSION = "2022-11-28"
PERMISSIONS = {"contents": "write", "pull_requests": "write"}


class GitHub:
    """One GitHub with one way to authenticate: a personal or fine-grained token, or an installed App."""

    def __init__(self, settings: Settings) -> None:
        """Read the App's key, if there is one.

        Raises:
            GitHubFault: the key cannot be read.
        """
        self._url = settings.github_url
        self._auth = _auth(settings)
        self._pause = settings.github_pause

    def name_of(self, repo_url: str) -> str | None:
        """Return owner and name of a repository's address; None when it is not on this GitHub."""
        host = urlsplit(self._url).netloc.removeprefix("api.")
        parts = urlsplit(repo_url)
        return parts.path.strip("/") if parts.netloc == host else None

    @contextmanager
    def open(self, repository: str | int) -> Iterator[Repository]:
        """Open a repository by its name, or by its id, which survives renames. For one thread, and one run.

        Raises:
            GitHubFault: also from whatever is asked inside.
        """
        client = Github(
            base_url=self._url,
            auth=self._auth(),
            timeout=TIMEOUT_SECONDS,
            retry=None,
            lazy=False,
            per_page=100,
            api_version=API_VERSION,
            seconds_between_requests=self._pause / 4 or None,
            seconds_between_writes=self._pause or None,
        )
        with client:
            yield looked_up(client, repository)

    def find(self, name: str) -> int:
        """Return the id of a repository."""
        with self.open(name) as repository:
            return repository.id


class _Token:
    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self) -> Auth.Auth:
        return Auth.Token(self._token)


class _App:
    """An installed App: each run mints a token of its own, which ends within the hour."""

    def __init__(self, app_id: str, key: str, installation: int) -> None:
        self._app_id, self._key, self._installation = app_id, key, installation

    def __call__(self) -> Auth.Auth:
        return Auth.AppAuth(self._app_id, self._key).get_installation_auth(self._installation, dict(PERMISSIONS))


def _auth(settings: Settings) -> _Token | _App:
    if settings.github_token.value:
        return _Token(settings.github_token.value)
    try:
        key = Path(settings.github_app_key_file).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        raise GitHubFault("the key of the GitHub App cannot be read") from None
    return _App(settings.github_app_id, key, settings.github_app_installation)


def open_github(settings: Settings) -> GitHub | None:
    """Return the GitHub of these settings, None where exports as pull requests are not configured."""
    app = settings.github_app_id and settings.github_app_key_file and settings.github_app_installation
    return GitHub(settings) if settings.github_token.value or app else None
