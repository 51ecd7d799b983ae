"""train(tensorboard=...): TensorBoard's own readers read what a run writes."""

import json
import time

import pytest
from conftest import SMALL

import heed

pytest.importorskip("tensorboard", reason='needs pip install "heed[tensorboard]"')

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader  # noqa: E402
from tensorboard.util import tensor_util  # noqa: E402

OPTIONS = {**SMALL, "report_every": 5, "validate_every": 10, "hold_out": 20}


def read(folder):
    """A folder as TensorBoard reads it, without sampling."""
    return EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0}).Reload()


def points(folder, tag):
    return [(event.step, event.value) for event in read(folder).Scalars(tag)]


def logged(folder, kind, name):
    """The points that metrics.jsonl has."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").open(encoding="utf-8")]
    return [(line["step"], pytest.approx(line[name])) for line in lines if line["kind"] == kind]


def test_its_curves_are_those_of_the_log(text, tmp_path):
    folder, begin = tmp_path / "events", time.time()
    heed.train(
        **text, **OPTIONS, model=tmp_path / "m", steps=20, tensorboard=folder,
        validation_metric="chrf", average="last:2",
    )  # fmt: skip
    tags = set(read(folder).Tags()["scalars"])
    expected = {
        "train": ["loss", "nll", "learning_rate", "gradient_norm", "tokens_per_second"],
        "validation": ["loss", "perplexity", "bleu", "chrf"],
        "average": ["loss", "perplexity", "bleu", "chrf"],
    }
    assert tags == {f"{kind}/{name}" for kind, names in expected.items() for name in names}
    for tag in tags:
        assert points(folder, tag) == logged(tmp_path / "m", *tag.split("/")), tag
    assert [step for step, _ in points(folder, "train/loss")] == [5, 10, 15, 20]
    times = [event.wall_time for event in read(folder).Scalars("train/loss")]
    assert begin <= times[0] <= times[-1] <= time.time()


def test_the_configuration_is_a_text(text, tmp_path):
    folder = tmp_path / "events"
    heed.train(**text, **OPTIONS, model=tmp_path / "m", steps=5, tensorboard=folder, seed=7)
    (file,) = folder.iterdir()
    events = list(EventFileLoader(str(file)).Load())
    assert events[0].file_version == "brain.Event:2"
    (value,) = [
        value
        for event in events
        for value in event.summary.value
        if value.metadata.plugin_data.plugin_name == "text"
    ]
    lines = tensor_util.make_ndarray(value.tensor).item().decode().splitlines()
    assert value.tag == "configuration"
    assert {"    seed = 7", '    preset = "tiny"', "    steps = 5"} <= {*lines}
    assert f'    source = ["{text["source"]}"]' in lines


def test_a_file_is_read_while_the_run_goes_on(text, tmp_path):
    folder, seen = tmp_path / "events", []

    def look(report):
        if isinstance(report, heed.TrainReport):
            seen.append(points(folder, "train/loss")[-1])

    heed.train(
        **text, **OPTIONS, model=tmp_path / "m", steps=20, tensorboard=folder, callback=look
    )
    assert seen == points(folder, "train/loss")


def test_a_resumed_run_replaces_the_steps_after_its_state(text, tmp_path):
    folder, options = tmp_path / "events", {**text, **OPTIONS, "report_every": 1}

    class Killed(Exception):
        pass

    def kill(report):
        if report.step == 17 and isinstance(report, heed.TrainReport):
            raise Killed

    with pytest.raises(Killed):
        heed.train(**options, model=tmp_path / "m", steps=20, tensorboard=folder, callback=kill)
    assert [step for step, _ in points(folder, "train/loss")] == [*range(1, 18)]
    # A disk that was full, say, cut the last record short.
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:-3])
    heed.train(**options, model=tmp_path / "m", steps=20, tensorboard=folder, resume=True)
    for kind, name in [("train", "loss"), ("validation", "loss")]:
        assert points(folder, f"{kind}/{name}") == logged(tmp_path / "m", kind, name)
    assert [step for step, _ in points(folder, "train/loss")] == [*range(1, 21)]
    assert [step for step, _ in points(folder, "validation/loss")] == [10, 20]


def test_a_folder_that_cannot_be_is_an_error(text, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(heed.Error, match="tensorboard.*file.*not a directory"):
        heed.train(**text, **SMALL, model=tmp_path / "m", tensorboard=tmp_path / "file" / "events")
    assert not (tmp_path / "m").exists()
