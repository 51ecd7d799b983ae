"""One table of options: signatures, documentation and types are made of it."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import heed

TOOL = Path(__file__).parents[2] / "tools" / "make_python_types.py"


def test_signatures_and_documentation_are_those_of_the_table():
    signature = inspect.signature(heed.Model.translate)
    assert signature.parameters["beam"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature.parameters["length_penalty"].default is None
    assert "compute" not in signature.parameters
    assert "length_penalty: " in heed.Model.translate.__doc__
    train = inspect.signature(heed.train)
    assert train.parameters["beta1"].default == 0.9
    assert train.parameters["label_smoothing"].default is None
    assert train.parameters["callback"].default is None


@pytest.mark.parametrize(("kind", "file"), [("options", "_options.py"), ("native", "_heed.pyi")])
def test_the_types_are_those_of_the_package(kind, file):
    if kind == "native":
        pytest.importorskip("nanobind")
    made = subprocess.run(
        [sys.executable, TOOL, kind], capture_output=True, text=True, check=True, env={**os.environ}
    ).stdout
    assert made == (Path(heed.__file__).parent / file).read_text("utf-8")


def test_everything_public_is_documented():
    for name in heed.__all__:
        if name.startswith("__"):
            continue
        thing = getattr(heed, name)
        assert thing.__doc__, name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    assert getattr(value, "__doc__", None) or member in thing.__annotations__, (
                        f"{name}.{member}"
                    )
