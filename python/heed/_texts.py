"""Checks of texts, before the native part takes them."""

from __future__ import annotations

from collections.abc import Iterable

from heed._heed import UsageError


def check_text(text: str, name: str) -> str:
    if not isinstance(text, str):
        raise UsageError(f"{name}: expected str, got {type(text).__name__} ({text!r:.60})")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{name}: character {error.start + 1} is a lone surrogate, which UTF-8 has no bytes for"
            ) from None
    return text


def refuse_one_text(texts: Iterable[str], name: str) -> None:
    if isinstance(texts, (str, bytes)):
        raise UsageError(f"{name}: expected several texts, got one text: [text] is a list of it")
    if not isinstance(texts, Iterable):
        raise UsageError(f"{name}: expected texts, got {type(texts).__name__}")


def list_of_texts(texts: Iterable[str], name: str) -> list[str]:
    refuse_one_text(texts, name)
    return [check_text(text, f"{name}[{index}]") for index, text in enumerate(texts)]
