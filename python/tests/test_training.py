import gc
import json
import logging
import os
from pathlib import Path

import pytest
from conftest import SMALL

import heed


def weights(path):
    return Path(path, "model.safetensors").read_bytes()


def test_a_run_reports_and_ends(text, tmp_path, caplog):
    reports = []
    with caplog.at_level(logging.INFO, "heed"):
        result = heed.train(
            **text, **SMALL, model=tmp_path / "m", steps=20, report_every=5, hold_out=20,
            callback=reports.append,
        )  # fmt: skip
    assert result.end == "limit reached"
    assert result.progress.step == 20
    trained = [r for r in reports if isinstance(r, heed.TrainReport)]
    assert [r.step for r in trained] == [5, 10, 15, 20]
    assert all(r.loss > 0 and r.learning_rate > 0 for r in trained)
    validated = [r for r in reports if isinstance(r, heed.ValidationReport)]
    assert validated[-1].perplexity > 1
    last = validated[-1]
    assert repr(trained[0]).startswith(f"heed.TrainReport(step=5, epoch={trained[0].epoch:.6g}, loss=")
    assert repr(last).startswith(f"heed.ValidationReport(step={last.step}, ")
    assert f"perplexity={last.perplexity:.6g}, best={last.best})" in repr(last)
    assert repr(result) == f"heed.TrainResult(end='limit reached', progress={result.progress!r})"
    assert repr(result.progress).startswith("heed.Progress(step=20, epoch=")
    assert caplog.records
    assert not any(" --" in record.getMessage() for record in caplog.records)
    logged = [json.loads(line) for line in (tmp_path / "m" / "metrics.jsonl").open()]
    assert [r["loss"] for r in logged if r["kind"] == "train"] == [r.loss for r in trained]


def test_the_weights_are_those_of_the_program(text, tmp_path, program):
    heed.train(**text, **SMALL, model=tmp_path / "python", steps=10)
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    os.spawnv(
        os.P_WAIT,
        program,
        [program, "train", *flags, f"--source={text['source']}", f"--target={text['target']}",
         f"--model={tmp_path / 'program'}", "--steps=10", "--quiet", "--no-inspect"],
    )  # fmt: skip
    assert weights(tmp_path / "python") == weights(tmp_path / "program")


def test_a_callback_stops_a_run_which_is_resumed(text, tmp_path):
    options = {**text, **SMALL, "report_every": 5}
    stopped = heed.train(
        **options, model=tmp_path / "m", steps=20, callback=lambda report: report.step >= 10
    )
    assert (stopped.end, stopped.progress.step) == ("stopped", 10)
    assert heed.train(**options, model=tmp_path / "m", steps=20, resume=True).progress.step == 20
    heed.train(**options, model=tmp_path / "whole", steps=20)
    assert weights(tmp_path / "m") == weights(tmp_path / "whole")


def test_an_exception_of_a_callback_comes_back(text, tmp_path):
    def fail(report):
        raise LookupError(f"at step {report.step}")

    with pytest.raises(LookupError, match="at step 5"):
        heed.train(**text, **SMALL, model=tmp_path / "m", steps=20, report_every=5, callback=fail)


def test_a_loop_of_ones_own(text, tmp_path):
    heed.train(**text, **SMALL, model=tmp_path / "whole", steps=12)
    trainer = heed.Trainer(**text, **SMALL, model=tmp_path / "m", steps=12, hold_out=0)
    steps = 0
    while not trainer.done:
        trainer.step()
        steps += 1
        assert trainer.progress.step == steps
    trainer.finish()
    assert steps == 12
    assert weights(tmp_path / "m") == weights(tmp_path / "whole")
    with pytest.raises(heed.Error):
        trainer.step()


def test_a_trainer_translates_its_validation_text(text, tmp_path):
    trainer = heed.Trainer(
        **text, **SMALL, model=tmp_path / "m", steps=4, hold_out=10, validation_metric="chrf"
    )
    trainer.step()
    report = trainer.validate()
    assert report.chrf is not None and 0 <= report.chrf <= 100
    trainer.save()


def test_a_trainer_refuses_a_call_from_its_callback(text, tmp_path):
    trainer = heed.Trainer(
        **text, **SMALL, model=tmp_path / "m", steps=4, report_every=1,
        callback=lambda report: trainer.step(),
    )  # fmt: skip
    with pytest.raises(heed.UsageError, match="in use"):
        trainer.step()


def test_text_that_does_not_fit_is_an_error(text, tmp_path):
    short = tmp_path / "short.en"
    short.write_text("one\n")
    with pytest.raises(heed.Error, match=r"short\.en"):
        heed.train(source=text["source"], target=short, model=tmp_path / "m", **SMALL)
    with pytest.raises(heed.UsageError, match="did you mean 'd_model'"):
        heed.train(**text, model=tmp_path / "m", d_modle=64)
    with pytest.raises(heed.Error, match="missing"):
        heed.train(source="missing.de", target="missing.en", model=tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_trainer_that_its_callback_refers_to_is_freed(text, tmp_path):
    trainer = heed.Trainer(
        **text, **SMALL, model=tmp_path / "m", steps=4, callback=lambda report: trainer.done
    )
    trainer.step()
    del trainer
    gc.collect()
    # Its lock on the directory is gone.
    heed.Trainer(**text, **SMALL, model=tmp_path / "m", steps=4, overwrite=True)


def test_a_list_of_tables_takes_dictionaries(text, tmp_path):
    corpora = [
        {"name": "first", "source": text["source"], "target": [text["target"]], "weight": 1},
        {"name": "second", "source": text["target"], "target": text["source"], "weight": 3},
    ]
    reports = []
    small = dict(SMALL, steps=8, report_every=8, hold_out=0)
    heed.train(
        corpus=corpora, stage={"mix": ["first", "second"]}, model=tmp_path / "m", **small,
        callback=reports.append,
    )  # fmt: skip
    last = [r for r in reports if isinstance(r, heed.TrainReport)][-1]
    assert last.stage == 1
    assert last.corpora["second"] > 2 * last.corpora["first"] > 0
    with pytest.raises(heed.UsageError, match="corpus: unknown key 'sorce'; did you mean 'source'"):
        heed.train(corpus=[{"name": "x", "sorce": "y"}], model=tmp_path / "n")
    with pytest.raises(heed.UsageError, match="corpus: weight: expected a number above 0"):
        heed.train(corpus=[{"name": "x", "weight": 0}], model=tmp_path / "n")
