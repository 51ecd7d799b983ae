"""A language model from Python: learned from one text, continued and scored."""

import math
import pickle
import subprocess

import pytest
from conftest import SMALL

import heed


@pytest.fixture(scope="module")
def directory(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("lm") / "model"
    reports = []
    heed.train(
        task="language-model", text=text["target"], model=path, **SMALL, steps=40, hold_out=20,
        callback=reports.append,
    )  # fmt: skip
    assert isinstance(reports[-1], heed.ValidationReport)
    return path, reports[-1].perplexity


@pytest.fixture(scope="module")
def language_model(directory):
    return heed.LanguageModel(directory[0], compute="fp32")


def test_continues_its_prompts_as_the_program_does(language_model, program):
    prompts = ["one", "two three f", "", "four 四  "]
    together = language_model.generate(prompts, beam=2, extra_length=20)
    assert [text.startswith(prompt) for text, prompt in zip(together, prompts)] == [True] * 4
    assert [language_model.generate(prompt, beam=2, extra_length=20) for prompt in prompts] == together
    command = [program, "generate", "--model", language_model.path, "--compute", "fp32", "--quiet"]
    run = subprocess.run(
        [*command, "--beam", "2", "--extra-length", "20"], input="\n".join(prompts) + "\n",
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.split("\n") == [*together, ""]


def test_samples_have_scores_and_statuses(language_model):
    [drawn] = language_model.generations(["one 四"], sample=True, nbest=5, seed=3)
    assert len(drawn.hypotheses) == 5
    assert all(hypothesis.text.startswith("one 四") for hypothesis in drawn.hypotheses)
    assert drawn.unknown_characters == ["四"]
    assert all(value <= 0 for value in drawn.hypotheses[0].log_probabilities)


def test_explains_its_continuations(language_model):
    explanation = language_model.explain("one two", extra_length=4)
    assert explanation.text == language_model.generate("one two", extra_length=4)
    assert explanation.source_pieces == []
    count = len(explanation.target_pieces)
    assert explanation.attention.decoder.shape[2:] == (count, count)
    assert len(explanation.probabilities) == len(explanation.alternatives) == count
    assert '"task":"language-model"' in explanation.html()


def test_scores_are_those_of_training(language_model, directory):
    lines = (directory[0] / "held_out.text").read_text("utf-8").splitlines()
    scores = language_model.score(lines)
    tokens = sum(len(score.pieces) for score in scores)
    loss = -sum(score.log_probability for score in scores) / tokens
    assert math.exp(loss) == pytest.approx(directory[1], rel=1e-5)
    assert language_model.score(lines[0]).log_probability == scores[0].log_probability
    assert scores[0].pieces == language_model.pieces(lines[0])


def test_is_what_it_says(language_model, model_path):
    assert language_model.config["encoder_layers"] == 0
    assert len(language_model.vocabulary) == language_model.config["vocabulary_size"] - 1
    copy = pickle.loads(pickle.dumps(language_model))
    assert copy.generate("one") == language_model.generate("one")
    assert "LanguageModel" in repr(copy)
    with pytest.raises(heed.Error, match="translates"):
        heed.LanguageModel(model_path)
    with pytest.raises(heed.Error, match="language model"):
        heed.Model(language_model.path)
    with pytest.raises(heed.UsageError, match="alignments"):
        language_model.generate("one", alignments=True)
    with pytest.raises(heed.ArgumentTypeError):
        language_model.generate(3)
