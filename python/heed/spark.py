"""Translates and scores columns of Spark data frames, by pandas UDFs.

    import heed.spark

    translated = heed.spark.translate(df, "zh", model="/models/zh-en", beam=4)
    translated.write.parquet("translated")

Each Python process of Spark opens the model once and computes with spark.task.cpus threads. A row
stays in its place, and its result depends on its text, the model and the options alone: a task that
Spark repeats gives the same rows. A model is named by a path that every machine has, the driver's
included, or by the name under which SparkContext.addArchive() distributed it.

heed, pandas and pyarrow must be installed on every machine: docs/scale.md says how.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from heed._arguments import takes_options
from heed._heed import Error, UsageError
from heed.model import Model

try:
    import pandas as pd
    import pyarrow  # noqa: F401 what Spark hands columns over by
    from pyspark import SparkFiles, TaskContext
    from pyspark.sql.functions import pandas_udf
    from pyspark.sql.types import DoubleType, StringType
except ImportError as error:
    raise ImportError(
        f'heed.spark needs pyspark, pandas and pyarrow ({error}): pip install "heed[spark]"'
    ) from error

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from typing_extensions import Unpack

    from heed._options import ScoreOptions, TranslateOptions

Row = TypeVar("Row")
Result = TypeVar("Result")


@takes_options("translate", without=("threads",))
def translate(
    df: DataFrame,
    column: str,
    *,
    model: str | os.PathLike[str],
    output: str = "translation",
    compute: str = "auto",
    **options: Unpack[TranslateOptions],
) -> DataFrame:
    """The data frame with one more column, `output`: the best translation of each text in `column`.

    Null stays null. `threads` is spark.task.cpus unless it is given. Nothing is computed before
    Spark needs the column. Raises UsageError at once for columns that do not fit and for wrong
    options, and Error for a model that cannot be opened.
    """
    text = _text_column(df, column)
    _refuse_existing(df, output)
    path = _path_for_all(model)
    options = _with_threads(df, options)
    _open_or_explain(path, compute).translate([], **options)

    def translate_batches(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        opened = _model_of_process(path, compute)
        texts = ([_text_or_none(text) for text in batch] for batch in batches)
        return _column_of(
            texts, lambda present: opened.translate_iter(present, **options), opened.path
        )

    return df.withColumn(output, _udf(translate_batches, StringType())(text))


@takes_options("score", without=("threads",))
def score(
    df: DataFrame,
    source: str,
    target: str,
    *,
    model: str | os.PathLike[str],
    output: str = "score",
    compute: str = "fp32",
    **options: Unpack[ScoreOptions],
) -> DataFrame:
    """The data frame with one more column, `output`: the log-probability of each text in the column
    `target`, given the one in `source`.

    It is PairScore.log_probability, a natural logarithm; null where one of the texts is null.
    Otherwise as translate().
    """
    columns = _text_column(df, source), _text_column(df, target)
    _refuse_existing(df, output)
    path = _path_for_all(model)
    options = _with_threads(df, options)
    _open_or_explain(path, compute).score([], [], **options)

    def score_batches(batches: Iterator[tuple[pd.Series, pd.Series]]) -> Iterator[pd.Series]:
        opened = _model_of_process(path, compute)
        pairs = (
            [_pair_or_none(*pair) for pair in zip(sources, targets, strict=True)]
            for sources, targets in batches
        )
        return _column_of(
            pairs,
            lambda present: (
                pair.log_probability for pair in opened.score_iter(present, **options)
            ),
            opened.path,
        )

    return df.withColumn(output, _udf(score_batches, DoubleType())(*columns))


def _udf(function: Callable[..., Any], returned: Any) -> Any:
    # Spark computes a deterministic function once more for every filter on its result, and again
    # for the column itself: two translations of each row.
    return pandas_udf(function, returned).asNondeterministic()


# On the driver.


def _text_column(df: DataFrame, name: str) -> Column:
    if not hasattr(df, "sparkSession"):
        raise UsageError(f"df: expected a Spark DataFrame, got {type(df).__name__}")
    if not isinstance(name, str):
        raise UsageError(f"expected the name of a column, got {type(name).__name__} ({name!r:.60})")
    fields = [field for field in df.schema.fields if _same_name(df, field.name, name)]
    if not fields:
        raise UsageError(f"no column {name!r}: the columns are {', '.join(df.columns)}")
    if len(fields) > 1:
        raise UsageError(f"{len(fields)} columns are named {name!r}: rename all but one")
    if not isinstance(fields[0].dataType, StringType):
        raise UsageError(
            f"column {name!r}: expected texts (string), got {fields[0].dataType.simpleString()}"
        )
    return df[f"`{name.replace('`', '``')}`"]


def _refuse_existing(df: DataFrame, output: str) -> None:
    if not isinstance(output, str) or not output:
        raise UsageError(f"output: expected the name of a new column, got {output!r:.60}")
    if any(_same_name(df, name, output) for name in df.columns):
        raise UsageError(
            f"column {output!r} exists already: name another one by output=..., or drop it first"
        )


def _same_name(df: DataFrame, one: str, other: str) -> bool:
    """By Spark's own rule, which ignores case unless spark.sql.caseSensitive is set."""
    if df.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true":
        return one == other
    return one.lower() == other.lower()


def _with_threads(df: DataFrame, options: Any) -> Any:
    if options.get("threads") is not None:
        return options
    return {**options, "threads": int(df.sparkSession.conf.get("spark.task.cpus", "1"))}


def _path_for_all(model: str | os.PathLike[str]) -> str:
    path = os.fspath(model)
    return os.path.abspath(path) if os.path.exists(path) else path


# On every machine.


def _open_or_explain(path: str, compute: str) -> Model:
    """Opens a model by its absolute path, or by the name of an archive that Spark distributed."""
    place = path if os.path.isabs(path) else SparkFiles.get(path)
    try:
        return Model(place, compute=compute)
    except UsageError:
        raise
    except Error as error:
        here = "the driver" if TaskContext.get() is None else f"executor {os.uname().nodename}"
        raise Error(
            f"{here}: {error}: every machine needs the model at the same path, or by "
            f"SparkContext.addArchive('FILE.tar.gz#NAME') and model='NAME'"
        ) from error


# Of the whole process, since Spark runs one task after another in it and opening a model takes
# longer than translating a few rows. It is filled in executors only, where nothing else could hold
# the model between two tasks; two of them, for a job that goes there and back.
@lru_cache(maxsize=2)
def _model_of_process(path: str, compute: str) -> Model:
    return _open_or_explain(path, compute)


# Depending on its version, pandas has None or NaN where Spark has null.
def _text_or_none(text: Any) -> str | None:
    return text if isinstance(text, str) else None


def _pair_or_none(source: Any, target: Any) -> tuple[str, str] | None:
    return (source, target) if isinstance(source, str) and isinstance(target, str) else None


def _column_of(
    batches: Iterable[list[Row | None]],
    compute: Callable[[Iterable[Row]], Iterable[Any]],
    path: str,
) -> Iterator[pd.Series]:
    for results in in_batches(batches, lambda rows: _telling_where(compute(rows), path)):
        # object: as the only type it keeps None apart from every value.
        yield pd.Series(results, dtype=object)


def in_batches(
    batches: Iterable[list[Row | None]], compute: Callable[[Iterable[Row]], Iterable[Result]]
) -> Iterator[list[Result | None]]:
    """The results of all rows that are not None, in batches of the sizes that came in.

    One call of `compute` runs through all batches, so that the threads have work while a batch
    ends and the next one begins.
    """
    # Of each batch that is read and not complete: which rows get a result, and how many they are.
    waiting: deque[tuple[list[bool], int]] = deque()

    def rows() -> Iterator[Row]:
        for batch in batches:
            present = [row is not None for row in batch]
            waiting.append((present, sum(present)))
            for row in batch:
                if row is not None:
                    yield row

    done: list[Result] = []
    for result in compute(rows()):
        while len(done) == waiting[0][1]:
            yield _with_nulls(waiting.popleft()[0], done)
            done = []
        done.append(result)
    while waiting:
        present, expected = waiting.popleft()
        if len(done) != expected:
            raise Error(f"{expected} rows gave {len(done)} results: please report this bug of heed")
        yield _with_nulls(present, done)
        done = []


def _with_nulls(present: list[bool], results: list[Result]) -> list[Result | None]:
    following = iter(results)
    return [next(following) if here else None for here in present]


def _telling_where(results: Iterable[Result], path: str) -> Iterator[Result]:
    count = 0
    try:
        for result in results:
            yield result
            count += 1
    except Error as error:
        context = TaskContext.get()
        partition = "" if context is None else f" of partition {context.partitionId()}"
        raise Error(f"{error} (model {path}, after {count} rows{partition})") from error


__all__ = ["score", "translate"]
