import subprocess
import json

import pytest

import heed

HYPOTHESES = ["the cat sat on the mat .", "a dog"]
REFERENCES = ["the cat sat on a mat .", "the dog"]


def test_scores_are_those_of_the_program(tmp_path, program):
    (tmp_path / "hypotheses").write_text("\n".join(HYPOTHESES) + "\n")
    (tmp_path / "references").write_text("\n".join(REFERENCES) + "\n")
    printed = subprocess.run(
        [program, "evaluate", "--hypothesis", tmp_path / "hypotheses", "--reference",
         tmp_path / "references", "--metrics", "bleu,chrf,chrf++,ter", "--json"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    scores = heed.evaluate(HYPOTHESES, REFERENCES, metrics=["bleu", "chrf", "chrf++", "ter"])
    assert list(scores) == ["bleu", "chrf", "chrf++", "ter"]
    for expected, score in zip(json.loads(printed), scores.values(), strict=True):
        assert score.name == expected["name"]
        assert score.signature == expected["signature"]
        assert score.score == pytest.approx(expected["score"], abs=0.005)
        assert float(score) == score.score


def test_several_references_and_sentences():
    one = heed.evaluate(HYPOTHESES, REFERENCES)["bleu"]
    two = heed.evaluate(HYPOTHESES, [REFERENCES, HYPOTHESES])["bleu"]
    assert one.score < two.score == pytest.approx(100)
    sentences = heed.evaluate(HYPOTHESES, REFERENCES, metrics="chrf", sentence=True)["chrf"]
    assert len(sentences) == 2


def test_wrong_arguments_are_named():
    with pytest.raises(heed.UsageError, match="did you mean 'bleu'"):
        heed.evaluate(HYPOTHESES, REFERENCES, metrics="blue")
    with pytest.raises(heed.Error, match="2"):
        heed.evaluate(HYPOTHESES, REFERENCES[:1])
    with pytest.raises(heed.UsageError, match="one text"):
        heed.evaluate("a", ["b"])
    with pytest.raises(heed.UsageError, match="smooth_value goes with smooth_method"):
        heed.evaluate(HYPOTHESES, REFERENCES, smooth_value=1)


@pytest.mark.parametrize("kind", [set, frozenset, dict.fromkeys])
def test_texts_without_an_order_are_refused(kind):
    for name, call in {
        "hypotheses": lambda texts: heed.evaluate(texts, REFERENCES),
        "references": lambda texts: heed.evaluate(HYPOTHESES, texts),
        r"references\[1\]": lambda texts: heed.evaluate(HYPOTHESES, [REFERENCES, texts]),
    }.items():
        with pytest.raises(TypeError, match=f"^{name}: expected texts.*: pass a list"):
            call(kind(REFERENCES))
    with pytest.raises(TypeError, match="references"):
        heed.suitable_bleu_tokenizer(kind(REFERENCES))


def test_a_score_is_shown_as_a_call_and_printed_as_a_line():
    score = heed.evaluate(HYPOTHESES, REFERENCES)["bleu"]
    assert repr(score) == f"heed.MetricScore(name='BLEU', score={score.score:.6g})"
    assert str(score) == score.line


def test_the_tokenizer_for_a_writing_system():
    assert heed.suitable_bleu_tokenizer(["老师买了三本书。"]) == "zh"
    assert heed.suitable_bleu_tokenizer(["three books"]) == "13a"
