"""Spark on this machine, with executors that are processes of their own. Also of tools/soak/spark."""

import os
import sys
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

import heed


def start(folder: Path, *, executors: int = 2, cores: int = 1, **settings: str) -> SparkSession:
    """A session with executors that are processes of `cores` cores each, which writes below a folder only.

    `settings`: of Spark, with __ for a dot and without "spark." in front.
    """
    # Executors write beside the files of Spark that they start from.
    home = folder / "spark"
    home.mkdir(parents=True)
    for part in Path(pyspark.__file__).parent.iterdir():
        (home / part.name).symlink_to(part)
    os.environ.update(
        SPARK_HOME=str(home),
        SPARK_LOCAL_IP="127.0.0.1",
        PYSPARK_PYTHON=sys.executable,
        PYSPARK_DRIVER_PYTHON=sys.executable,
    )
    builder = (
        SparkSession.builder.master(f"local-cluster[{executors},{cores},1024]")
        .config("spark.executor.memory", "512m")
        .config("spark.local.dir", str(folder / "scratch"))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.executorEnv.PYTHONPATH", str(Path(heed.__file__).parents[1]))
    )
    for name, value in settings.items():
        builder = builder.config("spark." + name.replace("__", "."), value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
