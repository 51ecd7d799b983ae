#!/usr/bin/env python3
"""Compares `heed align` with eflomal on a text whose true alignments are known.

    pip install eflomal
    recipes/alignment/compare.py [--heed PROGRAM] [--pairs N]

The text is the phrasebook's: N training pairs, and 1,000 test pairs, of which the error is counted. eflomal
gets it lower-cased and with a space around each Chinese character, the units of heed's alignments.
"""
import argparse
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heed_program  # noqa: E402

SYMMETRIZATIONS = ("grow-diag-final-and", "union", "source-target", "target-source")
NEIGHBOURS = [(s, t) for s in (-1, 0, 1) for t in (-1, 0, 1)]


def links_of(path):
    return [[tuple(map(int, link.split("-"))) for link in line.split()] for line in open(path)]


def grown(forward, backward):
    """grow-diag-final-and (Koehn et al., 2003)."""
    both, kept = set(forward) | set(backward), set(forward) & set(backward)
    sources, targets = {s for s, _ in kept}, {t for _, t in kept}

    def keep(link):
        kept.add(link)
        sources.add(link[0])
        targets.add(link[1])

    added = True
    while added:
        added = False
        for source, target in sorted(kept):
            for near in ((source + s, target + t) for s, t in NEIGHBOURS):
                if near in both and near not in kept and not (near[0] in sources and near[1] in targets):
                    keep(near)
                    added = True
    for link in forward + backward:
        if link[0] not in sources and link[1] not in targets:
            keep(link)
    return kept


def eflomal_links(folder):
    from eflomal import Aligner

    spaced = {"zh": lambda line: " ".join(line), "en": str.lower}
    for side, unit in spaced.items():
        lines = (folder / f"all.{side}").read_text(encoding="utf-8").splitlines()
        (folder / f"units.{side}").write_text("".join(unit(line) + "\n" for line in lines), encoding="utf-8")
    with open(folder / "units.zh") as source, open(folder / "units.en") as target:
        Aligner().align(source, target, links_filename_fwd=str(folder / "forward"),
                        links_filename_rev=str(folder / "backward"))
    forward, backward = links_of(folder / "forward"), links_of(folder / "backward")
    return {"grow-diag-final-and": map(grown, forward, backward),
            "union": (set(f) | set(b) for f, b in zip(forward, backward)),
            "source-target": forward, "target-source": backward}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heed", default="heed", help="the program")
    parser.add_argument("--pairs", type=int, default=20000, help="training pairs")
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = folder / "text"
        heed_program.heed(settings.heed, "phrasebook", "--output", text, "--pairs", settings.pairs, "--alignments")
        for side in ("zh", "en"):
            (folder / f"all.{side}").write_bytes(
                (text / f"train.{side}").read_bytes() + (text / f"test.{side}").read_bytes())
        tests = len((text / "test.align").read_text().splitlines())

        def error(links):
            (folder / "links").write_text("".join(line + "\n" for line in links[-tests:]))
            printed = heed_program.heed(settings.heed, "evaluate", "--hypothesis", folder / "links", "--reference",
                                        text / "test.align", "--metrics", "aer")
            return printed.splitlines()[0]

        for symmetrization in SYMMETRIZATIONS:
            begin = time.monotonic()
            printed = heed_program.heed(settings.heed, "align", "--source", folder / "all.zh", "--target",
                                        folder / "all.en", "--symmetrize", symmetrization)
            print(f"heed {symmetrization}: {error(printed.splitlines())}, {time.monotonic() - begin:.1f} s")
        begin = time.monotonic()
        found = eflomal_links(folder)
        seconds = time.monotonic() - begin
        for symmetrization, links in found.items():
            lines = [" ".join(f"{s}-{t}" for s, t in sorted(line)) for line in links]
            print(f"eflomal {symmetrization}: {error(lines)}, {seconds:.1f} s")


if __name__ == "__main__":
    main()
