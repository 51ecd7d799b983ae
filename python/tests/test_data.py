import gzip
import json
import subprocess

import heed
import pytest


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def test_an_inspection_is_that_of_the_program(text, program):
    printed = subprocess.run(
        [program, "inspect", "data", text["source"], text["target"], "--json"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert heed.inspect_data(text["source"], text["target"]) == json.loads(printed)
    with pytest.raises(heed.Error, match="missing"):
        heed.inspect_data("missing", text["target"])


@pytest.fixture
def damaged(tmp_path):
    """Pairs of which some harm a model."""
    source = [f"das ist Satz {i}" for i in range(1, 41)]
    target = [f"this is sentence {i}" for i in range(1, 41)]
    target[4] = "this is sentence 7"
    source[9], target[9] = "fÃ¼r den Satz 10", "for sentence 10"
    (tmp_path / "a.de").write_text("\n".join(source) + "\n")
    (tmp_path / "a.en").write_bytes("\n".join(target).encode() + b"\nwrong \xff line\n")
    (tmp_path / "a.de").open("a").write("das ist auch ein Satz\n")
    return tmp_path


def test_a_cleaning_is_that_of_the_program(damaged, program):
    de, en = damaged / "a.de", damaged / "a.en"
    printed = run(program, "clean", de, en, "--output", damaged / "p.de", damaged / "p.en",
                  "--rejected", damaged / "p.tsv", "--keep", "length_ratio", "--json")  # fmt: skip
    counts = heed.clean(
        de, en, output=(damaged / "h.de", damaged / "h.en.gz"), rejected=damaged / "h.tsv",
        keep=["length_ratio"],
    )  # fmt: skip
    assert counts == json.loads(printed)
    assert counts["kept"] == 39 and counts["repaired"] == 1
    assert (damaged / "h.de").read_bytes() == (damaged / "p.de").read_bytes()
    assert gzip.decompress((damaged / "h.en.gz").read_bytes()) == (damaged / "p.en").read_bytes()
    assert (damaged / "h.tsv").read_bytes() == (damaged / "p.tsv").read_bytes()


def test_a_failed_cleaning_leaves_no_file(damaged):
    before = sorted(damaged.iterdir())
    de, new = damaged / "a.de", (damaged / "h.de", damaged / "h.en")
    with pytest.raises(heed.Error, match="no pair is left"):
        heed.clean(de, de, output=new)
    with pytest.raises(heed.UsageError, match="unknown finding"):
        heed.clean(de, damaged / "a.en", output=new, drop=["numbers"])
    with pytest.raises(heed.Error, match="missing"):
        heed.clean(de, damaged / "missing", output=new)
    assert sorted(damaged.iterdir()) == before


def test_an_alignment_is_that_of_the_program(text, program):
    printed = run(program, "align", "--source", text["source"], "--target", text["target"])
    sources = open(text["source"], encoding="utf-8").read().splitlines()
    targets = open(text["target"], encoding="utf-8").read().splitlines()
    links = heed.align(sources, targets)
    assert [" ".join(f"{i}-{j}" for i, j in pair) for pair in links] == printed.splitlines()
    assert any(links)
    with pytest.raises(heed.UsageError, match="2 sources and 1 targets"):
        heed.align(["a", "b"], ["a"])
    with pytest.raises(heed.UsageError, match="expected one of grow-diag-final-and"):
        heed.align(["a"], ["a"], symmetrize="both")
