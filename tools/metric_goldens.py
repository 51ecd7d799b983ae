"""Writes what sacreBLEU says about corpora as a golden file of the tests."""

import json
import pathlib

import sacrebleu

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/evaluate/data"


def write_goldens(file, corpora, options, expected):
    """One object per corpus and line; its scores are expected(hypotheses, references, option)."""
    assert sacrebleu.__version__.startswith("2.6."), sacrebleu.__version__
    lines = []
    for hypotheses, references in corpora:
        scores = [expected(hypotheses, references, option) for option in options]
        case = {"hypotheses": hypotheses, "references": references, "scores": scores}
        lines.append(json.dumps(case, ensure_ascii=False, separators=(",", ":")))
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    (FOLDER / file).write_text(text, encoding="utf-8", newline="\n")
