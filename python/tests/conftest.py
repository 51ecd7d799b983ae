"""A small text, a small model of it, and the program."""

import os
import random
import shutil
from pathlib import Path

import pytest

import heed

WORDS = {"eins": "one", "zwei": "two", "drei": "three", "vier": "four", "fünf": "five"}
# What all trained models of the tests have in common.
SMALL = {
    "preset": "tiny",
    "vocabulary_size": 60,
    "tokenizer": "char",
    "batch_tokens": 512,
    "warmup_steps": 20,
    "compute": "fp32",
}


def write_text(folder: Path, pairs: int = 400) -> dict[str, str]:
    """Counts and their reverse; the options that name them."""
    draw = random.Random(1)
    lines = [draw.choices(list(WORDS), k=draw.randint(1, 4)) for _ in range(pairs)]
    (folder / "train.de").write_text("".join(" ".join(line) + "\n" for line in lines), "utf-8")
    (folder / "train.en").write_text(
        "".join(" ".join(WORDS[word] for word in reversed(line)) + "\n" for line in lines), "utf-8"
    )
    return {"source": str(folder / "train.de"), "target": str(folder / "train.en")}


@pytest.fixture(scope="session")
def text(tmp_path_factory):
    return write_text(tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="session")
def model_path(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("trained") / "model"
    heed.train(**text, **SMALL, model=path, steps=60)
    return path


@pytest.fixture(scope="session")
def model(model_path):
    return heed.Model(model_path, compute="fp32")


@pytest.fixture(scope="session")
def lines(text):
    return Path(text["source"]).read_text("utf-8").splitlines()[:80]


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("HEED_PROGRAM") or shutil.which("heed")
    if not path:
        pytest.skip("needs the program heed on the PATH or in HEED_PROGRAM")
    return path
