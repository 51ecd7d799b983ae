"""The curves of a training run, drawn in a notebook while it runs."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any, Optional, Union

from heed._heed import Progress, TrainReport, UsageError, ValidationReport

Callback = Optional[Callable[[Union[TrainReport, ValidationReport]], Any]]

# Points of a curve; of longer ones every second point is dropped.
_MOST_POINTS = 800
# Of a chart, in pixels: its size, and the room for its labels.
_WIDTH, _HEIGHT = 300, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 10, 34
_ACCENT = "#0e8f8a"
_SOLID = f'stroke="{_ACCENT}" stroke-width="1.8"'
_STYLES = {
    "training": 'stroke="currentColor" stroke-opacity="0.6" stroke-width="1.2"',
    "validation": _SOLID,
    "BLEU": _SOLID,
    "chrF": f'{_SOLID} stroke-dasharray="5 3"',
    "accuracy": _SOLID,
    "bracket F1": _SOLID,
}
# The charts of the scores that validations report, and the fields of their curves. The ring is around
# the best value of the first.
_SCORES = {
    "Translation of the validation text": {"BLEU": "bleu", "chrF": "chrf"},
    "Labels of the validation text": {"accuracy": "accuracy"},
    "Trees of the validation text": {"bracket F1": "brackets"},
}


class _Curve:
    """Steps and values, thinned out."""

    def __init__(self) -> None:
        self._kept: list[tuple[float, float]] = []
        self._last: tuple[float, float] | None = None
        self._count = 0
        self._every = 1

    def add(self, step: float, value: float | None) -> None:
        if value is None or not math.isfinite(value):
            return
        self._last = (step, value)
        if self._count % self._every == 0:
            self._kept.append(self._last)
        self._count += 1
        if len(self._kept) > _MOST_POINTS:
            self._kept = self._kept[::2]
            self._every *= 2

    @property
    def points(self) -> list[tuple[float, float]]:
        if self._last is None or self._kept[-1] == self._last:
            return self._kept
        return [*self._kept, self._last]


def _ticks(low: float, high: float, count: int) -> list[float]:
    """About `count` multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / count
    power = 10 ** math.floor(math.log10(rough))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [number * step for number in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten, if two of them are in the range."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    inside = [tick for tick in ticks if low <= tick <= high]
    return inside if len(inside) > 1 else _ticks(low, high, 3)


def _number(value: float) -> str:
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= unit:
            return f"{value / (1e3 if letter == 'k' else unit):.4g}{letter}"
    return f"{value:.4g}"


def _chart(
    title: str, curves: dict[str, _Curve], best: tuple[float, float] | None, *, is_score: bool
) -> str:
    """A chart of the curves that have points, by step, as SVG."""
    drawn = {name: curve.points for name, curve in curves.items() if curve.points}
    steps = [step for points in drawn.values() for step, _ in points]
    values = [value for points in drawn.values() for _, value in points]
    last_step = max(steps)
    first_step = min(0, min(steps)) if last_step > 0 else -1
    margin = (max(values) - min(values)) * 0.06 or max(abs(values[0]) * 0.05, 1e-3)
    low, high = min(values) - margin, max(values) + margin
    # The first losses are far above all others.
    is_log = not is_score and min(values) > 0 and max(values) > 3 * min(values)
    if is_log:
        low, high = min(values) / 1.06, max(values) * 1.06
        title += ", log scale"
    axis = math.log if is_log else float

    def x(step: float) -> float:
        return _LEFT + (step - first_step) / (last_step - first_step) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        height = (axis(value) - axis(low)) / (axis(high) - axis(low))
        return _HEIGHT - _BOTTOM - height * (_HEIGHT - _TOP - _BOTTOM)

    parts = []
    for tick in _log_ticks(low, high) if is_log else _ticks(low, high, 4):
        at = y(tick)
        parts.append(
            f'<path d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}" stroke="currentColor" stroke-opacity="0.15"/>'
            f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_number(tick)}</text>'
        )
    for tick in _ticks(first_step, last_step, 4):
        parts.append(
            f'<text x="{x(tick):.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">'
            f"{_number(tick)}</text>"
        )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 4}" text-anchor="middle">step</text>')
    for name, points in drawn.items():
        path = "L".join(f"{x(step):.1f} {y(value):.1f}" for step, value in points)
        parts.append(f'<path d="M{path}" fill="none" {_STYLES[name]} stroke-linejoin="round"/>')
        if name != "training" and len(points) <= 40:
            parts += [
                f'<circle cx="{x(step):.1f}" cy="{y(value):.1f}" r="2.5" fill="{_ACCENT}"/>'
                for step, value in points
            ]
    if best:
        parts.append(
            f'<circle cx="{x(best[0]):.1f}" cy="{y(best[1]):.1f}" r="5.5" fill="none" '
            f'stroke="{_ACCENT}" stroke-width="1.5"/>'
        )
    latest = ", ".join(f"{name} {points[-1][1]:.4g}" for name, points in drawn.items())
    legend = " ".join(
        '<span style="white-space:nowrap;margin-right:1em">'
        f'<svg width="22" height="8" aria-hidden="true"><path d="M0 4H22" {_STYLES[name]}/></svg> '
        f"{name} {points[-1][1]:.4g}</span>"
        for name, points in drawn.items()
    )
    return (
        f'<div style="width:{_WIDTH}px;max-width:100%"><div><b>{title}</b></div><div>{legend}</div>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" role="img" '
        f'aria-label="{title} by step; latest: {latest}" fill="currentColor" '
        f'style="display:block;font-size:11px;font-variant-numeric:tabular-nums">'
        f"{''.join(parts)}</svg></div>"
    )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Curves:
    """The reports of a run as curves."""

    def __init__(self) -> None:
        self._nll = {"training": _Curve(), "validation": _Curve()}
        self._loss = {"training": _Curve(), "validation": _Curve()}
        self._scores = {title: {name: _Curve() for name in fields} for title, fields in _SCORES.items()}
        self._best: ValidationReport | None = None
        self._trained: TrainReport | None = None
        self._latest: TrainReport | ValidationReport | None = None

    def add(self, report: TrainReport | ValidationReport) -> None:
        self._latest = report
        if isinstance(report, TrainReport):
            self._trained = report
            self._nll["training"].add(report.step, report.nll)
            self._loss["training"].add(report.step, report.loss)
            return
        perplexity = report.perplexity
        self._nll["validation"].add(report.step, math.log(perplexity) if perplexity else None)
        self._loss["validation"].add(report.step, report.loss)
        for title, fields in _SCORES.items():
            for name, field in fields.items():
                self._scores[title][name].add(report.step, getattr(report, field))
        if report.best:
            self._best = report

    def html(self, progress: Progress | None = None) -> str:
        """Facts and charts, without scripts. `progress`: how far the run is, if that is known
        better than by the last report."""
        best, charts = self._best, []
        wanted = [
            ("NLL, nats per token", self._nll, best and best.perplexity and math.log(best.perplexity)),
            ("Loss, with label smoothing", self._loss, best and best.loss),
        ]
        for title, fields in _SCORES.items():
            wanted.append((title, self._scores[title], best and getattr(best, next(iter(fields.values())))))
        for title, curves, value in wanted:
            if any(curve.points for curve in curves.values()):
                ring = (best.step, value) if best and value is not None else None
                charts.append(_chart(title, curves, ring, is_score=title in _SCORES))
        facts = "".join(
            f'<span style="margin-right:1.2em;white-space:nowrap">{name} <b>{value}</b></span>'
            for name, value in self._facts(progress)
        )
        return (
            '<div style="font-variant-numeric:tabular-nums;line-height:1.5">'
            f"<div>{facts}</div>"
            f'<div style="display:flex;flex-wrap:wrap;gap:1em 1.5em;margin-top:.6em">'
            f"{''.join(charts)}</div></div>"
        )

    def _facts(self, progress: Progress | None) -> list[tuple[str, str]]:
        at = progress or self._latest
        if at is None:
            return [("step", "0")]
        facts = [("step", f"{at.step:,}"), ("epoch", f"{at.epoch:.4g}")]
        facts.append(("time", _duration(at.seconds)))
        if self._trained is not None:
            facts.append(("tokens/s", f"{self._trained.tokens_per_second:,.0f}"))
            if self._trained is self._latest:
                facts.append(("done", f"{100 * self._trained.fraction_done:.0f} %"))
                facts.append(("left", _duration(self._trained.seconds_left)))
        if self._best is not None and self._best.perplexity is not None:
            facts.append(("best perplexity", f"{self._best.perplexity:.4g}"))
        return facts


def _notebook_display() -> Callable[..., Any] | None:
    """IPython's display() in a notebook, else None: a terminal shows no HTML."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display

    return display


class LiveCurves:
    """A callback that draws the curves of a run in a notebook while it runs:

        heed.train(..., callback=heed.LiveCurves())

    Outside of a notebook it draws nothing. `callback`: another one, which is called with each
    report first and may stop the run. `seconds`: how often training reports are drawn at most;
    validations are drawn at once. `display`: what shows the curves, called as IPython's display();
    None: that of the notebook.
    """

    def __init__(
        self,
        callback: Callback = None,
        *,
        seconds: float = 1,
        display: Callable[..., Any] | None = None,
    ) -> None:
        for name, function in (("callback", callback), ("display", display)):
            if function is not None and not callable(function):
                raise UsageError(f"{name}: expected a function, got {type(function).__name__}")
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds >= 0:
            raise UsageError(f"seconds: expected a number of at least 0, got {seconds!r:.60}")
        self._callback = callback
        self._seconds = seconds
        self._display = display
        self._curves = Curves()
        self._handle: Any = None
        self._drawn = -math.inf
        self._pending = False

    def __call__(self, report: TrainReport | ValidationReport) -> Any:
        if not isinstance(report, (TrainReport, ValidationReport)):
            raise UsageError(
                f"LiveCurves: expected a TrainReport or a ValidationReport, got {type(report).__name__}"
            )
        stop = self._callback(report) if self._callback is not None else None
        self._curves.add(report)
        self._pending = True
        at_once = isinstance(report, ValidationReport)
        if at_once or time.monotonic() - self._drawn >= self._seconds:
            self.draw()
        return stop

    def draw(self) -> None:
        """Draws what is not drawn yet. train() and Trainer.finish() call it at the end."""
        if not self._pending:
            return
        if self._handle is None:
            display = self._display or _notebook_display()
            if display is not None:
                self._handle = display(self, display_id=True)
        else:
            self._handle.update(self)
        self._pending = False
        self._drawn = time.monotonic()

    def _repr_html_(self) -> str:
        return self._curves.html()
