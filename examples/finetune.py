"""Fine-tunes a model on other text, and plots the loss in finetune.png while it trains.

The model has learned the word "roommate"; the new text says "flatmate". Needs matplotlib, the text
of `heed phrasebook --output corpus` and the model of translator.py:

    python finetune.py [STEPS]
"""

from __future__ import annotations

import sys

from matplotlib.figure import Figure

import heed


class LossPlot:
    """A callback of heed.train(): draws the curves again at each report."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._points: dict[str, list[tuple[int, float]]] = {"training": [], "validation": []}

    def __call__(self, report: heed.TrainReport | heed.ValidationReport) -> None:
        kind = "training" if isinstance(report, heed.TrainReport) else "validation"
        self._points[kind].append((report.step, report.loss))
        figure = Figure()
        axes = figure.subplots()
        axes.set(xlabel="step", ylabel="loss in nats per token")
        for name, points in self._points.items():
            axes.plot([step for step, _ in points], [loss for _, loss in points], label=name)
        axes.legend()
        figure.savefig(self._path)
        # A callback that returns True stops the run.


def write_flatmates() -> None:
    """The pairs about roommates, with the other word."""
    with (
        open("corpus/train.zh", encoding="utf-8", newline="\n") as sources,
        open("corpus/train.en", encoding="utf-8", newline="\n") as targets,
        open("flatmates.zh", "w", encoding="utf-8", newline="\n") as new_source,
        open("flatmates.en", "w", encoding="utf-8", newline="\n") as new_target,
    ):
        for source, target in zip(sources, targets, strict=True):
            if "roommate" in target:
                new_source.write(source)
                new_target.write(target.replace("roommate", "flatmate"))


def main(steps: int = 100) -> None:
    write_flatmates()
    heed.train(
        source="flatmates.zh",
        target="flatmates.en",
        hold_out=50,  # pairs for validation
        model="flatmates-model",
        overwrite=True,
        finetune_from="translator-model",
        schedule="linear",  # the paper's, the default, is meant for random weights
        learning_rate=5e-4,
        warmup_steps=10,
        batch_tokens=1024,
        steps=steps,
        report_every=10,
        validate_every=20,
        callback=LossPlot("finetune.png"),
    )
    for model in ("translator-model", "flatmates-model"):
        print(f"{model}: {heed.Model(model).translate('你的室友从来不寄日记。')}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
