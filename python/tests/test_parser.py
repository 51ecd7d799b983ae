"""A parser from Python: learned from a treebank, and asked for trees."""

import pickle
import subprocess

import pytest
from conftest import SMALL

import heed


@pytest.fixture(scope="module")
def parser(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parser")
    with open(folder / "bank.trees", "w", encoding="utf-8") as file:
        for i in range(200):
            noun = f"(NP-X (DT {'a' if i % 2 else 'the'}) (NN {'cat' if i % 3 else 'dog'}))"
            file.write(f"(ROOT {noun})\n" if i % 5 < 2 else f"(ROOT (S (PRP we) (VP (VB see) {noun})))\n")
    heed.train(
        task="parse", trees=folder / "bank.trees", hold_out=2, model=folder / "model", **SMALL,
        steps=30,
    )  # fmt: skip
    return heed.Parser(folder / "model", compute="fp32")


def words_of(tree):
    return [word.rstrip(")") for word in tree.split() if not word.startswith("(")]


def test_every_sentence_becomes_a_tree_over_its_words(parser):
    sentences = ["we see  the\tcat", "", "f(x) 四 \u200b", "dog " * 300]
    trees = parser.parse(sentences)
    written = [sentence.replace("(", "-LRB-").replace(")", "-RRB-") for sentence in sentences]
    assert [words_of(tree) for tree in trees] == [sentence.split() for sentence in written]
    assert all(tree.count("(") == tree.count(")") for tree in trees)
    assert parser.parse(sentences[0]) == trees[0]
    assert trees[1] == ""


def test_several_trees_have_scores_and_statuses(parser):
    [parsed, empty] = parser.parses(["we see the cat 四", ""], nbest=3)
    assert len(parsed.hypotheses) == 3
    assert len({hypothesis.text for hypothesis in parsed.hypotheses}) == 3
    assert parsed.hypotheses[0].score >= parsed.hypotheses[2].score
    assert parsed.unknown_characters == ["四"]
    assert empty.status == "empty"
    [drawn] = parser.parses(["we see"], sample=True, nbest=4, seed=3)
    assert all(words_of(hypothesis.text) == ["we", "see"] for hypothesis in drawn.hypotheses)


def test_explains_its_trees(parser):
    explanation = parser.explain("we see  the\tcat", beam=3)
    assert explanation.text == parser.parse("we see  the\tcat", beam=3)
    [part] = explanation.parts
    assert len(part.source_words) == 4
    assert explanation.target_pieces[-1] == "</s>"
    assert "()we" in explanation.target_pieces and "▁" not in "".join(explanation.target_pieces)
    assert explanation.attention.cross.shape[2:] == (
        len(explanation.target_pieces), len(explanation.source_pieces)
    )  # fmt: skip
    assert '"task":"parse"' in explanation.html()


def test_is_the_program(parser, program):
    sentences = ["we see the cat", "the dog", "a cat"]
    run = subprocess.run(
        [program, "parse", "--model", parser.path, "--compute", "fp32", "--quiet"],
        input="\n".join(sentences) + "\n", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.splitlines() == parser.parse(sentences)


def test_is_what_it_says(parser, model_path):
    assert "▁(NP" in parser.vocabulary
    assert pickle.loads(pickle.dumps(parser)).parse("the cat") == parser.parse("the cat")
    assert "Parser" in repr(parser)
    with pytest.raises(heed.Error, match="translates"):
        heed.Parser(model_path)
    with pytest.raises(heed.Error, match="parser"):
        heed.Model(parser.path)
    with pytest.raises(heed.UsageError, match="max_length"):
        parser.parse("a", max_length=3)
    with pytest.raises(heed.ArgumentTypeError):
        parser.parse(3)
