"""Keyword arguments by heed's one table of options, for signatures and documentation."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from heed import _heed

Function = TypeVar("Function", bound=Callable[..., Any])

# The types of an option's values, by its kind.
TYPES = {"flag": "bool", "integer": "int", "number": "float", "text": "str", "choice": "str"}


def default_of(option: dict[str, Any]) -> Any:
    """The value of an option that is not given; None: it is not set."""
    convert: dict[str, Callable[[str], Any]] = {
        "flag": lambda text: text == "true",
        "integer": int,
        "number": float,
    }
    values = [convert.get(option["kind"], str)(text) for text in option["defaults"]]
    if option["list"]:
        return tuple(values)
    return values[0] if values else None


def options_of(call: str, without: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    return [option for option in _heed.describe_options(call) if option["name"] not in without]


def _documentation(option: dict[str, Any]) -> str:
    text = option["help"]
    if option["choices"]:
        text += ": " + ", ".join(option["choices"])
    if default_of(option) is None and option["default_text"]:
        text += f" (default: {option['default_text']})"
    return textwrap.fill(
        f"{option['name']}: {text}.", width=88, initial_indent="    ", subsequent_indent="        "
    )


def takes_options(call: str, without: tuple[str, ...] = ()) -> Callable[[Function], Function]:
    """Gives a function with **options the signature and the documentation of these options."""

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        named = [
            parameter
            for parameter in signature.parameters.values()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        options = options_of(call, without)
        taken = {parameter.name for parameter in named}
        named += [
            inspect.Parameter(
                option["name"], inspect.Parameter.KEYWORD_ONLY, default=default_of(option)
            )
            for option in options
            if option["name"] not in taken
        ]
        function.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        described = "\n".join(map(_documentation, options))
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\nOptions:\n{described}\n"
        return function

    return decorate
