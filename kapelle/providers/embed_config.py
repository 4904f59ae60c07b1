"""An alias such as `KAPELLE_EMBED_ALIAS` names, from a LiteLLM configuration file or a LiteLLM proxy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from kapelle.settings import Settings

_WINDOW = 512


class BadAlias(Exception):
    """The alias cannot be used; the message says why, without a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """What LiteLLM is called with. `params` may hold keys, so it does not print."""

    model: str
    params: Mapping[str, Any] = field(repr=False)  # Passed through to LiteLLM as it is.
    dimensions: int | None = None
    # Tokens of one part.
    window: int = _WINDOW
    # Own providers of the file: name and where their handler is, as module.attribute.
    providers: tuple[tuple[str, str], ...] = ()


def read_alias(settings: Settings, name: str) -> Alias:
    """Find the alias in the file, or else take it for one of the proxy's.

    Raises:
        BadAlias: if the file is unreadable or not of LiteLLM's form, or nobody knows the alias.
    """
    if settings.litellm_config:
        found = _in_file(Path(settings.litellm_config), name)
        if found is not None:
            return found
    if settings.litellm_url:
        params = {"api_base": settings.litellm_url, "api_key": settings.litellm_key.value or "none"}
        return Alias(model=f"litellm_proxy/{name}", params=params)
    if settings.litellm_config:
        raise BadAlias(f"the LiteLLM configuration has no alias '{name}'")
    raise BadAlias("KAPELLE_EMBED_ALIAS is set, but neither KAPELLE_LITELLM_CONFIG nor KAPELLE_LITELLM_URL")


def _in_file(path: Path, name: str) -> Alias | None:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadAlias(f"the LiteLLM configuration cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise BadAlias("the LiteLLM configuration is not valid YAML") from None
    try:
        return _parsed(content, name)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadAlias(f"the LiteLLM configuration is not of LiteLLM's form ({type(error).__name__})") from None


def _parsed(content: Any, name: str) -> Alias | None:  # Any: what YAML holds is checked by taking it apart.
    entry = next((item for item in content["model_list"] if item["model_name"] == name), None)
    if entry is None:
        return None
    params = dict(entry["litellm_params"])
    info = entry.get("model_info") or {}
    dimensions = params.get("dimensions") or info.get("output_vector_size")
    handlers = (content.get("litellm_settings") or {}).get("custom_provider_map") or []
    return Alias(
        model=str(params.pop("model")),
        params=params,
        dimensions=None if dimensions is None else int(dimensions),
        window=int(info.get("max_input_tokens") or _WINDOW),
        providers=tuple((str(item["provider"]), str(item["custom_handler"])) for item in handlers),
    )
