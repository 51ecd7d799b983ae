"""Writes what sacreBLEU says about corpora as a golden file of the tests.

{"options": [{..., "signatures": {"1": "nrefs:1|...", ...}}, ...],
 "corpora": [{"hypotheses": [...], "references": [[...], ...],
              "scores": [[score, printed line], ...]}, ...]}

A corpus has one score for each of the options; a signature for each count of references.
"""

import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/evaluate/data"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_goldens(file, corpora, options, make_metric):
    """make_metric(**option) is sacreBLEU's; where an option says "sentence", the first line alone is scored."""
    import sacrebleu  # the goldens of other programs do without it

    assert sacrebleu.__version__.startswith("2.6."), sacrebleu.__version__
    made = [make_metric(**{k: v for k, v in option.items() if k != "sentence"}) for option in options]
    signatures = [{} for _ in options]
    lines = []
    for hypotheses, references in corpora:
        scores = []
        for option, metric, known in zip(options, made, signatures):
            if option.get("sentence"):
                score = metric.sentence_score(hypotheses[0], [lines[0] for lines in references])
            else:
                score = metric.corpus_score(hypotheses, references)
            scores.append([float(f"{score.score:.11g}"), score.format()])
            known[str(len(references))] = metric.get_signature().format()
        lines.append(compact({"hypotheses": hypotheses, "references": references, "scores": scores}))
    described = [compact({**option, "signatures": known}) for option, known in zip(options, signatures)]
    text = '{"options":[\n' + ",\n".join(described) + '\n],"corpora":[\n' + ",\n".join(lines) + "\n]}\n"
    (FOLDER / file).write_text(text, encoding="utf-8", newline="\n")
