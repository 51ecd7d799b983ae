"""Each examples/*.py does what its first lines say, on little text and with few steps."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import heed

EXAMPLES = Path(__file__).parents[2] / "examples"
TEST_PAIRS = 20


def run(folder: Path, example: str, *arguments: str, text: str = "") -> str:
    """What the example prints, run in a folder as a user would run it."""
    finished = subprocess.run(
        [sys.executable, EXAMPLES / example, *arguments],
        cwd=folder, input=text, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def corpus_folder(tmp_path_factory, program):
    """A folder with corpus/, the text of the examples."""
    folder = tmp_path_factory.mktemp("examples")
    subprocess.run(
        [program, "phrasebook", "--output", folder / "corpus", "--pairs", "5000",
         "--valid-pairs", "20", "--test-pairs", str(TEST_PAIRS), "--quiet"], check=True,
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def printed_by_translator(corpus_folder):
    return run(corpus_folder, "translator.py", "0.02")


@pytest.fixture(scope="module")
def folder(corpus_folder, printed_by_translator):
    """The same with translator-model/, which the other examples open."""
    return corpus_folder


@pytest.fixture
def source_lines(folder):
    return (folder / "corpus" / "test.zh").read_text("utf-8").split("\n")[:-1]


def test_every_example_is_run():
    test = Path(__file__).read_text("utf-8")
    examples = [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.ipynb")]
    assert len(examples) >= 6
    assert [each.name for each in examples if f'"{each.name}"' not in test] == []


def module(example: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(example, EXAMPLES / f"{example}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def read_lines_of(page: Path):
    """The function that a page shows."""
    (source,) = re.findall(r"^def read_lines.*?\n\n\n", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    names = {}
    exec(source, names)  # noqa: S102 a page of this repository
    return names["read_lines"]


# As heed reads text: otherwise every line after it would belong to another translation.
def test_a_carriage_return_ends_no_line(folder, tmp_path):
    path = tmp_path / "lines"
    path.write_bytes("谢谢\r你们。\n他在家。\r\n再见\u2028。\n".encode())
    lines = ["谢谢\r你们。", "他在家。\r", "再见\u2028。"]
    for page in ("README.md", "README.zh.md", "examples/translator.py"):
        assert read_lines_of(EXAMPLES.parent / page)(path) == lines
    assert [row["text"] for row in module("stream").rows_of(path)] == lines
    model = str(folder / "translator-model")
    printed = run(folder, "rescore.py", model, model, text=path.read_bytes().decode())
    assert len(printed.split("\n")) == len(lines) + 1


def test_two_text_files_become_a_translation(folder, printed_by_translator):
    translation, bleu, chrf = printed_by_translator.splitlines()
    assert translation == heed.Model(folder / "translator-model").translate("我妹妹昨天买了三本书。")
    assert bleu.startswith("BLEU = ")
    assert chrf.startswith("chrF2 = ")


def test_fine_tuning_plots_its_loss(folder):
    pytest.importorskip("matplotlib")
    printed = run(folder, "finetune.py", "20")
    assert [line.split(":")[0] for line in printed.splitlines()] == [
        "translator-model", "flatmates-model",
    ]  # fmt: skip
    assert (folder / "finetune.png").read_bytes().startswith(b"\x89PNG")
    assert "flatmate" in (folder / "flatmates.en").read_text("utf-8")


def test_attention_of_a_sentence(folder):
    sentence = "这些书很便宜。"
    printed = run(folder, "attention.py", "translator-model", sentence).splitlines()
    model = heed.Model(folder / "translator-model")
    pieces = model.target_pieces(model.translate(sentence))
    assert [line.split()[0] for line in printed[1 : 1 + len(pieces)]] == pieces
    entropies = printed[1 + len(pieces) :]
    assert len(entropies) == model.config["decoder_layers"]
    assert all(float(value) >= 0 for line in entropies for value in line.split()[-4:])


def test_reranking_by_a_second_model(folder, source_lines):
    path = folder / "translator-model"
    text = "".join(line + "\n" for line in source_lines)
    printed = run(folder, "rescore.py", str(path), str(path), text=text).splitlines()
    model = heed.Model(path)
    for line, best in zip(source_lines, printed, strict=True):
        ten = model.translations([line], beam=10, nbest=10)[0].hypotheses
        assert best in [hypothesis.text for hypothesis in ten]


def test_a_data_set_is_translated_into_a_file(folder, source_lines):
    run(folder, "stream.py", "translator-model", "corpus/test.zh", "translated.jsonl")
    with (folder / "translated.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    translations = heed.Model(folder / "translator-model").translate(source_lines)
    assert rows == [
        {"text": text, "translation": translation}
        for text, translation in zip(source_lines, translations, strict=True)
    ]


def test_the_notebook_runs(folder):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)
    training = next(cell for cell in cells if "minutes = 1 / 3" in cell.source)
    training.source = training.source.replace("minutes = 1 / 3", "minutes = 0.02")
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
    figures = [
        output for cell in cells for output in cell.outputs if "image/png" in output.get("data", {})
    ]
    assert len(figures) == 2
    pages = [
        output.data["text/html"]
        for cell in cells
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    ]
    curves, translations, explanation = pages
    assert "NLL, nats per token" in curves
    assert translations.count("<li>") == 3
    assert explanation.startswith("<iframe ")
