"""Turns what PyGithub and its HTTP library raise into faults with a reason for people."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from github import GithubException

from kapelle.providers.github_faults import GitHubFault, Refusal, fault

log = logging.getLogger(__name__)

_MISUNDERSTOOD = "GitHub's answer cannot be understood; is the address of its API right?"


@contextmanager
def translated() -> Iterator[None]:
    """Translate what is raised inside; used around single questions, so that no defect of ours hides behind it."""
    try:
        yield
    except GithubException as error:
        raise _refused(error) from None
    except OSError as error:
        # All that `requests` raises is an OSError. Its messages hold addresses, which may hold passwords of proxies.
        raise _unreached(type(error).__name__) from None
    except (AssertionError, KeyError, TypeError, ValueError, RuntimeError) as error:
        # PyGithub asserts what it expects of a server, and indexes into redirects as if they were answers.
        log.warning("GitHub's answer not understood", extra={"error": type(error).__name__})
        raise GitHubFault(_MISUNDERSTOOD, permanent=False) from None


def _refused(error: GithubException) -> GitHubFault:
    headers = {name.lower(): str(value) for name, value in (error.headers or {}).items()}
    if "url=" in headers.get("x-github-sso", ""):
        # Whoever configured the token can follow it; a channel must not see it.
        log.error("the token needs authorization for single sign-on", extra={"sso": headers["x-github-sso"]})
    return fault(Refusal(status=error.status, texts=_texts(error.data), headers=headers))


def _texts(data: object) -> tuple[str, ...]:
    """Return the message of an error's body and those of its parts, which may be texts or objects."""
    if not isinstance(data, dict):
        return ()
    errors = data.get("errors")
    parts = errors if isinstance(errors, list) else []
    texts = [data.get("message"), *(_part(part) for part in parts)]
    return tuple(str(text) for text in texts if text)


def _part(part: object) -> object:
    if not isinstance(part, dict):
        return part
    return part.get("message") or f"{part.get('field')} {part.get('code')}"


def _unreached(error: str) -> GitHubFault:
    if error == "SSLError":
        return GitHubFault("GitHub's certificate is not trusted here; an admin can name a CA bundle")
    if error == "ProxyError":
        return GitHubFault("the proxy does not let us through to GitHub", permanent=False)
    return GitHubFault("GitHub does not answer; try again later", permanent=False)
