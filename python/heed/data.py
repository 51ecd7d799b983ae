"""Parallel text: its statistics and defects, the pairs worth keeping, the words that belong together."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any

from heed import _heed
from heed._arguments import takes_options
from heed._texts import list_of_texts

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from heed._options import CleanOptions, InspectDataOptions

File = str | os.PathLike[str]


@takes_options("inspect_data")
def inspect_data(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    model: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    **options: Unpack[InspectDataOptions],
) -> dict[str, Any]:
    """Lengths, words and every kind of harmful pair of parallel text: `heed inspect data --json`.

    `model`: count tokens with the tokenizers of this model directory.
    """
    return json.loads(
        _heed.inspect_data(
            os.fspath(source),
            os.fspath(target),
            "" if model is None else os.fspath(model),
            threads,
            dict(options),
        )
    )


@takes_options("clean")
def clean(
    source: File,
    target: File,
    *,
    output: tuple[File, File],
    rejected: File | None = None,
    test_source: File | None = None,
    test_target: File | None = None,
    threads: int | None = None,
    **options: Unpack[CleanOptions],
) -> dict[str, Any]:
    """Writes the pairs of parallel text that do not harm a model: `heed clean`.

    `output`: the new files of both sides; gzip where a name ends in .gz. `rejected`: a file for the
    other pairs, tab-separated, with the findings. `test_source`, `test_target`: a test set, whose
    lines are dropped. Returns the numbers of `heed clean --json`: pairs, kept, repaired, and dropped
    by finding. Raises Error, and writes nothing, if no pair is left.
    """
    with ExitStack() as opened:
        outputs = [opened.enter_context(_NewFile(name)) for name in output]
        others = opened.enter_context(_NewFile(rejected)) if rejected is not None else None

        def keep(clean_source: bytes, clean_target: bytes) -> None:
            outputs[0].write(clean_source)
            outputs[1].write(clean_target)

        def reject(row: bytes) -> None:
            if others is not None:
                others.write(row)

        def name_of(file: File | None) -> str:
            return "" if file is None else os.fspath(file)

        counts = json.loads(
            _heed.clean(
                os.fspath(source),
                os.fspath(target),
                (name_of(test_source), name_of(test_target)),
                threads,
                dict(options),
                keep,
                reject,
            )
        )
        if counts["kept"] == 0:
            raise _heed.Error("no pair is left: the outputs are not written")
        for file in [*outputs, *([others] if others is not None else [])]:
            file.commit()
    return counts


def align(
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    symmetrize: str = "grow-diag-final-and",
    threads: int | None = None,
) -> list[list[tuple[int, int]]]:
    """Which words of each pair are translations of each other, learned from these pairs: `heed align`.

    For each pair the links (source word, target word), counted from 0, of the words between white
    space, and of each character of text without spaces. `symmetrize`: the links that are kept of the
    two directions: "grow-diag-final-and", "intersection", "union", "source-target" or
    "target-source".
    """
    return _heed.align(
        list_of_texts(sources, "sources"), list_of_texts(targets, "targets"), symmetrize, threads
    )


class _NewFile:
    """Lines for a file that has its name once commit() was called."""

    def __init__(self, name: File) -> None:
        self._path = pathlib.Path(name)
        self._file: IO[bytes] | None = None
        self._temporary = ""

    def __enter__(self) -> _NewFile:
        handle, self._temporary = tempfile.mkstemp(
            prefix=f".{self._path.name}.", dir=self._path.parent
        )
        file = os.fdopen(handle, "wb")
        self._file = (
            gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
            if self._path.suffix == ".gz"
            else file
        )
        self._opened = file
        return self

    def write(self, line: bytes) -> None:
        self._file.write(line + b"\n")

    def commit(self) -> None:
        self._file.close()
        self._opened.close()
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(self._temporary, 0o666 & ~mask)
        os.replace(self._temporary, self._path)
        self._temporary = ""

    def __exit__(self, *ignored: object) -> None:
        if self._temporary:
            self._file.close()
            self._opened.close()
            os.unlink(self._temporary)


__all__ = ["align", "clean", "inspect_data"]
