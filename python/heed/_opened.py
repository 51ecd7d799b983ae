"""What every opened model has."""

from __future__ import annotations

import os
from typing import Any, ClassVar


class OpenedModel:
    """A model directory that the native part has opened. Pickled by its path."""

    _native: ClassVar[Any]  # the class of heed._heed

    def __init__(
        self, path: str | os.PathLike[str], *, compute: str = "auto", device: str = "cpu"
    ) -> None:
        self._path = os.path.abspath(path)
        self._compute = compute
        self._device = device
        self._model = self._native(os.fspath(path), compute, device)

    def __reduce__(self) -> tuple[Any, ...]:
        return _open, (type(self), self._path, self._compute, self._device)

    def __repr__(self) -> str:
        device = "" if self._device == "cpu" else f", device={self._device!r}"
        return f"heed.{type(self).__name__}({self._path!r}, compute={self._compute!r}{device})"

    @property
    def path(self) -> str:
        """The directory of the model, as an absolute path."""
        return self._path

    @property
    def backend(self) -> str:
        """What computes: the instruction set and the compute type."""
        return self._model.backend

    @property
    def config(self) -> dict[str, int]:
        """The sizes of the model: d_model, d_ff, heads, layers, vocabulary and parameters."""
        return self._model.config

    @property
    def vocabulary(self) -> list[str]:
        """The pieces, or labels, that the model chooses from, in the order of their numbers."""
        return self._model.vocabulary


def _open(kind: type[OpenedModel], path: str, compute: str, device: str) -> OpenedModel:
    return kind(path, compute=compute, device=device)
