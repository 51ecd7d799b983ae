"""heed.spark, on a cluster of two executors that are processes of their own."""

import os
import shutil
import signal
import tarfile
from pathlib import Path

import pytest

import heed

pytest.importorskip("pyspark", reason='needs pip install "heed[spark]"')
pytest.importorskip("pandas", reason='needs pip install "heed[spark]"')
pytest.importorskip("pyarrow", reason='needs pip install "heed[spark]"')

import spark_cluster  # noqa: E402 needs pyspark

import heed.spark  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("needs Java 17 (Debian: openjdk-17-jre-headless)")
    session = spark_cluster.start(
        tmp_path_factory.mktemp("spark"),
        executors=2,
        cores=2,
        task__cpus="2",
        # Batches that are smaller than a partition and than what the threads compute at a time.
        sql__execution__arrow__maxRecordsPerBatch="7",
    )
    yield session
    session.stop()


# A model of few steps translates most texts alike, but draws other samples for each.
OPTIONS = {"sample": True, "seed": 7, "min_length": 3, "max_length": 8}


@pytest.fixture(scope="module")
def rows(lines):
    """Number, text and remark; every fifth text is null, and so is a whole batch."""
    texts = [None if n % 5 == 3 or 14 <= n < 30 else line for n, line in enumerate(lines)]
    return [(n, text, f"remark {n}") for n, text in enumerate(texts)]


@pytest.fixture(scope="module")
def frame(spark, rows):
    return spark.createDataFrame(
        spark.sparkContext.parallelize(rows, 3), "n int, text string, remark string"
    )


@pytest.fixture(scope="module")
def expected(model, rows):
    texts = [text for _, text, _ in rows if text is not None]
    translations = iter(model.translate(texts, **OPTIONS))
    return [None if text is None else next(translations) for _, text, _ in rows]


def tuples(frame):
    return [tuple(row) for row in frame.collect()]


def collected(batches, compute):
    return list(heed.spark.in_batches(iter(batches), compute))


@pytest.mark.parametrize("read_ahead", [1, 2, 100])
def test_batches_keep_their_sizes_and_places(read_ahead):
    batches = [[None, None], [1, None, 2], [], [None], [3], [4, 5, None], [None]]

    def doubled(numbers):
        held = []
        for number in numbers:
            held.append(2 * number)
            if len(held) == read_ahead:
                yield held.pop(0)
        yield from held

    doubles = [[None, None], [2, None, 4], [], [None], [6], [8, 10, None], [None]]
    assert collected(batches, doubled) == doubles
    assert collected([], doubled) == []
    assert collected([[None], []], doubled) == [[None], []]


def test_lost_results_are_an_error():
    with pytest.raises(heed.Error, match="2 rows gave 1 results"):
        collected([[1, 2]], lambda numbers: list(numbers)[1:])


def test_translations_are_those_of_the_model(frame, model_path, rows, expected):
    translated = heed.spark.translate(frame, "text", model=model_path, compute="fp32", **OPTIONS)
    assert translated.columns == ["n", "text", "remark", "translation"]
    assert tuples(translated) == [(*row, text) for row, text in zip(rows, expected, strict=True)]
    assert len(set(expected)) > 20


def test_scores_are_those_of_the_model(spark, model_path, model, rows, expected):
    pairs = [
        (n, source, None if n % 7 == 0 else target)
        for (n, source, _), target in zip(rows, expected, strict=True)
    ]
    frame = spark.createDataFrame(pairs, "n int, source string, target string").repartition(3)
    scored = heed.spark.score(frame, "source", "target", model=model_path, output="log p")
    assert scored.columns == ["n", "source", "target", "log p"]
    for n, source, target, log_probability in tuples(scored):
        if source is None or target is None:
            assert log_probability is None, n
        else:
            assert log_probability == model.score(source, target).log_probability, n


def test_a_filter_on_translations_computes_them_once(frame, model_path, capsys):
    translated = heed.spark.translate(frame, "text", model=model_path)
    translated.filter("translation != '' and n > 3").explain()
    assert capsys.readouterr().out.count("ArrowEvalPython") == 1


def test_a_process_opens_a_model_once(model_path):
    path = str(model_path)
    opened = heed.spark._model_of_process(path, "fp32")
    assert heed.spark._model_of_process(path, "fp32") is opened
    assert heed.spark._model_of_process(path, "int8") is not opened


def test_a_task_computes_with_the_threads_of_its_cpus(frame, model_path, monkeypatch):
    given = []
    monkeypatch.setattr(heed.Model, "translate", lambda *_, **options: given.append(options))
    heed.spark.translate(frame, "text", model=model_path)
    heed.spark.translate(frame, "text", model=model_path, threads=1)
    assert [options["threads"] for options in given] == [2, 1]


def kill_this_executor_once(marker):
    """Upstream of a translation: the first task of a partition that comes here kills its JVM."""

    def pass_on(batches):
        for number, batch in enumerate(batches):
            if number == 2:
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    status = Path(f"/proc/{os.getppid()}/status").read_text()  # of pyspark.daemon
                    parent = next(line for line in status.splitlines() if line.startswith("PPid:"))
                    os.kill(int(parent.split()[1]), signal.SIGKILL)
            yield batch

    return pass_on


def test_a_killed_executor_loses_no_row(frame, model_path, rows, expected, tmp_path):
    marker = str(tmp_path / "killed")
    trapped = frame.mapInPandas(kill_this_executor_once(marker), frame.schema)
    translated = heed.spark.translate(trapped, "text", model=model_path, compute="fp32", **OPTIONS)
    assert tuples(translated) == [(*row, text) for row, text in zip(rows, expected, strict=True)]
    assert Path(marker).exists()


def test_empty_frames_and_single_rows(spark, model_path, model):
    def translations(texts):
        frame = spark.createDataFrame([(text,) for text in texts], "text string")
        translated = heed.spark.translate(frame, "text", model=model_path, compute="fp32")
        return [row.translation for row in translated.collect()]

    assert translations([]) == []
    assert translations(["eins zwei"]) == [model.translate("eins zwei")]
    assert translations([None]) == [None]
    assert translations(["", "eins"]) == ["", model.translate("eins")]
    long = "drei vier " * 2000
    assert translations([long, None, "eins"])[1:] == [None, model.translate("eins")]


def test_a_model_may_be_an_archive_that_spark_distributes(spark, model_path, model, tmp_path):
    archive = tmp_path / "model.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(model_path, arcname=".")
    spark.sparkContext.addArchive(f"{archive}#distributed")
    frame = spark.createDataFrame([("drei vier",)], "text string")
    translated = heed.spark.translate(frame, "text", model="distributed", compute="fp32")
    assert translated.first().translation == model.translate("drei vier")


def test_names_are_spark_s(spark, model_path):
    frame = spark.createDataFrame([("eins", "zwei")], "`a.b` string, `c``d` string")
    for column in ("a.b", "c`d", "A.B"):
        assert heed.spark.translate(frame, column, model=model_path).first().translation is not None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"column": "txt"}, "no column 'txt': the columns are n, text, remark"),
        ({"column": "n"}, r"column 'n': expected texts \(string\), got int"),
        ({"column": None}, "expected the name of a column, got NoneType"),
        ({"output": "Remark"}, "column 'Remark' exists already"),
        ({"output": ""}, "output: expected the name of a new column"),
        ({"baem": 4}, "no argument 'baem'; did you mean 'beam'"),
        ({"beam": 0}, "beam: expected a whole number from 1"),
        ({"nbest": 3, "beam": 2}, "nbest: expected at most the beam"),
        ({"threads": 0}, "threads: expected a whole number from 1"),
        ({"compute": "fp64"}, "compute: expected"),
        ({"df": [("eins",)]}, "df: expected a Spark DataFrame, got list"),
    ],
)
def test_wrong_calls_fail_at_once(frame, model_path, change, message):
    arguments = {"df": frame, "column": "text", "model": model_path, **change}
    with pytest.raises(heed.UsageError, match=message):
        heed.spark.translate(**arguments)


def test_scores_check_both_columns(frame, model_path):
    with pytest.raises(heed.UsageError, match="no column 'translation'"):
        heed.spark.score(frame, "text", "translation", model=model_path)


def test_two_columns_of_a_name_are_refused(frame, model_path):
    joined = frame.crossJoin(frame.select("text").limit(1))
    with pytest.raises(heed.UsageError, match="2 columns are named 'text'"):
        heed.spark.translate(joined, "text", model=model_path)


def test_a_missing_model_fails_at_once(frame):
    with pytest.raises(heed.Error, match="the driver: there is no model directory /no/where"):
        heed.spark.translate(frame, "text", model="/no/where")


def test_a_model_that_an_executor_lacks_is_named(frame, model_path, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(model_path, copy)
    translated = heed.spark.translate(frame, "text", model=copy)
    shutil.rmtree(copy)
    with pytest.raises(Exception, match=f"executor .*: there is no model directory {copy}"):
        translated.collect()
