"""Taggers and classifiers from Python."""

import pickle
import subprocess

import pytest
from conftest import SMALL

import heed

WORDS = ["one", "TWO", "three", "FOUR"]
OPTIONS = {**SMALL, "schedule": "constant", "learning_rate": 0.002, "warmup_steps": 0, "steps": 120}


def write_pairs(folder, task):
    lines = [[WORDS[(i >> 2 * k) % 4] for k in range(1 + i % 4)] for i in range(300)]
    with open(folder / "pairs.tsv", "w", encoding="utf-8") as file:
        for words in lines:
            tags = " ".join("UP" if word.isupper() else "low" for word in words)
            label = "YES" if "one" in words else "NO"
            file.write(" ".join(words) + "\t" + (tags if task == "tag" else label) + "\n")
    return folder / "pairs.tsv"


@pytest.fixture(scope="module", params=["tag", "classify"])
def trained(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    heed.train(
        task=request.param, tsv=write_pairs(folder, request.param), model=folder / "model",
        hold_out=10, **OPTIONS,
    )  # fmt: skip
    return request.param, heed.Classifier(folder / "model", compute="fp32")


def test_labels_words_or_texts(trained):
    task, classifier = trained
    assert sorted(classifier.vocabulary) == (["UP", "low"] if task == "tag" else ["NO", "YES"])
    assert classifier.classes_of == ("words" if task == "tag" else "texts")
    one = classifier.classify("one TWO  FOUR")
    assert one.labels == (["low", "UP", "UP"] if task == "tag" else ["YES"])
    assert one.words == (["one", "TWO", "FOUR"] if task == "tag" else [])
    assert all(0.5 <= probability <= 1.0001 for probability in one.probabilities)
    several = classifier.classify(["one TWO  FOUR", "", "four \u4f60"], threads=1)
    assert several[0].probabilities == one.probabilities
    assert [text.index for text in several] == [0, 1, 2]
    assert several[1].status == "empty"
    assert "unknown_characters" in several[2].status
    copy = pickle.loads(pickle.dumps(classifier))
    assert copy.classify("TWO").labels == classifier.classify("TWO").labels
    assert "Classifier" in repr(copy)


def test_explains_its_labels(trained):
    task, classifier = trained
    explanation = classifier.explain("one TWO  FOUR")
    labels = classifier.classify("one TWO  FOUR")
    assert explanation.text == " ".join(labels.labels)
    assert explanation.target_pieces == labels.labels
    assert explanation.probabilities == pytest.approx(labels.probabilities)
    [part] = explanation.parts
    assert len(part.source_words) == 3
    assert part.alignment == ([(0, 0), (1, 1), (2, 2)] if task == "tag" else [])
    assert [len(likely) for likely in explanation.alternatives] == [2] * len(labels.labels)
    weights = explanation.attention
    assert weights.encoder.shape[2:] == (len(explanation.source_pieces),) * 2
    assert weights.decoder.size == weights.cross.size == 0
    assert f'"task":"{task}"' in explanation.html()
    with pytest.raises(heed.UsageError, match="expected str"):
        classifier.explain(["one"])


def test_is_the_program(trained, program):
    task, classifier = trained
    lines = ["one TWO", "FOUR", "three three"]
    command = [program, task, "--model", classifier.path, "--quiet"]
    command += ["--format", "tags"] if task == "tag" else []
    run = subprocess.run(
        command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [" ".join(t.labels) for t in classifier.classify(lines)]


def test_other_models_are_refused(trained, model_path):
    with pytest.raises(heed.Error, match="translates"):
        heed.Classifier(model_path)
    with pytest.raises(heed.Error, match="encoder alone"):
        heed.Model(trained[1].path)
