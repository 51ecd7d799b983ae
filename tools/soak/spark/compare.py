"""spark.sh: heed.spark on several processes, with kills, compared with heed in one process."""

import filecmp
import itertools
import os
import signal
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python" / "tests"))

import heed.spark  # noqa: E402
import spark_cluster  # noqa: E402 of the tests


def number(name, default):
    return int(os.environ.get(name, default))


MODEL = os.path.abspath(os.environ["HEED_MODEL"])
ROWS, ROUND_ROWS, ROUNDS = number("ROWS", 200_000), number("ROUND_ROWS", 200_000), number("ROUNDS", 3)
EXECUTORS, BEAM, SLOWER_PERCENT = number("EXECUTORS", 2), number("BEAM", 4), number("SLOWER_PERCENT", 15)
ROWS_OF_A_TASK = number("ROWS_OF_A_TASK", 5_000)
COMPUTE = os.environ.get("COMPUTE", "auto")


def fail(message):
    sys.exit(f"spark: {message}")


def read_rows():
    with open(os.environ["SOURCE"], encoding="utf-8", newline="\n") as file:
        lines = [line.rstrip("\n") for line in file]
    if not lines:
        fail(f"{os.environ['SOURCE']} is empty")
    return list(itertools.islice(itertools.cycle(lines), ROWS))


def frame_of(spark, texts):
    """The numbered texts, from Parquet as a job would read them, in tasks of about the same size."""
    tasks = max(EXECUTORS, len(texts) // ROWS_OF_A_TASK)
    path = f"cluster/texts-{len(texts)}"
    numbered = [(n, text) for n, text in enumerate(texts)]
    spark.createDataFrame(numbered, "n long, text string").coalesce(tasks).write.parquet(path)
    # Spark would read several small files in one task.
    return spark.read.parquet(path).repartitionByRange(tasks, "n").persist()


def translated(frame):
    return heed.spark.translate(frame, "text", model=MODEL, compute=COMPUTE, beam=BEAM)


def translated_alone(model, texts):
    return list(model.translate_iter(texts, beam=BEAM, threads=EXECUTORS))


def write(frame):
    translated(frame).write.mode("overwrite").parquet("result")


def timed(work):
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def compare_speeds(spark, model, texts):
    """Alternating rounds, since the machine may be faster at one time than at another."""
    frame = frame_of(spark, texts)
    write(frame)  # starts the processes, opens the models, keeps the rows in memory
    rounds = [
        (timed(lambda: translated_alone(model, texts)), timed(lambda: write(frame)))
        for _ in range(ROUNDS)
    ]
    for alone, by_spark in rounds:
        print(
            f"spark: {len(texts)} rows: one process of {EXECUTORS} threads {alone:.1f} s, "
            f"{EXECUTORS} executors of one thread {by_spark:.1f} s, ratio {by_spark / alone:.3f}",
            flush=True,
        )
    frame.unpersist()
    ratio = statistics.median(by_spark / alone for alone, by_spark in rounds)
    rate = len(texts) / min(alone for alone, _ in rounds)
    rate_of_spark = len(texts) / min(by_spark for _, by_spark in rounds)
    print(
        f"spark: median ratio {ratio:.3f}; fastest round: one process {rate:.0f} rows/s, "
        f"Spark {rate_of_spark:.0f} rows/s",
        flush=True,
    )
    return ratio


def processes():
    """Parent and command line of every process."""
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            status = (folder / "stat").read_text().rpartition(")")[2].split()
            found[int(folder.name)] = int(status[1]), (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended
    return found


def descendants(ancestor, containing):
    found = processes()

    def descends(process):
        while process in found:
            process = found[process][0]
            if process == ancestor:
                return True
        return False

    return [p for p, (_, command) in found.items() if containing in command and descends(p)]


class Killer(threading.Thread):
    """Kills an executor when a third of the tasks is done, and a Python process at two thirds."""

    def __init__(self, spark):
        super().__init__(daemon=True)
        self.tracker = spark.sparkContext.statusTracker()
        self.done = threading.Event()
        self.killed = []

    def run(self):
        for share, containing in (1 / 3, b"CoarseGrainedExecutorBackend"), (2 / 3, b"pyspark.daemon"):
            while self.progress() < share:
                if self.done.wait(0.05):
                    return
            victim = descendants(os.getpid(), containing)[-1]
            os.kill(victim, signal.SIGKILL)
            self.killed.append(containing.decode())
            print(f"spark: killed process {victim} ({containing.decode()}) after {share:.0%}", flush=True)

    def progress(self):
        stages = [self.tracker.getStageInfo(stage) for stage in self.tracker.getActiveStageIds()]
        return max((s.numCompletedTasks / s.numTasks for s in stages if s), default=0)


def compare_results(spark, model, texts):
    alone = translated_alone(model, texts)
    frame = frame_of(spark, texts)
    frame.count()  # so that the only stage from now on is that of the translation
    killer = Killer(spark)
    killer.start()
    seconds = timed(lambda: write(frame))
    killer.done.set()
    killer.join()
    if len(killer.killed) < 2:
        fail(f"only {killer.killed} was killed: the job ended too soon, give more ROWS")
    got = [tuple(row) for row in spark.read.parquet("result").orderBy("n").collect()]
    check_rows(got, texts, alone)
    print(f"spark: {len(got)} rows with both kills in {seconds:.1f} s", flush=True)


def check_rows(got, texts, alone):
    if len(got) != len(texts):
        fail(f"{len(texts)} rows became {len(got)}")
    for expected, row in zip(zip(itertools.count(), texts, alone), got):
        if row != expected:
            fail(f"expected the row {expected}, got {row}")
    for name, lines in ("one.txt", alone), ("spark.txt", [row[2] for row in got]):
        Path(name).write_text("".join(line + "\n" for line in lines), "utf-8")
    if not filecmp.cmp("one.txt", "spark.txt", shallow=False):
        fail("one.txt and spark.txt differ")


def main():
    texts = read_rows()
    model = heed.Model(MODEL, compute=COMPUTE)
    spark = spark_cluster.start(
        Path("cluster").resolve(), executors=EXECUTORS, sql__adaptive__enabled="false"
    )
    print(f"spark: {model.backend}, {model.config}, beam {BEAM}", flush=True)
    ratio = compare_speeds(spark, model, texts[:ROUND_ROWS])
    compare_results(spark, model, texts)
    spark.stop()
    if ratio > 1 + SLOWER_PERCENT / 100:
        fail(f"{ratio:.3f} times the time of one process: expected at most {1 + SLOWER_PERCENT / 100}")
    print(f"spark: {ROWS} rows with two kills, the same rows and bytes as of one process")


if __name__ == "__main__":
    main()
