import collections
import html
import json
import math
import pickle
import re
import shutil
import subprocess

import numpy as np
import pytest

import heed
from heed import _notebook


def test_translations_are_those_of_the_program(model, model_path, lines, program, tmp_path):
    source = tmp_path / "lines.de"
    source.write_text("".join(line + "\n" for line in lines), "utf-8")
    for options, flags in [
        ({}, []),
        ({"beam": 2, "length_penalty": 1.5}, ["--beam", "2", "--length-penalty", "1.5"]),
        ({"sample": True, "seed": 3}, ["--sample", "--seed", "3"]),
    ]:
        command = [program, "translate", "--model", model_path, "--compute", "fp32", "--quiet"]
        with source.open() as text:
            printed = subprocess.run(
                [*command, *flags], stdin=text, capture_output=True, text=True, check=True
            ).stdout
        assert printed.splitlines() == model.translate(lines, **options)


def test_terms_arrive(model, lines, tmp_path):
    line = next(line for line in lines if len(line.split()) > 3)
    word = line.split()[1]
    terms = tmp_path / "terms.tsv"
    terms.write_text(f"{word}\tevent|tower\n", "utf-8")
    for given in ({word: ["event", "tower"]}, terms, str(terms)):
        (one,) = model.translations([line], terms=given)
        assert one.terms[0].source == word
        assert one.terms[0].target in one.text
        assert one.terms[0].missed is None
        assert model.translate(line, terms=given) == one.text
        assert list(model.translate_iter([line], terms=given)) == [one.text]
    assert model.translate(line, terms=None) == model.translate(line)
    assert model.translations([line])[0].terms == []
    with pytest.raises(heed.Error, match="target form"):
        model.translate(line, terms={word: ""})
    with pytest.raises(heed.Error, match="absent"):
        model.translate(line, terms=tmp_path / "absent")
    with pytest.raises(heed.UsageError, match="sample"):
        model.translate(line, terms={word: "event"}, sample=True)


def test_one_text_several_texts_and_a_stream_are_translated_alike(model, lines):
    several = model.translate(lines)
    assert [model.translate(line) for line in lines] == several
    assert model.translate(tuple(lines), threads=1) == several
    assert model.translate(np.array(lines, dtype=object)) == several
    assert list(model.translate_iter(iter(lines))) == several
    assert model.translate([]) == []
    assert list(model.translate_iter([])) == []
    assert model.translate("") == ""


def test_a_stream_reads_only_a_window_ahead(model):
    read = 0

    def texts():
        nonlocal read
        for _ in range(20_000):
            read += 1
            yield "eins"

    stream = model.translate_iter(texts(), beam=1)
    assert next(stream) == model.translate("eins", beam=1)
    assert read <= 2100
    stream.close()
    ahead = read
    assert list(model.translate_iter(["eins"], beam=1)) == [model.translate("eins", beam=1)]
    assert read == ahead


def test_a_stream_gives_what_came_before_an_exception(model, lines):
    def texts():
        yield from lines[:7]
        raise KeyError("the eighth")

    translated = []
    with pytest.raises(KeyError, match="the eighth"):
        for translation in model.translate_iter(texts()):
            translated.append(translation)
    assert translated == model.translate(lines[:7])


def test_several_streams_and_calls_share_a_model(model, lines):
    first = model.translate_iter(lines, beam=2)
    second = model.translate_iter(lines, beam=2)
    expected = model.translate(lines, beam=2)
    assert [pair for pair in zip(first, second, strict=True)] == list(zip(expected, expected))


def test_n_best_lists_have_scores_pieces_and_probabilities(model, lines):
    translations = model.translations(lines[:5], beam=3, nbest=3)
    assert [t.text for t in translations] == model.translate(lines[:5], beam=3)
    for index, translation in enumerate(translations):
        assert translation.index == index
        assert translation.status in ("ok", "unfinished")
        assert len(translation.hypotheses) == 3
        scores = [hypothesis.score for hypothesis in translation.hypotheses]
        assert scores == sorted(scores, reverse=True)
        for hypothesis in translation.hypotheses:
            assert "".join(hypothesis.pieces).replace("\u2581", " ").strip() == hypothesis.text.strip()
            with_end = len(hypothesis.pieces) + 1
            expected = {with_end} if translation.status == "ok" else {with_end - 1, with_end}
            assert len(hypothesis.log_probabilities) in expected
            assert hypothesis.attention is None
    assert [t.text for t in model.translations_iter(lines[:5], beam=3, nbest=3)] == [
        t.text for t in translations
    ]


def test_prefixes_and_attention(model):
    translation = model.translations(["eins zwei"], prefixes=["three"], attention=True)[0]
    assert translation.text.startswith("three")
    assert translation.source_pieces == model.source_pieces("eins zwei")
    best = translation.hypotheses[0]
    assert best.attention.shape == (len(best.pieces), len(translation.source_pieces))
    np.testing.assert_allclose(best.attention.sum(axis=1), 1, atol=1e-5)
    with pytest.raises(heed.UsageError, match="2 texts and 1 prefixes"):
        model.translations(["a", "b"], prefixes=["c"])


def test_samples(model):
    drawn = model.sample("eins zwei", count=4, seed=5, temperature=2)
    assert len(drawn) == 4
    assert drawn == model.sample("eins zwei", count=4, seed=5, temperature=2)
    assert model.sample(["eins zwei", "drei"], count=4, seed=5, temperature=2)[0] == drawn
    assert drawn != model.sample("eins zwei", count=4, seed=6, temperature=2)


def test_a_calibrated_model_has_confidences(model, model_path, lines, tmp_path):
    assert model.translations(lines[:1])[0].confidence is None
    calibrated = tmp_path / "calibrated"
    shutil.copytree(model_path, calibrated)
    path = calibrated / "generation_config.json"
    config = json.loads(path.read_text())
    names = "token_probability log_probability length_ratio piece_length length repetition"
    signals = {
        name: {"mean": 0, "deviation": 1, "weight": float(name == "log_probability")}
        for name in [*names.split(), "unknown_characters", "reverse"]
    }
    alone = {"good_chrf": 50, "lines": 100, "bias": 1, "signals": signals}
    config.setdefault("heed", {})["confidence"] = {"alone": alone}
    path.write_text(json.dumps(config))
    found = heed.Model(calibrated, compute="fp32").translations([*lines[:3], ""])
    assert found[3].confidence is None
    for one in found[:3]:
        logs = one.hypotheses[0].log_probabilities
        signal = min(max(sum(logs) / len(logs), -3), 3)
        probability = 0 if "unfinished" in one.status else 1 / (1 + math.exp(-1 - signal))
        assert one.confidence == pytest.approx(probability)


def test_scores(model, lines):
    targets = model.translate(lines)
    scores = model.score(lines, targets)
    for source, target, score in zip(lines, targets, scores, strict=True):
        assert score.pieces == model.target_pieces(target)
        assert math.isclose(score.log_probability, math.fsum(score.log_probabilities), abs_tol=1e-9)
        assert model.score(source, target).log_probability == score.log_probability
    many = [(source, target) for source, target in zip(lines, targets, strict=True)] * 60
    streamed = [score.log_probability for score in model.score_iter(iter(many))]
    assert streamed == [score.log_probability for score in scores] * 60
    with pytest.raises(heed.UsageError, match="expected equal numbers"):
        model.score(["a"], ["b", "c"])


def test_logits_are_what_scores_are_computed_from(model):
    source, target = "eins zwei drei", "three two"
    logits = model.logits(source, target)
    pieces = model.target_pieces(target)
    assert logits.dtype == np.float32
    assert logits.shape == (len(pieces), len(model.vocabulary))
    log_probabilities = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    columns = [model.vocabulary.index(piece) for piece in pieces]
    np.testing.assert_allclose(
        log_probabilities[range(len(pieces)), columns],
        model.score(source, target).log_probabilities,
        atol=1e-4,
    )


def test_attention_of_all_layers_and_heads(model):
    weights = model.attention("eins zwei", "two one")
    source, target = len(weights.source_pieces), len(weights.target_pieces)
    config = model.config
    assert weights.encoder.shape == (config["encoder_layers"], config["heads"], source, source)
    assert weights.decoder.shape == (config["decoder_layers"], config["heads"], target, target)
    assert weights.cross.shape == (config["decoder_layers"], config["heads"], target, source)
    for each in (weights.encoder, weights.decoder, weights.cross):
        np.testing.assert_allclose(each.sum(axis=-1), 1, atol=1e-5)
    assert (np.triu(weights.decoder[0, 0], 1) == 0).all()
    own = model.attention("eins zwei")
    assert own.target_pieces == model.target_pieces(model.translate("eins zwei"))
    assert model.encode("eins zwei").shape == (source, config["d_model"])


def test_arrays_outlive_their_model(model_path):
    states = heed.Model(model_path, compute="fp32").encode("eins")
    again = heed.Model(model_path, compute="fp32").encode("eins")
    np.testing.assert_array_equal(states, again)
    assert not states.flags.owndata  # the memory is heed's: no copy
    assert np.from_dlpack(states).shape == states.shape


def test_a_model_is_pickled_by_its_path(model, lines):
    other = pickle.loads(pickle.dumps(model))
    assert other.path == model.path
    assert other.translate(lines) == model.translate(lines)
    assert "compute='fp32'" in repr(other)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beem": 2}, "no argument 'beem'; did you mean 'beam'?"),
        ({"beam": 0}, "beam: expected .*, got '0'"),
        ({"beam": "4"}, "beam: expected .*, got '4'"),
        ({"beam": True}, "beam: expected"),
        ({"beam": 2.5}, "beam: expected"),
        ({"extra_length": None}, "extra_length: expected"),
        ({"temperature": 2}, "temperature: changes nothing without sample"),
        ({"beam": 2, "nbest": 3}, "nbest"),
        ({"compute": "int8"}, "Model\\(path, compute"),
        ({"device": "cuda"}, "Model\\(path, device"),
        ({"split": "words"}, "split: expected lines or sentences"),
    ],
)
def test_wrong_options_are_named(model, arguments, message):
    with pytest.raises(heed.UsageError, match=message):
        model.translate(["eins"], **arguments)
    with pytest.raises(ValueError, match=message):
        list(model.translate_iter(["eins"], **arguments))


@pytest.mark.parametrize("texts", [["eins", None], [b"eins"], [3.5], 7, b"eins"])
def test_what_is_no_text_is_refused(model, texts):
    with pytest.raises(heed.UsageError, match="expected"):
        model.translate(texts)


class Frame:
    """Iterates as data frames do, over the names of its columns."""

    columns = ("text",)

    def __iter__(self):
        return iter(self.columns)


UNORDERED = [
    ({"eins", "zwei"}, "expected texts in their order, got set, .* pass a list"),
    (frozenset(["eins"]), "got frozenset"),
    ({"eins": 1}, r"got dict, whose iteration gives its keys: pass a list, such as list\(\w+.values"),
    (collections.Counter(["eins"]), "got Counter"),
    (Frame(), r'got Frame, .* names of its columns: pass one of its columns, such as df\["text"\]'),
]


@pytest.mark.parametrize(("texts", "message"), UNORDERED)
def test_what_has_no_texts_in_order_is_refused(model, texts, message):
    for call in (model.translate, model.sample, lambda texts: model.score(texts, ["one"])):
        with pytest.raises(TypeError, match=message) as error:
            call(texts)
        assert isinstance(error.value, heed.UsageError)
    for call in (
        model.translations,
        model.translate_iter,
        model.translations_iter,
        lambda texts: model.translations(["eins"], prefixes=texts),
        lambda texts: model.score(["eins"], texts),
        model.score_iter,
    ):
        with pytest.raises(TypeError, match="expected (texts|pairs).*: pass"):
            list(call(texts))


def test_ordered_texts_of_every_kind_are_translated(model):
    lines = ["eins zwei", "drei"]
    expected = model.translate(lines)
    distinct = dict.fromkeys(lines)
    counts = dict(enumerate(lines))
    for texts in (tuple(lines), iter(lines), (line for line in lines), distinct.keys(),
                  counts.values(), collections.deque(lines), np.array(lines)):  # fmt: skip
        assert model.translate(texts) == expected
    scores = model.score(lines, expected)
    pairs = dict(zip(lines, expected, strict=True))
    streamed = [score.log_probability for score in model.score_iter(pairs.items())]
    assert streamed == [score.log_probability for score in scores]


def test_pandas_columns_are_texts_and_frames_are_not(model):
    pandas = pytest.importorskip("pandas")
    df = pandas.DataFrame({"text": ["eins", "zwei drei"]}, index=[7, 3])
    assert model.translate(df["text"]) == model.translate(["eins", "zwei drei"])
    scores = heed.evaluate(df["text"], df["text"], metrics="chrf")
    assert scores["chrf"].score == pytest.approx(100)
    for wrong in (df, df[["text"]]):
        with pytest.raises(TypeError, match="pass one of its columns"):
            model.translate(wrong)
        with pytest.raises(TypeError, match="references: expected texts, got DataFrame"):
            heed.evaluate(df["text"], wrong)
    missing = pandas.Series(["eins", None])
    with pytest.raises(TypeError, match=r"text\[1\]: expected str, got (NoneType|float)"):
        model.translate(missing)


def test_results_are_shown_on_one_line(model, lines):
    translation = model.translations([lines[0]], beam=3, nbest=3)[0]
    text, best = translation.text, translation.hypotheses[0]
    assert repr(translation) == (
        f"heed.Translation(index=0, text={text!r}, status={translation.status!r}, "
        f"hypotheses=[{len(translation.hypotheses)} items])"
    )
    assert repr(best) == f"heed.Hypothesis(text={text!r}, score={best.score:.6g})"
    score = model.score("eins", "one")
    assert repr(score) == (
        f"heed.PairScore(log_probability={score.log_probability:.6g}, "
        f"pieces=[{len(score.pieces)} items], status='ok')"
    )
    explanation = model.explain("eins\nzwei")
    attention = explanation.attention
    assert repr(attention) == (
        f"heed.Attention(source_pieces=[{len(attention.source_pieces)} items], "
        f"target_pieces=[{len(attention.target_pieces)} items], encoder=array"
        f"{attention.encoder.shape}, decoder=array{attention.decoder.shape}, "
        f"cross=array{attention.cross.shape})"
    )
    (part,) = explanation.parts
    assert repr(part) == f"heed.ExplainedPart(attention={attention!r}, ended={part.ended})"
    assert repr(explanation) == (
        f"heed.Explanation(source='eins\\nzwei', text={explanation.text!r})"
    )
    long = model.explain("eins " * 40)
    assert len(repr(long)) < 220 and "eins eins…'" in repr(long)


@pytest.mark.parametrize("wrong", [None, 7, b"eins", ["eins"]])
def test_looking_inside_takes_one_text(model, wrong):
    looks = (model.source_pieces, model.target_pieces, model.encode, model.attention, model.explain)
    for look in looks:
        with pytest.raises(heed.UsageError, match="expected str, got"):
            look(wrong)
    with pytest.raises(heed.UsageError, match="target: expected str, got"):
        model.logits("eins", wrong)
    if wrong is not None:
        with pytest.raises(heed.UsageError, match="target: expected str, got"):
            model.attention("eins", wrong)


def test_a_lone_surrogate_is_named(model):
    for call in (model.translate, model.encode, lambda text: list(model.translate_iter([text]))):
        with pytest.raises(heed.UsageError, match="character 4 is a lone surrogate"):
            call("eins"[:3] + "\ud800")


@pytest.mark.parametrize("pairs", [["ab"], [("a", "b", "c")], [("a",)]])
def test_what_is_no_pair_is_refused(model, pairs):
    with pytest.raises(heed.UsageError, match="expected .source, target."):
        list(model.score_iter(pairs))


def test_one_text_is_no_stream(model):
    with pytest.raises(heed.UsageError, match="expected texts, got NoneType"):
        model.translate_iter(None).__next__()
    with pytest.raises(heed.UsageError, match="got one"):
        list(model.translate_iter("eins"))


def test_a_directory_without_a_model_is_an_error(tmp_path):
    with pytest.raises(heed.Error, match="config.json"):
        heed.Model(tmp_path)
    with pytest.raises(heed.UsageError, match="compute: expected auto, fp32, bf16 or int8"):
        heed.Model(tmp_path, compute="fp64")


def test_an_explanation_is_that_of_the_translation(model, lines):
    explanation = model.explain(lines[0], beam=3)
    assert explanation.text == model.translate(lines[0], beam=3)
    assert explanation.translation.hypotheses[0].score == pytest.approx(
        model.translations([lines[0]], beam=3)[0].hypotheses[0].score
    )
    assert explanation.source == lines[0]
    assert explanation.source_pieces == model.source_pieces(lines[0])
    (part,) = explanation.parts
    assert part.ended == ("unfinished" not in explanation.translation.status)
    weights = explanation.attention
    np.testing.assert_array_equal(weights.encoder, model.attention(lines[0], "one").encoder)
    assert weights.cross.shape[2:] == (len(weights.target_pieces), len(weights.source_pieces))
    np.testing.assert_allclose(weights.cross.sum(axis=-1), 1, rtol=1e-5)
    assert len(explanation.probabilities) == len(explanation.target_pieces)
    best = explanation.translation.hypotheses[0]
    np.testing.assert_allclose(np.log(explanation.probabilities), best.log_probabilities)
    for piece, alternatives in zip(explanation.target_pieces, explanation.alternatives):
        assert len(alternatives) == 8
        assert alternatives == sorted(alternatives, key=lambda each: -each[1])
        assert piece in [each for each, _ in alternatives]
    for source, target in explanation.alignment:
        assert source < len(part.source_words) and target < len(part.target_words)
    assert model.explain(lines[0], prefix="one").text.startswith("one")


def test_an_explanation_of_several_parts_or_none(model):
    two = model.explain("eins zwei. Drei vier.", split="sentences")
    assert len(two.parts) == 2
    with pytest.raises(heed.UsageError, match=r"2 parts: parts\[i\]"):
        two.attention  # noqa: B018
    nothing = model.explain("")
    assert (nothing.text, nothing.parts) == ("", [])
    assert "<!doctype html>" in two.html() and "<!doctype html>" in nothing.html()


def test_an_explanation_is_a_page(model, tmp_path):
    hostile = "</script><script>alert(1)</script> \"'&"
    explanation = model.explain(hostile)
    page = explanation.html(language="zh", theme="dark")
    assert page.startswith('<!doctype html>\n<html lang="en" data-language="zh" data-theme="dark">')
    assert "alert(1)</script>" not in page
    explanation.save(tmp_path / "page.html", theme="light")
    assert (tmp_path / "page.html").read_text("utf-8") == explanation.html(theme="light")
    shown = explanation._repr_html_()
    assert shown.startswith("<iframe ") and 'sandbox="allow-scripts"' in shown
    # Only the frame is of the notebook's document, and all else an attribute of it.
    assert shown.count("<") == 2
    with pytest.raises(heed.UsageError, match="theme: expected light or dark, got 'red'"):
        explanation.html(theme="red")
    with pytest.raises(heed.UsageError, match="language: expected en or zh, got 'de'"):
        explanation.save(tmp_path / "other.html", language="de")
    assert not (tmp_path / "other.html").exists()
    with pytest.raises(heed.UsageError, match="prefix: expected str, got"):
        model.explain("eins", prefix=1)


def test_a_notebook_shows_translations_as_text(model, lines):
    options = {"beam": 3, "nbest": 3, "prefixes": ["one two"]}
    translation = model.translations([lines[0]], **options)[0]
    shown = translation._repr_html_()
    assert shown.count("<li>") == 3 and "<script" not in shown
    best = translation.hypotheses[0]
    text = html.unescape(re.sub(r"<[^>]*>", "", best._repr_html_()))
    assert text.split() == [*best.text.split(), f"{best.score:.4f}"]
    probability = math.exp(best.log_probabilities[best.pieces.index("o")])
    assert f'title="{probability:.4f}"' in best._repr_html_()
    assert "empty" in model.translations([""])[0]._repr_html_()


def test_a_notebook_gets_no_markup_from_a_text():
    hostile = "<img src=x onerror=alert(1)> & \u202eabc\u2028"
    shown = _notebook.escape(hostile)
    assert shown == "&lt;img src=x onerror=alert(1)&gt; &amp; U+202EabcU+2028"
    assert len(_notebook.escape("a" * 100_000)) < 20_100


def test_html_keeps_its_tags(model, lines):
    text = model.translate(lines[0], beam=2)
    assert model.translate_document(f"<p> {lines[0]}</p><br>", beam=2) == f"<p> {html.escape(text, quote=False)}</p><br>"
    first, rest = lines[0].split(" ", 1)
    made = model.translate_document(f"<p>{first} <b>{rest}</b></p>")
    assert made.count("<b>") == made.count("</b>") == 1
    with pytest.raises(heed.UsageError, match="beam"):
        model.translate_document("x", beam=0)
    with pytest.raises(TypeError):
        model.translate_document(["x"])
    catalog = model.translate_document(f'msgid "{lines[0]}"\nmsgstr ""\n', "po", beam=2)
    assert catalog.startswith(f'msgid "{lines[0]}"\nmsgstr "')
    with pytest.raises(heed.UsageError, match="docx"):
        model.translate_document("x", "docx")
    with pytest.raises(heed.Error, match="line 1"):
        model.translate_document("<a>", "xml")


def test_tags_of_html_are_put_around_a_translation(model, lines):
    first, rest = lines[0].split(" ", 1)
    made = model.transfer_tags(f"<p>{first} <b>{rest}</b></p>", "one & another.")
    assert made.count("<b>") == made.count("</b>") == 1
    assert made.replace("<b>", "").replace("</b>", "") == "<p>one &amp; another.</p>"
    with pytest.raises(heed.Error, match="2 texts"):
        model.transfer_tags("<p>a<p>b", "x")
