"""N-best lists reranked from Python, as the program does."""

import json
import math
import subprocess

import pytest
from conftest import SMALL

import heed


@pytest.fixture(scope="module")
def models(tmp_path_factory, text, model):
    folder = tmp_path_factory.mktemp("rerank")
    back = {"source": text["target"], "target": text["source"]}
    heed.train(**back, **SMALL, model=folder / "back", steps=30)
    heed.train(
        task="language-model", text=text["target"], **SMALL, model=folder / "language", steps=30
    )
    return {
        "reverse_model": heed.Model(folder / "back", compute="fp32"),
        "language_model": heed.LanguageModel(folder / "language", compute="fp32"),
    }


@pytest.fixture(scope="module")
def reranker(model, models):
    return heed.Reranker(model, **models)


def test_the_order_is_that_of_the_program(reranker, model, models, lines, program, tmp_path):
    (tmp_path / "source").write_text("".join(line + "\n" for line in lines), "utf-8")
    lists = model.translations(lines, beam=4, nbest=4)
    (tmp_path / "lists").write_text(
        "".join(
            json.dumps({"nbest": [{"translation": h.text} for h in given.hypotheses]}) + "\n"
            for given in lists
        ),
        "utf-8",
    )
    weights = {"model": 1, "reverse": 0.6, "language": 0.2, "length": 0.5}
    run = subprocess.run(
        [program, "score", "--rerank", "lists", "--source", "source", "--model", model.path,
         "--reverse-model", models["reverse_model"].path,
         "--language-model", models["language_model"].path, "--compute", "fp32", "--quiet",
         "--format", "jsonl", "--weights", *(f"{name}={value}" for name, value in weights.items())],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    found = reranker.rerank(lines, lists, weights=weights)
    assert found and len(found) == len(lines)
    for hypotheses, printed in zip(found, map(json.loads, run.stdout.splitlines())):
        assert [(h.text, h.place + 1, h.score) for h in hypotheses] == [
            (one["translation"], one["place"], one["score"]) for one in printed["nbest"]
        ]
        for name, value in hypotheses[0].values.items():
            assert value == printed["nbest"][0][name]
    texts = [[hypothesis.text for hypothesis in given.hypotheses] for given in lists]
    again = reranker.rerank(lines, texts, weights=weights, threads=1)
    assert [[h.score for h in one] for one in again] == [[h.score for h in one] for one in found]


def test_tuned_weights_choose_the_best_of_the_lists(model, models, lines):
    references = ["one two three four", "five four three two"]
    lists = [["one", "one two three four", "two"], ["five", "four", "five four three two"]]
    weights, bleu = heed.Reranker(model, **models).tune(lines[:2], lists, references)
    assert set(weights) == {"model", "reverse", "language", "length"} and weights["model"] == 1
    assert bleu == pytest.approx(100)
    weights, _ = heed.Reranker(model).tune(lines[:2], lists, references)
    assert set(weights) == {"model", "length"}


def test_what_has_no_score_comes_last(reranker):
    [found] = reranker.rerank(["eins"], [["", "one"]], weights={"model": 1})
    assert [h.text for h in found] == ["one", ""] and found[1].score is None
    assert math.isfinite(found[0].score)


def test_mistakes_are_named(reranker, model):
    for call, says in [
        (lambda: reranker.rerank(["a"], [], weights={}), "1 sources and 0 lists"),
        (lambda: reranker.rerank(["a"], [[]], weights={}), r"lists\[0\] has no translation"),
        (lambda: reranker.rerank(["a"], ["text"], weights={}), r"lists\[0\]: expected several"),
        (lambda: reranker.rerank(["a"], [["b"]], weights={"back": 1}), "weights: 'back'"),
        (lambda: reranker.rerank(["a"], [["b"]], weights={"model": "x"}), "weights: 'model'"),
        (lambda: heed.Reranker(model).rerank(["a"], [["b"]], weights={"reverse": 1}), "reverse_model"),
        (lambda: reranker.tune(["a"], [["b"]], []), "0 references and 1 lists"),
        (lambda: reranker.tune([], [], []), "nothing to tune with"),
        (lambda: heed.Reranker("zh-en"), "model: expected a heed.Model, got str"),
    ]:
        with pytest.raises(heed.UsageError, match=says):
            call()
