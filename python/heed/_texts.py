"""Checks of texts, before the native part takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MappingView, Sequence, Set

from heed._heed import UsageError


class ArgumentTypeError(UsageError, TypeError):
    """An argument of the wrong type: a set, a dict or a data frame for a list, bytes for a text."""


ArgumentTypeError.__module__ = "heed"  # in messages, as the other exceptions


def check_text(text: str, name: str) -> str:
    if isinstance(text, (bytes, bytearray)):
        raise ArgumentTypeError(
            f'{name}: expected str, got {type(text).__name__}: pass {name}.decode("utf-8")'
        )
    if not isinstance(text, str):
        raise ArgumentTypeError(f"{name}: expected str, got {type(text).__name__} ({text!r:.60})")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{name}: character {error.start + 1} is a lone surrogate, which UTF-8 has no bytes for"
            ) from None
    return text


def expect_texts(texts: Iterable[str], name: str) -> None:
    """Raises unless these are several texts in an order."""
    if isinstance(texts, str):
        raise ArgumentTypeError(f"{name}: expected several texts, got one text: pass [text]")
    expect_ordered(texts, name, "texts", 'one of its columns, such as df["text"]')


def expect_ordered(things: Iterable[object], name: str, what: str, of_table: str) -> None:
    """Raises unless iterating gives `what`, in an order that the caller knows. `of_table`: what to
    pass of a data frame."""
    kind = type(things).__name__
    if hasattr(things, "columns"):
        raise ArgumentTypeError(
            f"{name}: expected {what}, got {kind}, whose iteration gives the names of its columns: "
            f"pass {of_table}"
        )
    if isinstance(things, Mapping):
        raise ArgumentTypeError(
            f"{name}: expected {what}, got {kind}, whose iteration gives its keys: pass a list, such "
            f"as list({name}.values())"
        )
    if isinstance(things, Set) and not isinstance(things, (Sequence, MappingView)):
        raise ArgumentTypeError(
            f"{name}: expected {what} in their order, got {kind}, which has none and keeps equal "
            f"{what} once: pass a list"
        )
    if isinstance(things, (bytes, bytearray)) or not isinstance(things, Iterable):
        raise ArgumentTypeError(f"{name}: expected {what}, got {kind}")


def list_of_texts(texts: Iterable[str], name: str) -> list[str]:
    expect_texts(texts, name)
    return [check_text(text, f"{name}[{index}]") for index, text in enumerate(texts)]
