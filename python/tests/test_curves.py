import sys
import types
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import SMALL

import heed
from heed.curves import _MOST_POINTS, _Curve, _number, _ticks


class FakeDisplay:
    """As IPython's display(): what it has shown, as HTML."""

    def __init__(self):
        self.shown = []

    def __call__(self, what, *, display_id):
        assert display_id is True
        self.shown.append(what._repr_html_())
        return self

    def update(self, what):
        self.shown.append(what._repr_html_())


def texts_of(html):
    """The texts of well-formed markup."""
    assert "<script" not in html
    return " ".join(" ".join(ElementTree.fromstring(html).itertext()).split())


def test_curves_are_drawn_while_a_run_goes_on(text, tmp_path):
    display = FakeDisplay()
    reports = []
    curves = heed.LiveCurves(reports.append, seconds=0, display=display)
    heed.train(
        **text, **SMALL, model=tmp_path / "m", steps=20, report_every=5, hold_out=20,
        validate_every=10, validation_metric="bleu", callback=curves,
    )  # fmt: skip
    assert len(display.shown) == len(reports)
    last = texts_of(display.shown[-1])
    trained = [r for r in reports if isinstance(r, heed.TrainReport)][-1]
    validated = [r for r in reports if isinstance(r, heed.ValidationReport)][-1]
    assert f"training {trained.nll:.4g}" in last
    assert f"training {trained.loss:.4g}" in last
    assert f"validation {validated.loss:.4g}" in last
    assert f"BLEU {validated.bleu:.4g}" in last
    assert "step 20" in last
    assert display.shown[-1].count("<svg viewBox") == 3
    assert display.shown[0].count("<svg viewBox") == 2, "no validation yet"
    assert curves._repr_html_() == display.shown[-1]


@pytest.mark.parametrize(
    ("task", "option", "line", "name", "field"),
    [
        ("tag", "tsv", "one {}\tlow UP\n", "accuracy", "accuracy"),
        ("classify", "tsv", "one {}\tboth\n", "accuracy", "accuracy"),
        ("parse", "trees", "(S (NP (DT a) (NN {})))\n", "bracket F1", "brackets"),
    ],
)
def test_scores_of_every_task_have_a_chart(tmp_path, task, option, line, name, field):
    data = tmp_path / "data"
    data.write_text("".join(line.format(f"{i:07b}") for i in range(100)), encoding="utf-8")
    reports = []
    curves = heed.LiveCurves(reports.append)
    options = {**SMALL, "tokenizer": "char", "vocabulary_size": 20, "steps": 4, "hold_out": 10}
    if task == "parse":
        options["validation_metric"] = "brackets"
    heed.train(
        **options, **{option: data}, task=task, model=tmp_path / "m", validate_every=2, callback=curves
    )
    validated = [r for r in reports if isinstance(r, heed.ValidationReport)][-1]
    assert f"{name} {getattr(validated, field):.4g}" in texts_of(curves._repr_html_())
    assert curves._repr_html_().count("<svg viewBox") == 3


def test_drawing_is_not_more_often_than_asked_for_and_complete_at_the_end(text, tmp_path):
    display = FakeDisplay()
    heed.train(
        **text, **SMALL, model=tmp_path / "m", steps=20, report_every=1, hold_out=0,
        callback=heed.LiveCurves(seconds=3600, display=display),
    )  # fmt: skip
    assert 1 <= len(display.shown) < 10
    assert "step 20" in texts_of(display.shown[-1])


def test_the_other_callback_stops_the_run(text, tmp_path):
    curves = heed.LiveCurves(lambda report: report.step >= 10)
    result = heed.train(
        **text, **SMALL, model=tmp_path / "m", steps=20, report_every=5, callback=curves
    )
    assert (result.end, result.progress.step) == ("stopped", 10)


def test_a_trainer_shows_how_far_it_is(text, tmp_path):
    shown = []
    trainer = heed.Trainer(
        **text, **SMALL, model=tmp_path / "m", steps=6, report_every=2, hold_out=0,
        callback=lambda report: shown.append(trainer._repr_html_()),
    )  # fmt: skip
    assert "step 0" in texts_of(trainer._repr_html_())
    for _ in range(3):
        trainer.step()
    assert "step 3" in texts_of(trainer._repr_html_())
    assert "NLL" in texts_of(trainer._repr_html_())
    trainer.finish()
    assert all("NLL" in texts_of(html) for html in shown) and shown


def test_outside_of_a_notebook_nothing_is_drawn(text, tmp_path, capsys):
    curves = heed.LiveCurves(seconds=0)
    heed.train(**text, **SMALL, model=tmp_path / "m", steps=4, report_every=2, callback=curves)
    assert capsys.readouterr().out == ""
    assert "step 4" in texts_of(curves._repr_html_())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"callback": 3}, "callback: expected a function, got int"),
        ({"display": "cell"}, "display: expected a function, got str"),
        ({"seconds": -1}, "seconds: expected a number of at least 0, got -1"),
        ({"seconds": "1"}, "seconds: expected a number of at least 0, got '1'"),
        ({"seconds": float("nan")}, "seconds: expected a number of at least 0, got nan"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(heed.UsageError, match=message):
        heed.LiveCurves(**arguments)


def test_what_is_no_report_is_refused():
    with pytest.raises(heed.UsageError, match="expected a TrainReport or a ValidationReport, got str"):
        heed.LiveCurves()("report")


def test_long_curves_are_thinned_out():
    curve = _Curve()
    for step in range(100_000):
        curve.add(step, 1 / (step + 1))
    points = curve.points
    assert len(points) <= _MOST_POINTS + 1
    assert points[0] == (0, 1) and points[-1] == (99_999, 1e-5)
    curve.add(100_000, float("nan"))
    curve.add(100_001, None)
    assert curve.points == points
    assert _Curve().points == []


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 4, [0, 1, 2, 3, 4]), (0, 1000, [0, 500, 1000]), (-0.3, 0.3, [-0.2, 0, 0.2])],
)
def test_ticks_are_round(low, high, ticks):
    assert _ticks(low, high, 4) == pytest.approx(ticks)


def test_numbers_are_short():
    assert [_number(value) for value in (0, 1.23456, 9999, 12_000, 3.5e6)] == [
        "0", "1.235", "9999", "12k", "3.5M",
    ]  # fmt: skip


def test_in_a_notebook_its_display_is_used(monkeypatch, text, tmp_path):
    display = FakeDisplay()
    shell = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    ipython_display = types.ModuleType("IPython.display")
    ipython_display.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython_display)
    options = {**text, **SMALL, "model": tmp_path / "m", "steps": 4, "report_every": 2}
    heed.train(**options, callback=heed.LiveCurves(seconds=0))
    assert "step 4" in texts_of(display.shown[-1])
    drawn = len(display.shown)
    shell.kernel = None  # IPython in a terminal
    heed.train(**options, overwrite=True, callback=heed.LiveCurves(seconds=0))
    assert len(display.shown) == drawn
