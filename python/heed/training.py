"""Training: in one call, or step by step."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from heed import _heed
from heed._arguments import takes_options
from heed._heed import Progress, TrainReport, TrainResult, UsageError, ValidationReport
from heed.curves import Callback, Curves, LiveCurves

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from heed._options import TrainOptions

_log = logging.getLogger("heed")


class _Observer:
    """What the native part calls during a run."""

    def __init__(self, callback: Callback) -> None:
        self._callback = callback
        self._stop = False
        self.curves = Curves()

    def message(self, text: str) -> None:
        _log.info(text)

    def warning(self, text: str) -> None:
        _log.warning(text)

    def report(self, report: TrainReport) -> None:
        self._call(report)

    def validated(self, report: ValidationReport) -> None:
        self._call(report)

    def stop_requested(self) -> bool:
        return self._stop

    def draw(self) -> None:
        if isinstance(self._callback, LiveCurves):
            self._callback.draw()

    def _call(self, report: TrainReport | ValidationReport) -> None:
        self.curves.add(report)
        if self._callback is not None and self._callback(report):
            self._stop = True


@takes_options("train")
def train(*, callback: Callback = None, **options: Unpack[TrainOptions]) -> TrainResult:
    """Trains on this machine's CPU and writes a model directory: `heed train` as a function.

    `callback` is called with a TrainReport every `report_every` steps and with a ValidationReport
    after each validation, or after each epoch where there is no validation text (its loss is then
    None). If it returns true, the run is saved and ends; resume=True continues it.
    Ctrl-C does the same and then raises KeyboardInterrupt. An exception of the callback ends the
    run as it was last saved. heed.LiveCurves() is a callback that draws in a notebook.

    Raises Error for what the user can fix: text that cannot be read, a directory with another
    model, too little memory.
    """
    observer = _Observer(callback)
    try:
        return _heed.train(dict(options), observer)
    finally:
        observer.draw()


class Trainer:
    """One run, for a training loop of one's own:

        trainer = heed.Trainer(source="train.zh", target="train.en", model="zh-en")
        while not trainer.done:
            trainer.step()
        trainer.finish()

    The caller decides when to validate and to save. The weights are those of train(), byte for
    byte, unless they depend on validations (patience, average). After step() has raised, a Trainer
    refuses to continue: a new one with resume=True continues from what was saved last. One call at
    a time.
    """

    @takes_options("train")
    def __init__(self, *, callback: Callback = None, **options: Unpack[TrainOptions]) -> None:
        """Reads the text, learns or loads the vocabulary and, with resume=True, continues from the
        saved state."""
        self._observer = _Observer(callback)
        self._trainer = _heed.Trainer(dict(options), self._observer)

    def _repr_html_(self) -> str:
        """For notebooks: how far the run is, and its curves so far."""
        try:
            progress = self.progress
        except UsageError:  # in use, by the callback that shows it
            progress = None
        return self._observer.curves.html(progress)

    @property
    def done(self) -> bool:
        """Whether a limit is reached: epochs, steps, minutes or patience."""
        return self._trainer.done

    def step(self) -> None:
        """Updates the weights once. Raises Error if the run is done or the loss is not finite."""
        self._trainer.step()

    @property
    def validation_due(self) -> bool:
        """Whether the options ask for a validation after the last step."""
        return self._trainer.validation_due

    def validate(self) -> ValidationReport:
        """Computes the loss of the validation text, and the scores of its translation if
        validation_metric is "bleu" or "chrf"."""
        return self._trainer.validate()

    @property
    def save_due(self) -> bool:
        """Whether the options ask to save now: after a validation, and every save_minutes."""
        return self._trainer.save_due

    def save(self) -> None:
        """Saves what a new Trainer with resume=True continues from, and the model."""
        self._trainer.save()

    def finish(self) -> None:
        """Ends the run: validates and saves unless that is done, and writes the model."""
        try:
            self._trainer.finish()
        finally:
            self._observer.draw()

    @property
    def progress(self) -> Progress:
        """How far the run is."""
        return self._trainer.progress
