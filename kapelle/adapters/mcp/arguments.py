"""Checks a call's arguments against its tool's schema, and says what to send instead."""

from collections.abc import Callable, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from mcp_types import Tool

# What a schema's keyword asks for, without the value that was sent, which may be long.
_WORDS: dict[str, Callable[[Any], str]] = {
    "type": lambda name: f"must be {'an' if name[0] in 'aeio' else 'a'} {name}",
    "enum": lambda values: f"must be one of {', '.join(values)}",
    "minLength": lambda _: "must not be empty",
    "maxLength": lambda limit: f"must have at most {limit} characters",
    "minimum": lambda limit: f"must be at least {limit}",
    "maximum": lambda limit: f"must be at most {limit}",
    "maxItems": lambda limit: f"must have at most {limit} items",
}


def problem(tool: Tool, arguments: Mapping[str, Any]) -> str | None:
    """Return one sentence on what is wrong with the arguments, or None."""
    error = best_match(Draft202012Validator(tool.input_schema).iter_errors(dict(arguments)))
    return None if error is None else f"{_sentence(error)}; {tool.name} takes {_usage(tool)}"


def _sentence(error: ValidationError) -> str:
    sent: Any = error.instance
    if error.validator == "required":
        return f"{next(name for name in error.validator_value if name not in sent)} is missing"
    if error.validator == "additionalProperties":
        return "there is an argument that is not known"
    return f"{error.path[0]} {_WORDS[str(error.validator)](error.validator_value)}"


def _usage(tool: Tool) -> str:
    required = tool.input_schema["required"]
    names = tool.input_schema["properties"]
    return ", ".join(name if name in required else f"{name} (optional)" for name in names)
